// Has resources, and does not know resources/templates/list: that is legal enough to be common.
import { reply, resultOf, send, serve } from './behaves.mjs';

serve((message) => {
  const { id, method } = message;
  if (method === 'initialize') {
    return send({ id, result: { ...resultOf(message), capabilities: { tools: {}, resources: {} } } });
  }
  if (method === 'resources/list') return send({ id, result: { resources: [{ uri: 'note:1', name: 'one' }] } });
  reply(message);
});
