// Writes empty lines and lines of spaces before each answer.
import { reply, serve, write } from './behaves.mjs';

serve((message) => {
  write('\n   \n\r\n');
  reply(message);
});
