// Says that it has resources, prompts and ping, and does not know their methods.
import { reply, resultOf, send, serve } from './behaves.mjs';

const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} };

serve((message) => {
  const { id, method } = message;
  if (method === 'initialize') return send({ id, result: { ...resultOf(message), capabilities } });
  if (method === 'ping') return send({ id, error: { code: -32601, message: 'Method not found' } });
  reply(message);
});
