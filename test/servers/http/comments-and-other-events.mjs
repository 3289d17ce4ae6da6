// Puts between its messages all else that an event stream may hold: a byte-order mark, comments, other events, odd fields.
import { answer, answerTo, events, serve } from './behaves.mjs';

const logged = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"in a ping event"}}';

serve((request, response, message) => {
  if (message?.id === undefined) return answer(request, response, message);
  events(response).write('\ufeff: keep-alive\n\n:\n\n');
  response.write(`event: ping\ndata: ${logged}\n\n`);
  response.end(`event\nignored: yes\ndata:${JSON.stringify(answerTo(message))}\n\n`);
});
