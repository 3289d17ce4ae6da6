// Says 202 to a request that it does not know, as if it were a notification.
import { answer, answerTo, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.id === undefined || !answerTo(message).error) return answer(request, response, message);
  json(response, 202, {});
});
