// Answers without a newline, and then no more.
import { resultOf, serve, write } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'initialize') return;
  write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }));
});
