// Asks the client something before it answers a call, under the id of that call: which it may.
import { reply, send, serve, text } from './behaves.mjs';

let call;
serve((message) => {
  if (message.method === 'tools/call') {
    call = message;
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', default: 'nobody' } } };
    return send({ id: call.id, method: 'elicitation/create', params: { message: 'Name?', requestedSchema } });
  }
  if (message.method === undefined && message.id === call?.id) {
    return send({ id: call.id, result: text(`hello ${message.result?.content?.name}`) });
  }
  reply(message);
});
