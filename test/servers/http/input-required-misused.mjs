// Wants input where it may not, without saying which, and of a kind that the client never offered.
import { text } from '../behaves.mjs';
import { answer, json, result, serve } from './behaves.mjs';

const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const misuses = {
  empty: { resultType: 'input_required' },
  ask: { resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create', params } } },
  echo: { ...text('x'), resultType: 'finished' },
};

serve((request, response, message) => {
  const { id, method } = message ?? {};
  if (method === 'tools/list')
    return json(response, 200, result(id, { resultType: 'input_required', requestState: 's' }));
  if (method === 'tools/call') return json(response, 200, result(id, misuses[message.params.name]));
  answer(request, response, message);
});
