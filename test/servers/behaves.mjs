// A stdio server that does what it should. The others are made from its parts, and each tells one lie.
import { fileURLToPath } from 'node:url';

export const echo = {
  name: 'echo',
  description: 'Gives its text back.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

export const write = (bytes) => process.stdout.write(bytes);
export const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const text = (value) => ({ content: [{ type: 'text', text: value }] });
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a request is answered with. */
export function resultOf({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion = '2025-06-18' } = params ?? {};
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test-server', version: '1.0.0' } };
  }
  if (method === 'ping') return {};
  if (method === 'tools/list') return { tools: [echo] };
  if (method === 'tools/call') return text(`echo: ${params?.arguments?.text ?? ''}`);
  return undefined;
}

export function reply(message) {
  if (message.id === undefined || message.method === undefined) return;
  const result = resultOf(message);
  const error = { code: -32601, message: 'Method not found' };
  send(result === undefined ? { id: message.id, error } : { id: message.id, result });
}

/** Reads a message a line, and ends when its input does. */
export function serve(hear = reply, ended = () => process.exit(0)) {
  let held = Buffer.alloc(0);
  process.stdin.on('data', (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (let end = held.indexOf(10); end >= 0; end = held.indexOf(10)) {
      const line = held.subarray(0, end).toString();
      held = held.subarray(end + 1);
      const message = parsed(line);
      if (message) hear(message);
    }
  });
  process.stdin.on('end', ended);
  process.stdout.on('error', () => process.exit(0));
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
