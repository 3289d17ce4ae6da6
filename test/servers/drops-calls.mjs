// Never answers a call, and all else; does not know a tool in either way that there is.
import { echo, reply, send, serve, text } from './behaves.mjs';

serve((message) => {
  const { id, method, params } = message;
  if (method !== 'tools/call') return reply(message);
  if (params.name === echo.name) return;
  if (params.name === 'protocol') return send({ id, error: { code: -32602, message: 'Unknown tool: protocol' } });
  send({ id, result: { ...text(`Unknown tool: ${params.name}`), isError: true } });
});
