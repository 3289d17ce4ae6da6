/**
 * wireproof as an MCP host, for tests in people's own projects (`wireproof/client`): it agrees
 * with a server on era and revision, asks, and records every byte. Needs Node.js.
 */
import { Authorizer } from './commands/authorizer.ts';
import { discover, type Offer } from './commands/call.ts';
import type { Connection, Listed } from './commands/connect.ts';
import { fateOf } from './commands/fate.ts';
import { Host, type HostAnswer } from './commands/host.ts';
import { openServer, type Target } from './commands/open-server.ts';
import { said } from './core/peer/opening.ts';
import type { JsonObject } from './core/protocol/message.ts';
import type { Era } from './core/protocol/revision.ts';
import { requestToEnd } from './commands/request-to-end.ts';
import { WireproofError } from './core/wireproof-error.ts';
import { MemoryStore } from './io/oauth/memory-store.ts';
import type { Outcome } from './io/session.ts';
import { homeFolder } from './io/stores/paths.ts';

export type { Era, HostAnswer, JsonObject, Listed, Offer, Outcome };
export { type ErrorCode, WireproofError } from './core/wireproof-error.ts';

/** A client that signs in as itself, where no person is (OAuth client credentials, RFC 6749, section 4.4). */
export type ClientCredentials = { clientId: string; scope?: string } & (
  | {
      /** The variable of our environment that holds its secret. */
      secretEnv: string;
    }
  | {
      /** The file with its private key: PEM, without a passphrase. */
      keyFile: string;
    }
);

/** Answers a request of the server. */
export type Answers = (method: string, params: JsonObject) => Promise<HostAnswer>;

/** How to connect. */
export interface ClientOptions {
  /** `auto` (the default) asks in the modern way first. */
  era?: Era | 'auto';
  /** The one revision to speak, such as `2025-06-18`. */
  revision?: string;
  /** What the client calls itself. */
  client?: { name: string; version: string };
  /** How long an answer may take, anew with each sign of progress. Milliseconds; 60,000 where left out. */
  timeout?: number;
  /** The server's working directory, and its whole environment; ours where left out. */
  cwd?: string;
  env?: Record<string, string>;
  /** Header lines for a server on HTTP. */
  headers?: Record<string, string>;
  /**
   * Who asks a server on HTTP. Where left out, what `wireproof login` made is used and refreshed, as long as `headers` have
   * no `Authorization`; `false` uses none of that. Credentials are used for this connection alone: nothing of it is kept.
   */
  signIn?: ClientCredentials | false;
  /** The file to record to; wireproof's store where left out. */
  trace?: string;
  label?: string;
  /** Answers what the server asks the host for; where left out, elicitation and sampling are declined. */
  answer?: Answers;
  /** Hears of notifications. */
  notified?: (method: string, params: JsonObject) => void;
  /** Hears what a person should know: that the server was started a second time, for instance. */
  told?: (text: string) => void;
}

/** A request that has no result: `outcome` says what it has. */
export class RequestFailed extends Error {
  readonly outcome: Exclude<Outcome, { kind: 'result' }>;

  constructor(method: string, outcome: Exclude<Outcome, { kind: 'result' }>) {
    super(`${method}: ${wordsFor(outcome)}`);
    this.name = 'RequestFailed';
    this.outcome = outcome;
  }
}

/** A server that is spoken with. */
export class McpClient {
  private readonly connection: Connection;
  private readonly host: Host;

  /** @internal */
  constructor(connection: Connection, host: Host) {
    this.connection = connection;
    this.host = host;
  }

  get era(): Era {
    return this.connection.agreement.era;
  }

  get revision(): string {
    return this.connection.agreement.revision;
  }

  /** `serverInfo`, as it came. */
  get server(): JsonObject | undefined {
    return this.connection.agreement.server;
  }

  get capabilities(): JsonObject {
    return this.connection.agreement.capabilities;
  }

  get instructions(): string | undefined {
    return this.connection.agreement.instructions;
  }

  /** The recording: the file that was asked for, or its id in the store. */
  get trace(): string {
    return this.connection.trace;
  }

  /** All that the server offers. */
  discover(): Promise<Offer> {
    return discover(this.connection);
  }

  /** All pages; as far as it came, `trouble` or `stopped` saying why, where it is not whole. */
  listTools(): Promise<Listed> {
    return this.connection.list('tools/list', 'tools');
  }

