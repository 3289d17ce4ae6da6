// Prints a line that is JSON and no JSON-RPC.
import { reply, serve, write } from './behaves.mjs';

serve((message) => {
  reply(message);
  if (message.method === 'initialize') write('{"status":200,"message":"ok","results":[],"duration":12}\n');
});
