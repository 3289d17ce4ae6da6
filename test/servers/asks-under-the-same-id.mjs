// Asks the client under the very id of the call that it is answering: ids of both sides are apart.
import { reply, send, serve, text } from './behaves.mjs';

let called;
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };

serve((message) => {
  const { id, method, result } = message;
  if (method === 'tools/call') {
    called = id;
    return send({ id, method: 'elicitation/create', params: { message: 'Name?', requestedSchema } });
  }
  if (method === undefined && id === called) return send({ id, result: text(`hello ${result?.content?.name}`) });
  reply(message);
});
