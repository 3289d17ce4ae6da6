// A Streamable HTTP server of the handshake's era in a few lines, with sessions: what it does otherwise, a test says.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Handler } from './handler.ts';

/** What was asked: `method` of HTTP where there is no message. */
export interface Asked {
  method: string;
  id: unknown;
  params: Record<string, unknown>;
  session: string | undefined;
  authorization: string | undefined;
}

export interface SmallLegacy {
  handler: Handler;
  /** All that was asked, in order. */
  asked: Asked[];
  /** The sessions that it knows. */
  sessions: Set<string>;
  /** How often a method was asked for. */
  times(method: string): number;
}

/** @param instead answers in place of it, where it returns something else than false */
export function smallLegacy(instead: (asked: Asked, response: ServerResponse) => unknown = () => false): SmallLegacy {
  const all: Asked[] = [];
  const known = new Set<string>();
  const handler: Handler = async (request, response) => {
    const isPost = request.method === 'POST';
    const message = (isPost ? await json(request) : {}) as Partial<Asked>;
    const { method = request.method ?? '', id, params = {} } = message;
    const { authorization } = request.headers;
    const session = request.headers['mcp-session-id'] as string | undefined;
    const asked = { method, id, params, session, authorization };
    all.push(asked);
    if (instead(asked, response) !== false) return;
    const answer = (result: object, headers: Record<string, string> = {}): unknown =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'server/discover') {
      response.writeHead(400).end();
    } else if (method === 'initialize') {
      const opened = randomUUID();
      known.add(opened);
      const serverInfo = { name: 'small-legacy', version: '1' };
      const result = { protocolVersion: params['protocolVersion'], capabilities: { tools: {} }, serverInfo };
      answer(result, { 'Mcp-Session-Id': opened });
    } else if (!known.has(session ?? '')) response.writeHead(404).end();
    else if (method === 'GET') response.writeHead(405).end();
    else if (method === 'DELETE') response.writeHead(200).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/list') answer({ tools: [{ name: 'do', inputSchema: { type: 'object' } }] });
    else answer({ content: [{ type: 'text', text: 'done' }] });
  };
  const times = (method: string): number => all.filter((one) => one.method === method).length;
  return { handler, asked: all, sessions: known, times };
}
