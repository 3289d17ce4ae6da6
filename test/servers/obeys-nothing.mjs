// Ends neither with its input nor when it is asked to.
import { reply, serve } from './behaves.mjs';

setInterval(() => undefined, 1000);
process.on('SIGTERM', () => undefined);
serve(reply, () => undefined);
