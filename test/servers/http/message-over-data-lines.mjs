// Spreads one message over several `data` lines, with one, no and two spaces behind the colon: which it may.
import { answer, events, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.method !== 'tools/call') return answer(request, response, message);
  const id = JSON.stringify(message.id);
  events(response).end(
    `event: message\ndata: {"jsonrpc":"2.0","id":${id},\ndata:"result":{"content":[{"type":"text",\ndata:  "text":"joined"}]}}\n\n`,
  );
});