  /** The result as it came, `isError` too. @throws RequestFailed */
  callTool(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** @throws RequestFailed */
  readResource(uri: string): Promise<JsonObject> {
    return this.request('resources/read', { uri });
  }

  /** @throws RequestFailed */
  getPrompt(name: string, args: Record<string, string> = {}): Promise<JsonObject> {
    return this.request('prompts/get', { name, arguments: args });
  }

  /** Any request, in as many rounds as the server wants, and to the end of the task that it may become. @throws RequestFailed */
  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const outcome = await requestToEnd(this.connection, this.host, { method, params });
    if (outcome.kind === 'result') return outcome.result as JsonObject;
    throw new RequestFailed(method, outcome);
  }

  /** Ends the connection, and waits for the recording. */
  close(): Promise<void> {
    return this.connection.close();
  }
}

/**
 * Connects to a server.
 *
 * @param server a URL, or a program and its arguments
 * @throws WireproofError `server-not-started`, `server-unreachable`, `no-agreement`; `sign-in-needed` where a person has to
 * sign in first (its message says how), which a later request may throw as well; `sign-in-failed`
 */
export async function connect(
  server: string | URL | readonly string[],
  options: ClientOptions = {},
): Promise<McpClient> {
  const { answer, notified, timeout: patience = 60_000, told = () => undefined } = options;
  const host = new Host({ roots: [], answer, patience, told: () => undefined });
  const target = targetOf(server, options);
  const authorizer = authorizerOf(target, options);
  const connection = await openServer(
    {
      target,
      era: options.era ?? 'auto',
      revision: options.revision,
      client: options.client ?? { name: 'wireproof', version: '0' },
      capabilities: host.capabilities,
      timeout: patience,
      probeTimeout: Math.min(patience, 10_000),
      trace: options.trace,
      label: options.label,
      storeLimit: 2e9,
      by: 'wireproof',
      authorizer,
    },
    {
      request: (method, params) => host.answer(method, params),
      notification: (method, params) => {
        host.heard(method, params);
        notified?.(method, params);
      },
      undelivered: () => undefined,
      stray: () => undefined,
      told,
      stderr: () => undefined,
      ...(authorizer ? { refused: authorizer.refused } : {}),
    },
  );
  return new McpClient(connection, host);
}

/** What lets requests in to a server on HTTP; nothing where its headers say who asks, or nobody does. */
function authorizerOf(target: Target, { signIn, told = () => undefined }: ClientOptions): Authorizer | undefined {
  if (signIn === false) return undefined;
  const hasHeader = 'url' in target && target.lines.some(([name]) => name.toLowerCase() === 'authorization');
  if (signIn && ('command' in target || hasHeader)) {
    const why = hasHeader ? 'the header Authorization says already who asks' : 'it is for a server on HTTP';
    throw new WireproofError('bad-usage', `signIn cannot be used: ${why}.`);
  }
  if ('command' in target || hasHeader) return undefined;
  const secretEnv = signIn && 'secretEnv' in signIn ? signIn.secretEnv : undefined;
  const keyFile = signIn && 'keyFile' in signIn ? signIn.keyFile : undefined;
  if (signIn && (!signIn.clientId || (secretEnv ?? keyFile) === undefined)) {
    throw new WireproofError('bad-usage', 'signIn needs a clientId, and a secretEnv or a keyFile.');
  }
  return new Authorizer({
    endpoint: target.url,
    home: homeFolder(process.env),
    ...(signIn ? { store: new MemoryStore() } : {}),
    env: process.env,
    by: 'wireproof',
    way: {
      clientCredentials: signIn !== undefined,
      clientId: signIn?.clientId,
      clientSecretEnv: secretEnv,
      clientKey: keyFile,
      scope: signIn?.scope,
      browser: false,
      redirectPort: 0,
    },
    mayAsk: false,
    afresh: false,
    program: 'npx wireproof',
    otherwise: "headers: { Authorization: 'Bearer TOKEN' }",
    tell: told,
    signal: new AbortController().signal,
  });
}

function targetOf(server: string | URL | readonly string[], options: ClientOptions): Target {
  if (typeof server === 'string' || server instanceof URL) {
    return { url: new URL(server), lines: Object.entries(options.headers ?? {}) };
  }
  return { command: server, cwd: options.cwd, env: options.env ?? process.env };
}

function wordsFor(outcome: Exclude<Outcome, { kind: 'result' }>): string {
  switch (outcome.kind) {
    case 'error':
      return said(outcome.error);
    case 'lost':
      return `${outcome.lost.why}. ${fateOf(outcome.lost)}`;
    case 'silence':
      return `no answer in ${outcome.after} ms`;
    default:
      return 'cancelled';
  }
}
