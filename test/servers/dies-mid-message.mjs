// Exits with 3 when it has written 60 bytes of an answer.
import { reply, serve, text } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: text('never complete') });
  process.stdout.write(answer.slice(0, 60), () => process.exit(3));
});
