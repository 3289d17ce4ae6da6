import { type ConfiguredServer, targetName } from '../core/hosts/host.ts';
import { serversNamed, unknownName } from '../core/hosts/pick-server.ts';
import type { Machine } from '../core/hosts/places.ts';
import { mask, maskSecrets } from '../core/trace/mask-secrets.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { findServers, type FoundFile } from '../io/hosts/find-servers.ts';

/** A server that a host has configured, fit to be shown: no secrets, references as they are written. */
export interface ListedServer {
  /** How it is named as a target. */
  target: string;
  host: string;
  name: string;
  scope: 'local' | 'project' | 'user';
  file: string;
  transport?: 'stdio' | 'http' | 'sse';
  command?: string;
  args?: string[];
  /** Only the names of its variables. */
  env?: string[];
  cwd?: string;
  envFile?: string;
  url?: string;
  headers?: Record<string, string>;
  /** Why nothing can be started or called with this entry. */
  faulty?: string;
  /** What one should know of it. */
  note?: string;
  isDisabled: boolean;
  /** The same host has one of this name that counts more. */
  isHidden: boolean;
}

export interface ServersResult {
  servers: ListedServer[];
  files: FoundFile[];
}

/**
 * What the hosts on this machine have configured.
 *
 * @param name only these: `name` or `host:name`
 * @throws WireproofError `bad-usage` where nobody has one of this name
 */
export async function listServers(machine: Machine, name?: string): Promise<ServersResult> {
  const { files, servers } = await findServers(machine);
  if (name === undefined) return { servers: servers.map(listed), files };
  const named = serversNamed(servers, name);
  if (named.length > 0) return { servers: named.map(listed), files };
  const broken = files.filter(({ state }) => state === 'broken').map(({ path }) => path);
  const more = broken.length > 0 ? ` (Broken, and not looked into: ${broken.join(', ')})` : '';
  throw new WireproofError('bad-usage', unknownName(servers, name) + more);
}

function listed(server: ConfiguredServer): ListedServer {
  const { host, name, scope, file, isDisabled, isHidden } = server;
  const head = { target: targetName(server), host: host.id, name, scope, file };
  return { ...head, ...shown(server), isDisabled, isHidden };
}

function shown({ launch, host }: ConfiguredServer): Partial<ListedServer> {
  if (launch.kind === 'faulty') return { faulty: launch.why };
  if (launch.kind === 'stdio') {
    const { command, args, env, cwd, envFile } = launch;
    const [program, ...words] = masked(command, ...args) as [string, ...string[]];
    const where = { ...(cwd === undefined ? {} : { cwd }), ...(envFile === undefined ? {} : { envFile }) };
    return { transport: 'stdio', command: program, args: words, env: Object.keys(env), ...where };
  }
  const { kind, url, headers, headerVariables } = launch;
  const [address] = masked(url);
  return {
    transport: kind,
    url: address as string,
    headers: Object.fromEntries([
      ...Object.entries(headers).map(([name, value]) => [name, isReference.test(value) ? value : mask]),
      ...Object.entries(headerVariables).map(([name, { before, variable }]) => [name, `${before}\${${variable}}`]),
    ]),
    ...(host.startsCommandsOnly ? { note: `${host.name} starts commands only and passes over a URL` } : {}),
  };
}

/** All of a header's value is a reference: to see that is what helps, and it gives nothing away. */
const isReference = /^(?:(?:Bearer|Basic|Token) )?(?:\$\{(?:\w+:)?\w[\w.-]*\}|\{env:\w+\})$/i;

/** The words of a command, or others, without what looks like a secret; what stands in for an unset variable may be one. */
const masked = (...words: string[]): string[] =>
  maskSecrets(['', ...words])
    .slice(1)
    .map((word) =>
      word.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, standIn: string) => {
        const [assignment = ''] = maskSecrets(['', `${name}=${standIn}`]).slice(1);
        return `\${${name}:-${assignment.slice(name.length + 1)}}`;
      }),
    );
