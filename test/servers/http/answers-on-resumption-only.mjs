// Ends the stream of a call behind its first event; the answer comes to a GET with `Last-Event-ID`.
import { text } from '../behaves.mjs';
import { answer, events, result, serve } from './behaves.mjs';

const answered = JSON.stringify(result(2, text('resumed')));

serve((request, response, message) => {
  if (request.method === 'GET') {
    const stream = events(response);
    if (request.headers['last-event-id'] === 'k1') stream.end(`id: k2\ndata: ${answered}\n\n`);
    return;
  }
  if (message?.method !== 'tools/call') return answer(request, response, message);
  events(response).end('id: k1\nretry: 2000\ndata:\n\n');
});
