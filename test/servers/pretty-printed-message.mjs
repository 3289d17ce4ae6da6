// Spreads a message over several lines.
import { reply, resultOf, serve, write } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'initialize') return reply(message);
  write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }, null, 2)}\n`);
});
