import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect } from 'vitest';
import { type Host, server, test, wireproof } from './support/host.ts';

const everything = [
  process.execPath,
  fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)),
  'stdio',
];

/** What both SDKs' clients can do, as far as it is used here. */
interface AnyClient {
  getServerVersion(): unknown;
  getServerCapabilities(): unknown;
  listTools(): Promise<{ tools: unknown[] }>;
  listPrompts(): Promise<{ prompts: unknown[] }>;
  listResources(): Promise<{ resources: unknown[] }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  callTool(call: Call, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; total?: number }) => void;
}

interface Spawn {
  command: string;
  args: string[];
  env: Record<string, string>;
  stderr: 'pipe';
}

type Connect = (spawn: Spawn) => Promise<AnyClient>;

const identity = { name: 'test-host', version: '1.0.0' };

const v1: Connect = async (spawn) => {
  const client = new ClientV1(identity);
  await client.connect(new StdioClientTransportV1(spawn));
  return {
    ...bound(client),
    callTool: (call, options) => client.callTool(call, undefined, options as never),
  };
};

const v2 =
  (versionNegotiation: ClientOptions['versionNegotiation']): Connect =>
  async (spawn) => {
    const client = new Client(identity, versionNegotiation ? { versionNegotiation } : {});
    await client.connect(new StdioClientTransport(spawn));
    return { ...bound(client), callTool: (call, options) => client.callTool(call, options as never) };
  };

function bound(client: Client | ClientV1): Omit<AnyClient, 'callTool'> {
  return {
    getServerVersion: () => client.getServerVersion(),
    getServerCapabilities: () => client.getServerCapabilities(),
    listTools: () => client.listTools(),
    listPrompts: () => client.listPrompts(),
    listResources: () => client.listResources(),
    getPrompt: (params) => client.getPrompt(params),
    readResource: (params) => client.readResource(params),
    close: () => client.close(),
  };
}

interface Work {
  command: string[];
  quick: Call;
  long: Call;
  endless: Call;
  prompt: { name: string; arguments?: Record<string, string> };
}

const withEverything: Work = {
  command: everything,
  quick: { name: 'echo', arguments: { message: 'hello' } },
  long: { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
  endless: { name: 'trigger-long-running-operation', arguments: { duration: 1000, steps: 5000 } },
  prompt: { name: 'simple-prompt' },
};
const withBothEras: Work = {
  command: server('both-eras.mjs'),
  quick: { name: 'echo', arguments: { message: 'hello' } },
  long: { name: 'count', arguments: { to: 4 } },
  endless: { name: 'count', arguments: { to: 50_000 } },
  prompt: { name: 'greet', arguments: { name: 'Ada' } },
};

const hosts: { name: string; connect: Connect; work: Work }[] = [
  { name: 'SDK v1, its own example server', connect: v1, work: withEverything },
  { name: 'SDK v2, legacy, the same server', connect: v2(undefined), work: withEverything },
  { name: 'SDK v2, legacy, a server for both eras', connect: v2(undefined), work: withBothEras },
  { name: 'SDK v2, modern', connect: v2({ mode: { pin: '2026-07-28' } }), work: withBothEras },
];

/** All that the client sees in one sitting. */
async function sitting(connect: Connect, command: readonly string[], work: Work, env: NodeJS.ProcessEnv) {
  const [file = '', ...args] = command;
  const client = await connect({ command: file, args, env: env as Record<string, string>, stderr: 'pipe' });
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const [first] = resources as { uri: string }[];
  const seen = {
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    tools,
    prompts,
    resources,
    prompt: await client.getPrompt(work.prompt),
    resource: await client.readResource({ uri: first?.uri ?? '' }),
    quick: await client.callTool(work.quick),
    // Steps that come in one chunk with the answer are dropped by the SDKs: they are looked for in the trace.
    long: await client.callTool(work.long, { onprogress: () => undefined }),
    cancelled: await cancelledCall(client, work.endless),
    after: await client.callTool(work.quick),
  };
  await client.close();
  return seen;
}

/** Cancels a call when its first progress has come. */
async function cancelledCall(client: AnyClient, call: Call): Promise<string> {
  const abort = new AbortController();
  return client.callTool(call, { signal: abort.signal, onprogress: () => abort.abort('enough') }).then(
    () => 'answered',
    (error: unknown) => `refused: ${String(error)}`,
  );
}

const tapped = (command: readonly string[]): string[] => [process.execPath, wireproof, 'tap', '--', ...command];

describe.concurrent('a host sees the same with and without', () => {
  test.for(hosts)('$name', async ({ connect, work }, { host }) => {
    const { env }: Host = host;
    const [alone, through] = await Promise.all([
      sitting(connect, work.command, work, env),
      sitting(connect, tapped(work.command), work, env),
    ]);
    expect(through).toEqual(alone);
    expect(through.cancelled).toContain('enough');
    await host.nothingLeft();
    for (const path of host.recordings()) expect(host.trace(path).verification.gaps).toEqual([]);
    for (const text of ['"progress":4,', '"notifications/cancelled"']) expect(host.recorded(text)).toBe(true);
  });

  test('a host that gives up on a server leaves nothing behind', async ({ host }) => {
    const [command = '', ...args] = tapped(server('obeys-nothing.mjs'));
    const client = await v1({ command, args, env: host.env as Record<string, string>, stderr: 'pipe' });
    await client.listTools();
    await client.close();
    await host.nothingLeft();
  });
});
