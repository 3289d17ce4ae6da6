import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readEnvFile } from '../../core/hosts/env-file.ts';
import { Expander } from '../../core/hosts/expand.ts';
import { type ConfiguredServer, type Launch, targetName } from '../../core/hosts/host.ts';
import { pickServer } from '../../core/hosts/pick-server.ts';
import type { Machine } from '../../core/hosts/places.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { findServers } from './find-servers.ts';

/** What to start or to call, every reference replaced. It holds secrets. */
export type ServerTarget =
  | {
      kind: 'stdio';
      command: string;
      args: string[];
      /** What the entry adds to the environment. */
      env: Record<string, string>;
      /** Where the server starts; where it is left out, in our own working directory. */
      cwd: string | undefined;
    }
  /** `sse` is the older HTTP+SSE. */
  | { kind: 'http' | 'sse'; url: string; headers: Record<string, string> };

export interface ResolvedServer {
  server: ConfiguredServer;
  target: ServerTarget;
  /** Variables that the entry refers to and that are not set here: the user should be told. */
  unset: string[];
}

/**
 * Finds what `name` or `host:name` means in the hosts' own configuration, and replaces references as the host would.
 *
 * @throws WireproofError `bad-usage` where nobody or more than one host has it, or where its entry is not enough to go on
 */
export async function resolveServer(word: string, machine: Machine): Promise<ResolvedServer> {
  const { files, servers } = await findServers(machine);
  try {
    return resolveConfigured(pickServer(servers, word), machine);
  } catch (error) {
    const broken = files.filter(({ state }) => state === 'broken').map(({ path }) => path);
    if (!(error instanceof WireproofError) || broken.length === 0) throw error;
    throw new WireproofError(error.code, `${error.message} (Broken, and not looked into: ${broken.join(', ')})`);
  }
}

function resolveConfigured(server: ConfiguredServer, machine: Machine): ResolvedServer {
  const { launch, host, folder: project } = server;
  if (launch.kind === 'faulty') throw unusable(server, launch.why);
  const folder = project ?? machine.folders.at(-1) ?? machine.home;
  const around = { env: machine.env, home: machine.home, folder, isWindows: machine.platform === 'win32' };
  const expander = new Expander(host.expansion, around);
  const target =
    launch.kind === 'stdio' ? stdioTarget(server, launch, folder, expander) : httpTarget(launch, machine, expander);
  const [left] = expander.left;
  if (left !== undefined) throw unusable(server, `it needs ${left}, which only ${host.name} itself can give`);
  return { server, target, unset: [...expander.unset] };
}

const unusable = (server: ConfiguredServer, why: string): WireproofError =>
  new WireproofError(
    'bad-usage',
    `${targetName(server)} in ${server.file} cannot be used: ${why}. Give its command or URL instead.`,
  );

function stdioTarget(
  server: ConfiguredServer,
  launch: Extract<Launch, { kind: 'stdio' }>,
  folder: string,
  expander: Expander,
): ServerTarget {
  const expand = (text: string): string => expander.expand(text);
  const { host, folder: project } = server;
  const { command, args, env, cwd, envFile } = launch;
  return {
    kind: 'stdio',
    command: expand(command),
    args: args.map(expand),
    env: {
      ...(host.tellsProject === undefined ? {} : { [host.tellsProject]: folder }),
      ...(envFile === undefined ? {} : variablesOf(resolve(folder, expand(envFile)), server)),
      ...mapValues(env, expand),
    },
    cwd: cwd === undefined ? project : resolve(folder, expand(cwd)),
  };
}

function variablesOf(path: string, server: ConfiguredServer): Record<string, string> {
  try {
    return readEnvFile(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw unusable(server, `its envFile ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`);
  }
}

function httpTarget(
  { kind, url, headers, headerVariables }: Extract<Launch, { kind: 'http' | 'sse' }>,
  { env }: Machine,
  expander: Expander,
): ServerTarget {
  const expand = (text: string): string => expander.expand(text);
  const fromEnvironment = Object.entries(headerVariables).flatMap(([name, { before, variable }]) => {
    const value = env[variable];
    if (!value) expander.unset.add(variable);
    return value ? [[name, before + value] as const] : [];
  });
  return {
    kind,
    url: expand(url),
    headers: { ...mapValues(headers, expand), ...Object.fromEntries(fromEnvironment) },
  };
}

const mapValues = (texts: Record<string, string>, change: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
