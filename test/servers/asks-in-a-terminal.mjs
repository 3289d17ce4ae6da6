// Tells how far it is, asks with a form, and answers with what it got and with an image.
import { reply, send, serve, text } from './behaves.mjs';

const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const properties = {
  name: { type: 'string', minLength: 2 },
  colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
  code: { type: 'string', pattern: '^[A-Z]{3}$' },
};

let called;
serve((message) => {
  const { id, method, params, result } = message;
  if (method === 'tools/list') {
    send({ id, result: { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] } });
  } else if (method === 'tools/call') {
    called = id;
    const { progressToken } = params['_meta'];
    for (const progress of [-5, 1, 99]) {
      const words = `step\u001b[2J ${'long '.repeat(60)}`;
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 2, message: words } });
    }
    const requestedSchema = { type: 'object', properties, required: ['name'] };
    send({ id: 'form', method: 'elicitation/create', params: { message: 'Who is there?', requestedSchema } });
  } else if (id === 'form') {
    const { content } = text(JSON.stringify(result));
    send({ id: called, result: { content: [...content, { type: 'image', mimeType: 'image/png', data }] } });
  } else reply(message);
});
