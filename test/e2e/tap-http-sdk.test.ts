import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SSEClientTransportV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect } from 'vitest';
import { type EndpointForm, httpPlusSse } from '../servers/http/http-plus-sse.ts';
import type { Handler } from '../servers/http/handler.ts';
import { sessions } from '../servers/http/sessions.ts';
import { stateless } from '../servers/http/stateless.ts';
import { type HttpHost, tapTest, test } from './support/http-host.ts';
import { type Lines, post, valueOf } from './support/http-raw.ts';
import type { HttpTrace } from './support/http-trace.ts';
import { until } from './support/until.ts';

/** What both SDKs' clients can do, as far as it is used here. */
interface AnyClient {
  getServerVersion(): unknown;
  listTools(): Promise<{ tools: unknown[] }>;
  callTool(call: Call, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
  /** What the server said without being asked. */
  heard: unknown[];
  /** Says the session is over, and gives the status that its id is answered with then. */
  endSession?(): Promise<number>;
  /** Asks to be told of changes, and gives what ends that. */
  subscribe?(): Promise<() => Promise<void>>;
}

interface Call {
  name: string;
  arguments?: Record<string, unknown>;
}

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number }) => void;
}

type Connect = (url: URL) => Promise<AnyClient>;

const identity = { name: 'test-host', version: '1.0.0' };
const capabilities = { elicitation: { form: {} } };
const accepted = { action: 'accept' as const, content: { name: 'Ada' } };
const reconnectionOptions = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
};

/** Ends a session, and speaks under its id once more. */
async function endSession(url: URL, transport: StreamableHTTPClientTransport | StreamableHTTPClientTransportV1) {
  const id = transport.sessionId ?? '';
  await transport.terminateSession();
  const { status } = await post(url, '{"jsonrpc":"2.0","id":1,"method":"ping"}', [['Mcp-Session-Id', id]]);
  return status;
}

async function connectV1(transport: StreamableHTTPClientTransportV1 | SSEClientTransportV1): Promise<AnyClient> {
  const client = new ClientV1(identity, { capabilities });
  const heard: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => accepted);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
  await client.connect(transport);
  return {
    getServerVersion: () => client.getServerVersion(),
    listTools: () => client.listTools(),
    callTool: (call, options) => client.callTool(call, undefined, options),
    close: () => client.close(),
    heard,
  };
}

const v1: Connect = async (url) => {
  const transport = new StreamableHTTPClientTransportV1(url, { reconnectionOptions });
  return { ...(await connectV1(transport)), endSession: () => endSession(url, transport) };
};
const v1HttpPlusSse: Connect = (url) => connectV1(new SSEClientTransportV1(new URL('/sse', url)));

const v2 =
  (versionNegotiation?: ClientOptions['versionNegotiation']): Connect =>
  async (url) => {
    const client = new Client(identity, { capabilities, ...(versionNegotiation ? { versionNegotiation } : {}) });
    const transport = new StreamableHTTPClientTransport(url, { reconnectionOptions });
    const heard: unknown[] = [];
    client.setRequestHandler('elicitation/create', () => accepted);
    client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params));
    client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
    await client.connect(transport);
    return {
      getServerVersion: () => client.getServerVersion(),
      listTools: () => client.listTools(),
      callTool: (call, options) => client.callTool(call, options),
      endSession: () => endSession(url, transport),
      close: () => client.close(),
      heard,
      subscribe: async () => {
        const subscription = await client.listen({ toolsListChanged: true });
        return () => subscription.close();
      },
    };
  };

/** One thing that a client and a server do together, and what the client sees of it. */
type Deed = (client: AnyClient) => Promise<unknown>;

const calls =
  (name: string, args: Record<string, unknown> = {}): Deed =>
  (client) =>
    client.callTool({ name, arguments: args });

const countsWithProgress: Deed = async (client) => {
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => steps.push(progress);
  return { result: await client.callTool({ name: 'count', arguments: { to: 4 } }, { onprogress }), steps };
};

