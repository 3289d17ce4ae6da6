import type { Outgoing } from '../core/peer/client.ts';
import { isObject } from '../core/protocol/message.ts';
import type { CompiledRules } from '../core/trace/redaction/compiled-rules.ts';
import type { Era } from '../core/protocol/revision.ts';
import type { ServerProcess } from '../io/channels/server-process.ts';
import { type ErrorCode, WireproofError } from '../core/wireproof-error.ts';
import { openStdio } from '../io/channels/stdio-channel.ts';
import { KnownEras } from '../io/stores/known-eras.ts';
import { homeFolder } from '../io/stores/paths.ts';
import type { Authorizer } from './authorizer.ts';
import { connect, type ConnectCaller, type ConnectOptions, type Connection, type OpenChannel } from './connect.ts';

/** Which server, and how it is reached. */
export type Target =
  | { command: readonly string[]; cwd?: string | undefined; env: NodeJS.ProcessEnv }
  | { url: URL; lines: readonly (readonly [name: string, value: string])[] };

export interface OpenOptions extends ConnectOptions {
  target: Target;
  /** The server of a command, where it has been started already. */
  started?: ServerProcess | undefined;
  /** Where to record; the store where it is left out. */
  trace?: string | undefined;
  label?: string | undefined;
  storeLimit: number;
  by: string;
  /** On HTTP: a file with certificates to trust beside the system's, or any certificate is taken. */
  ca?: string | undefined;
  insecure?: boolean | undefined;
  /** On HTTP: what does not reach the recording; secrets where it is left out. */
  redaction?: CompiledRules | undefined;
  /** The input schema of a tool, where it is known: on HTTP it may ask for header lines (2026-07-28, server/tools, x-mcp-header). */
  schemaOf?: (tool: string) => unknown;
  /** Signs in to a server on HTTP; its `refused` is what the caller does where a request is refused. */
  authorizer?: Pick<Authorizer, 'attach'> | undefined;
}

export interface OpenCaller extends ConnectCaller {
  /** What a server prints on stderr. */
  stderr(bytes: Uint8Array): void;
  /** A line to the server is open, and its recording has begun. */
  opened?(channel: { readonly trace: string }): void;
}

/** How long a server may take to end when its input is over. Milliseconds. */
const grace = 2000;

/**
 * Connects to a server as its host, with a recording of everything.
 *
 * @throws WireproofError `server-not-started`, `server-unreachable`, `no-agreement`, `interrupted`
 */
export async function openServer(options: OpenOptions, caller: OpenCaller): Promise<Connection> {
  const known = new KnownEras(homeFolder(process.env));
  const name = nameOf(options.target);
  const asked = options.era === 'auto' && options.revision === undefined;
  const before = asked ? known.of(name) : undefined;
  const open = (era: Era | 'auto'): Promise<Connection> =>
    connect(telling(opening(options, caller), caller), { ...options, era }, caller);
  // What was known of it may not hold any more. To ask in another way lets nobody in, and reaches nobody.
  const again = async (error: unknown): Promise<Connection> => {
    if (error instanceof WireproofError && inVain.has(error.code)) throw error;
    return open('auto');
  };
  const connection = before === 'legacy' ? await open('legacy').catch(again) : await open(options.era);
  if (asked) known.keep(name, connection.agreement.era);
  if ('url' in options.target && connection.agreement.era === 'modern') {
    const { leaveOutFaultyTools } = await import('./leave-out-tools.ts');
    leaveOutFaultyTools(connection, (text) => caller.told(text));
  }
  return connection;
}

const telling =
  (open: OpenChannel, caller: OpenCaller): OpenChannel =>
  async (events) => {
    const channel = await open(events);
    caller.opened?.(channel);
    return channel;
  };

const inVain: ReadonlySet<ErrorCode> = new Set([
  'sign-in-needed',
  'sign-in-failed',
  'server-unreachable',
  'interrupted',
]);

function opening(options: OpenOptions, caller: OpenCaller): OpenChannel {
  const { target } = options;
  const told = { tell: (text: string) => caller.told(text), stderr: (bytes: Uint8Array) => caller.stderr(bytes) };
  if ('command' in target) {
    let { started } = options;
    return (events) => {
      const server = started;
      started = undefined;
      return openStdio({ ...options, ...target, ...told, grace, server }, events);
    };
  }
  return async (events) => {
    const { openHttp } = await import('../io/channels/http-channel.ts');
    const { paramHeaders } = await import('../core/peer/param-headers.ts');
    const headersOf = ({ json }: Outgoing): readonly [string, string][] => {
      const params = isObject(json['params']) ? json['params'] : {};
      const { name } = params;
      if (json['method'] !== 'tools/call' || typeof name !== 'string') return [];
      return paramHeaders(options.schemaOf?.(name), params['arguments']);
    };
    const channel = openHttp({ ...options, ...target, ...told, paramHeaders: headersOf }, events);
    await options.authorizer?.attach(channel).catch(async (error: unknown) => {
      await channel.close();
      throw error;
    });
    return channel;
  };
}

const nameOf = (target: Target): string[] =>
  'command' in target ? [...target.command] : [target.url.origin, target.url.pathname];
