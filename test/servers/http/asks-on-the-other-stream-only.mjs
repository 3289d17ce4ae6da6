// Asks the client on its GET stream and nowhere else: where there is none, the question is lost and the call fails.
import { answer, events, failure, serve } from './behaves.mjs';

const question = '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}';
let other;

serve((request, response, message) => {
  if (request.method === 'GET') {
    other = events(response);
    return;
  }
  if (message?.method !== 'tools/call') return answer(request, response, message);
  other?.write(`data: ${question}\n\n`);
  events(response).write(': waiting for the client\n\n');
  response.end(`data: ${JSON.stringify(failure(message.id, -32001, 'Request timed out'))}\n\n`);
});
