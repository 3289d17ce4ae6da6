// Answers every call with a gateway's page.
import { answer, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.method !== 'tools/call') return answer(request, response, message);
  response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html><body><h1>502 Bad Gateway</h1></body></html>');
});
