// Waits for two calls and answers the second one first.
import { reply, resultOf, send, serve } from './behaves.mjs';

const calls = [];
serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  calls.push(message);
  if (calls.length === 2) for (const call of calls.toReversed()) send({ id: call.id, result: resultOf(call) });
});
