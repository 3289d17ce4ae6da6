// Wants a call to come again with some state, and no input: which it may.
import { text } from '../behaves.mjs';
import { answer, json, result, serve } from './behaves.mjs';

const requestState = 'opaque-\u00e9-1';

serve((request, response, message) => {
  if (message?.method !== 'tools/call') return answer(request, response, message);
  const isAgain = message.params.requestState === requestState;
  const value = isAgain
    ? { resultType: 'complete', ...text('finished') }
    : { resultType: 'input_required', requestState };
  json(response, 200, result(message.id, value));
});
