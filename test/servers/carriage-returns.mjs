// Ends its lines with a carriage return and a newline.
import { resultOf, serve, write } from './behaves.mjs';

serve((message) => {
  const result = resultOf(message);
  if (message.id !== undefined) write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\r\n`);
});
