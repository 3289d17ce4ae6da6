// A Streamable HTTP server made with the official SDK, v1: it has sessions, keeps events to be resumed, and asks back.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type EventStore,
  StreamableHTTPServerTransport,
  type StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { pause, until } from '../../e2e/support/until.ts';
import type { Handler } from './handler.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const question = {
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};

/** Events by number, so that a stream can be taken up again behind any of them. */
class Events implements EventStore {
  private readonly events: { stream: string; message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    return String(this.events.push({ stream, message }));
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.events[Number(last) - 1]?.stream ?? '';
    for (let at = Number(last); at < this.events.length; at++) {
      const event = this.events[at];
      // An event that only opens its stream says nothing.
      if (event?.stream === stream && 'jsonrpc' in event.message) await send(String(at + 1), event.message);
    }
    return stream;
  }
}

/** What of one session is still open. */
class Session {
  readonly transport: StreamableHTTPServerTransport;
  aborted: string[] = [];
  private readonly open: { method: string; response: ServerResponse }[] = [];
  private readonly server = new McpServer(
    { name: 'sessions', version: '1.0.0' },
    { capabilities: { logging: {}, tools: {} } },
  );

  constructor(options: StreamableHTTPServerTransportOptions) {
    this.transport = new StreamableHTTPServerTransport({ eventStore: new Events(), retryInterval: 20, ...options });
    this.registerTools();
  }

  async connect(): Promise<void> {
    await this.server.connect(this.transport);
  }

  hear(method: string, response: ServerResponse): void {
    this.open.push({ method, response });
    response.on('close', () =>
      this.open.splice(
        this.open.findIndex((one) => one.response === response),
        1,
      ),
    );
  }

  /** The event stream that answers a method, once it is open. */
  private stream(method: string): Promise<ServerResponse> {
    return until(`a ${method} stream is open`, () => {
      const found = this.open.find((one) => one.method === method && one.response.headersSent);
      return found?.response;
    });
  }

  private registerTools(): void {
    const { server } = this;
    server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => text(message));

    server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
      const { _meta, sendNotification, signal } = extra;
      signal.addEventListener('abort', () => this.aborted.push(String(signal.reason)));
      for (let progress = 1; progress <= to && !signal.aborted; progress++) {
        const progressToken = _meta?.progressToken;
        const params = { progressToken: progressToken ?? '', progress, total: to };
        if (progressToken !== undefined) await sendNotification({ method: 'notifications/progress', params });
        await pause(20);
      }
      return text(`counted to ${to}`);
    });

    server.registerTool('given-up', {}, async () => {
      await until('a call is given up', () => this.aborted.length > 0);
      return text(this.aborted.join());
    });

    server.registerTool('ask', {}, async (extra) => {
      const { action, content } = await extra.sendRequest(
        { method: 'elicitation/create', params: { mode: 'form', ...question } },
        ElicitResultSchema,
      );
      return text(`${action}: ${String(content?.['name'])}`);
    });

    server.registerTool('ask-on-the-other-stream', {}, async () => {
      await this.stream('GET');
      const { action, content } = await server.server.elicitInput(question);
      return text(`${action}: ${String(content?.['name'])}`);
    });

    server.registerTool('announce', {}, async () => {
      await this.stream('GET');
      await server.sendLoggingMessage({ level: 'info', data: 'announced' });
      return text('announced');
    });

    server.registerTool('close-stream', {}, async ({ closeSSEStream }) => {
      closeSSEStream?.();
      await until('the client has come back', () => this.open.filter(({ method }) => method === 'GET').length > 1);
      return text('came back');
    });

    server.registerTool('break-off', {}, async () => {
      const { socket } = await this.stream('POST');
      socket?.resetAndDestroy();
      return text('taken up again');
    });
  }
}

/** Serves it at every path. */
export function sessions(options: StreamableHTTPServerTransportOptions = {}): Handler {
  const open = new Map<string, Session>();

  async function begin(): Promise<Session> {
    const session: Session = new Session({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, session),
      onsessionclosed: (id) => void open.delete(id),
      ...options,
    });
    await session.connect();
    return session;
  }

  return async (request, response) => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    const session = id === undefined ? await begin() : open.get(id);
    if (!session) {
      const error = { code: -32001, message: 'Session not found' };
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return;
    }
    session.hear(request.method ?? '', response);
    await session.transport.handleRequest(request, response);
  };
}