/** Cancels a call when its first progress has come; the server says when it has understood. */
const cancels: Deed = async (client) => {
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
  const outcome = await client.callTool({ name: 'count', arguments: { to: 50_000 } }, options).then(
    () => 'answered',
    (error: unknown) => `refused: ${String(error)}`,
  );
  return { outcome, server: await client.callTool({ name: 'given-up', arguments: {} }) };
};

const hearsAnnouncement: Deed = async (client) => {
  const result = await client.callTool({ name: 'announce', arguments: {} });
  await until('it is heard', () => client.heard.length > 0);
  return { result, heard: client.heard };
};

const subscribes: Deed = async (client) => {
  const stop = await client.subscribe?.();
  const seen = await hearsAnnouncement(client);
  await stop?.();
  return seen;
};

const simple: Record<string, Deed> = {
  server: async (client) => client.getServerVersion(),
  tools: (client) => client.listTools(),
  echo: calls('echo', { message: 'hello é\u2028\n' }),
};
const withSessions: Record<string, Deed> = {
  ...simple,
  progress: countsWithProgress,
  cancellation: cancels,
  elicitation: calls('ask'),
  'elicitation on the other stream': calls('ask-on-the-other-stream'),
  announcement: hearsAnnouncement,
  'a stream that the server closes': calls('close-stream'),
  'a stream that breaks off': calls('break-off'),
  'echo again': calls('echo', { message: 'still here' }),
  'a session that is over': (client) => client.endSession?.() ?? Promise.resolve(),
};
const withoutSessions: Record<string, Deed> = { ...simple, progress: countsWithProgress };
const modern: Record<string, Deed> = {
  ...withoutSessions,
  cancellation: cancels,
  elicitation: calls('ask'),
  subscription: subscribes,
};
const old: Record<string, Deed> = { ...simple, elicitation: calls('ask') };

interface Sitting {
  name: string;
  connect: Connect;
  serve: () => Handler;
  deeds: Record<string, Deed>;
  /** What of it must stand in the trace. */
  traced: string[];
}

const resumption = ['"Last-Event-ID"', '"elicitation/create"', '"notifications/progress"', '"notifications/cancelled"'];
const withSse = (form: EndpointForm) => ({
  connect: v1HttpPlusSse,
  serve: () => httpPlusSse(form),
  deeds: old,
  traced: ['event: endpoint', '"elicitation/create"'],
});

const sittings: Sitting[] = [
  { name: 'v1, sessions', connect: v1, serve: sessions, deeds: withSessions, traced: resumption },
  { name: 'v2, legacy, sessions', connect: v2(), serve: sessions, deeds: withSessions, traced: resumption },
  { name: 'v2, legacy, stateless', connect: v2(), serve: stateless, deeds: withoutSessions, traced: ['"progress":4'] },
  {
    name: 'v2, modern, stateless',
    connect: v2({ mode: { pin: '2026-07-28' } }),
    serve: stateless,
    deeds: modern,
    traced: ['"subscriptions/listen"', '"inputResponses"', '"notifications/tools/list_changed"', '"Mcp-Method"'],
  },
  {
    name: 'v2, finds out',
    connect: v2({ mode: 'auto' }),
    serve: stateless,
    deeds: modern,
    traced: ['"server/discover"'],
  },
  { name: 'v1, HTTP+SSE whose endpoint is a path', ...withSse('a path') },
  { name: 'v1, HTTP+SSE whose endpoint is a URL', ...withSse('a URL') },
];

/** All that the client sees in one sitting. */
async function sit(url: URL, { connect, deeds }: Sitting): Promise<Record<string, unknown>> {
  const client = await connect(url);
  const seen: Record<string, unknown> = {};
  for (const [name, deed] of Object.entries(deeds)) seen[name] = await deed(client);
  await client.close();
  return seen;
}

