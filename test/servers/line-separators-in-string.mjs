// Writes U+2028, U+2029 and U+0085 in a string: some take them for the end of a line.
import { reply, serve, write } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  write(
    `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[{"type":"text","text":"a\u2028b\u2029c\u0085d"}]}}\n`,
  );
});
