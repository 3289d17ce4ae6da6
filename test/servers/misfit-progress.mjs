// Tells of progress that does not rise, that is no number, of nothing that was asked, or when all is over.
import { reply, send, serve, text } from './behaves.mjs';

const kinds = { falls: [10, 10, 5], words: ['half'], rises: [1, 2, 3], late: [], strange: [] };
const inputSchema = { type: 'object' };

serve((message) => {
  const { id, method, params } = message;
  if (method === 'tools/list') {
    return send({ id, result: { tools: Object.keys(kinds).map((name) => ({ name, inputSchema })) } });
  }
  if (method !== 'tools/call') return reply(message);
  const token = params._meta.progressToken;
  const progress = (progressToken, value) =>
    send({ method: 'notifications/progress', params: { progressToken, progress: value, total: 100 } });
  for (const value of kinds[params.name]) progress(token, value);
  if (params.name === 'strange') progress('nobody-s', 1);
  send({ id, result: text('done') });
  if (params.name === 'late') for (let at = 0; at < 1000; at++) progress(token, 100);
});
