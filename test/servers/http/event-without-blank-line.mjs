// Sends an event without the blank line that ends it, and leaves the stream open; at ?close it ends it at once.
import { answer, answerTo, events, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.id === undefined) return answer(request, response, message);
  events(response).write(`data: ${JSON.stringify(answerTo(message))}\n`);
  if (request.url.endsWith('?close')) response.end();
});
