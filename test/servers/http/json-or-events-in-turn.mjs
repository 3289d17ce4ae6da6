// Answers equal requests in turn as JSON, its type spelled oddly, and as an event stream: which it may.
import { answer, answerTo, events, serve } from './behaves.mjs';

let turn = 0;
serve((request, response, message) => {
  if (message?.id === undefined) return answer(request, response, message);
  const said = JSON.stringify(answerTo(message));
  if (turn++ % 2 === 0) response.setHeader('Content-Type', 'Application/JSON; Charset=UTF-8').end(said);
  else events(response).end(`event: message\ndata: ${said}\n\n`);
});
