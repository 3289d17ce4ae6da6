// Tells a caller its environment and its working directory.
import { reply, send, serve, text } from './behaves.mjs';

serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  send({ id: message.id, result: text(JSON.stringify({ env: process.env, cwd: process.cwd() })) });
});
