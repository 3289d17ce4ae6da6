// Writes a byte that is no UTF-8 into a description.
import { reply, serve, write } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'tools/list') return reply(message);
  const before = `{"jsonrpc":"2.0","id":${message.id},"result":{"tools":[{"name":"echo","description":"en`;
  const after = 'dash","inputSchema":{"type":"object"}}]}}\n';
  write(Buffer.concat([Buffer.from(before), Buffer.of(0x97), Buffer.from(after)]));
});
