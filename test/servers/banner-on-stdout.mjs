// Greets on stdout before its first message.
import { serve, write } from './behaves.mjs';

write('Example server running on stdio\n');
serve();
