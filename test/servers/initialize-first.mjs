// Refuses whatever comes before initialize, with the code that it is given.
import { reply, send, serve } from './behaves.mjs';

const code = Number(process.argv[2] ?? -32602);
let isOpen = false;

serve((message) => {
  const { id, method } = message;
  if (method === 'initialize') isOpen = true;
  if (!isOpen && id !== undefined) return send({ id, error: { code, message: 'Initialize first' } });
  reply(message);
});
