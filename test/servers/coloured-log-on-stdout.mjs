// Logs on stdout, in colours, and sets the title of the terminal.
import { reply, serve, write } from './behaves.mjs';

write('\u001b[32m\u2705 ready\u001b[0m\n');
serve((message) => {
  if (message.method === 'tools/call') write('\u001b]0;new title\u0007\u001b[1;31mwarn:\u001b[0m slow\n');
  reply(message);
});
