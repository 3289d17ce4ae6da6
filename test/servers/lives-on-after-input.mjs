// Does not end when its input does.
import { reply, serve } from './behaves.mjs';

setInterval(() => undefined, 1000);
serve(reply, () => undefined);
