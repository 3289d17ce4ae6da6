// A Streamable HTTP server without sessions that does what it should. The others are made from its parts, and each tells one lie.
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { resultOf } from '../behaves.mjs';

export const result = (id, value) => ({ jsonrpc: '2.0', id, result: value });
export const failure = (id, code, message, data) => ({ jsonrpc: '2.0', id, error: { code, message, data } });

/** Answers with one JSON body. */
export function json(response, status, body, headers = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers });
  response.end(bytes);
}

/** Begins to answer with an event stream. */
export function events(response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  response.flushHeaders();
  return response;
}

export const isModern = (message) => message?.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;

/** What a request is answered with, in either era. */
export function answerTo(message) {
  const value = resultOf(message);
  if (value === undefined) return failure(message.id, -32601, 'Method not found');
  if (!isModern(message)) return result(message.id, value);
  const hints = message.method === 'tools/list' ? { ttlMs: 0, cacheScope: 'private' } : {};
  return result(message.id, { resultType: 'complete', ...value, ...hints });
}

export function answer({ method }, response, message) {
  if (method !== 'POST') return response.writeHead(405).end();
  if (message === undefined) return json(response, 400, failure(null, -32700, 'Parse error'));
  if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
  const said = answerTo(message);
  json(response, isModern(message) && said.error ? 404 : 200, said);
}

/** Listens on a free port, says its URL, and hears the message that each request brings. */
export function serve(hear = answer) {
  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => undefined);
    if (body !== undefined) hear(request, response, parsed(body));
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`{"url":"http://127.0.0.1:${server.address().port}/mcp"}\n`);
  });
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
