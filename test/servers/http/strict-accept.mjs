// Refuses a client whose `Accept` does not name both types: `*/*` is not enough.
import { answer, failure, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  const { accept = '' } = request.headers;
  if (accept.includes('application/json') && accept.includes('text/event-stream')) {
    return answer(request, response, message);
  }
  const text = 'Not Acceptable: Client must accept both application/json and text/event-stream';
  json(response, 406, failure(null, -32000, text));
});