describe.concurrent('a client sees the same with and without', () => {
  test.for(sittings)('$name', async (sitting, { host }) => {
    const [alone, upstream] = await Promise.all([host.serve(sitting.serve()), host.serve(sitting.serve())]);
    const tap = await host.tapTo(upstream.url);
    const [seenAlone, seenThrough] = await Promise.all([sit(alone.url, sitting), sit(tap.url, sitting)]);
    expect(seenThrough).toEqual(seenAlone);
    const trace = await tap.stop();
    if (!trace) return;
    const recorded = trace.bytes.toString();
    for (const text of sitting.traced) expect(recorded.toLowerCase()).toContain(text.toLowerCase());
    expect(trace.streams.filter(({ isMade }) => isMade)).toEqual([]);
  });

  test('what it should see', async ({ host }) => {
    const [sitting] = sittings as [Sitting];
    const { url } = await host.serve(sitting.serve());
    const tap = await host.tapTo(url);
    const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
    expect(await sit(tap.url, sitting)).toMatchObject({
      server: { name: 'sessions' },
      echo: text('hello é\u2028\n'),
      progress: { result: text('counted to 4'), steps: [1, 2, 3, 4] },
      cancellation: { server: text('enough') },
      elicitation: text('accept: Ada'),
      'elicitation on the other stream': text('accept: Ada'),
      announcement: { heard: [{ level: 'info', data: 'announced' }] },
      'a stream that the server closes': text('came back'),
      'a stream that breaks off': text('taken up again'),
      'a session that is over': 404,
    });
    await tap.stop();
  });
});

describe.concurrent('sessions in the trace', () => {
  const [sitting] = sittings as [Sitting];

  /** Two clients at once, and the ids of their sessions. */
  async function twoSittings(host: HttpHost): Promise<{ ids: string[]; trace: HttpTrace | undefined }> {
    const ids = new Set<string>();
    const { url } = await host.serve(sitting.serve(), (server) =>
      server.on('request', ({ headers }) => void ids.add(String(headers['mcp-session-id']))),
    );
    const tap = await host.tapTo(url);
    await Promise.all([sit(tap.url, sitting), sit(tap.url, sitting)]);
    return { ids: Array.from(ids).filter((id) => id !== 'undefined'), trace: await tap.stop() };
  }

  tapTest('each is a connection of its own', async ({ host }) => {
    const { ids, trace } = await twoSittings(host);
    const connections = new Map<string, Set<number>>();
    for (const { request, records } of trace?.streams ?? []) {
      const id = valueOf(request.lines as Lines, 'mcp-session-id');
      if (id === undefined) continue;
      connections.set(id, new Set([...(connections.get(id) ?? []), ...records.map(({ c }) => c)]));
    }
    const numbers = [...connections.values()].map((set) => Array.from(set));
    expect(numbers).toHaveLength(ids.length);
    for (const each of numbers) expect(each).toHaveLength(1);
    expect(new Set(numbers.flat()).size).toBe(2);
  });

  tapTest('neither is known by its id', async ({ host }) => {
    const { ids, trace } = await twoSittings(host);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(trace?.bytes.includes(id)).toBe(false);
  });
});

describe.concurrent("the server's own checks judge the client", () => {
  const hello =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}';
  const rows: { name: string; lines: Lines; status: number }[] = [
    { name: 'one that says nothing of an origin is let in', lines: [], status: 200 },
    { name: 'one of an origin that is allowed is let in', lines: [['Origin', 'http://localhost:3000']], status: 200 },
    { name: 'a page of a stranger is refused', lines: [['Origin', 'https://evil.example']], status: 403 },
  ];

  test.for(rows)('$name', async ({ lines, status }, { host }) => {
    let handle: Handler = () => undefined;
    const { url } = await host.serve((request, response) => handle(request, response));
    handle = sessions({
      enableDnsRebindingProtection: true,
      allowedHosts: [url.host],
      allowedOrigins: ['http://localhost:3000'],
    });
    const tap = await host.tapTo(url);
    expect((await post(tap.url, hello, lines)).status).toBe(status);
    const trace = await tap.stop();
    expect(trace?.stream().isMade ?? false).toBe(false);
  });
});

describe.concurrent('with --no-rewrite', () => {
  tapTest('an endpoint that is a URL leads past the tap, and the client refuses it', async ({ host }) => {
    const { url } = await host.serve(httpPlusSse('a URL'));
    const tap = await host.tapTo(url, ['--no-rewrite']);
    await expect(v1HttpPlusSse(tap.url)).rejects.toThrow('Endpoint origin does not match');
    await tap.stop();
  });
});
