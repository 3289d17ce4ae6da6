// Gives a result and an error at once, neither of them, a null for the one that there is not, or an id of another type.
import { reply, send, serve, text } from './behaves.mjs';

const answers = {
  both: { result: text('done'), error: { code: -32603, message: 'also an error' } },
  neither: {},
  'null-error': { result: text('done'), error: null },
  'null-result': { result: null },
  'list-result': { result: ['done'] },
  'text-error': { error: 'it broke' },
  'bare-error': { error: {} },
  twice: { result: text('done') },
};

serve((message) => {
  const { id, method, params } = message;
  if (method === 'tools/list') {
    const names = [...Object.keys(answers), 'text-id'];
    return send({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  }
  if (method !== 'tools/call') return reply(message);
  if (params.name === 'text-id') return send({ id: `${id}`, result: text('done') });
  send({ id, ...answers[params.name] });
  if (params.name === 'twice') send({ id, result: text('again') });
});
