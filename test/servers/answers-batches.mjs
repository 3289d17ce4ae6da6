// Answers an array of requests with an array, whatever the revision.
import { reply, resultOf, serve, write } from './behaves.mjs';

serve((message) => {
  if (!Array.isArray(message)) return reply(message);
  const requests = message.filter(({ id }) => id !== undefined);
  const answers = requests.map((request) => ({ jsonrpc: '2.0', id: request.id, result: resultOf(request) ?? {} }));
  write(`${JSON.stringify(answers)}\n`);
});
