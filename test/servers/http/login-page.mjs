// Answers calls with a page for people, or with an error of another protocol, and says that all is well.
import { answer, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.method !== 'tools/call') return answer(request, response, message);
  if (request.url.includes('oauth'))
    return json(response, 200, { error: 'invalid_token', error_description: 'expired' });
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>\n<title>Sign in \u001b[2J</title>');
});
