// Takes its time to end, and says three more things on the way.
import { pause, reply, send, serve } from './behaves.mjs';

serve(reply, async () => {
  for (const step of [1, 2, 3]) {
    await pause(100);
    send({ method: 'notifications/message', params: { level: 'info', data: `closing ${step}` } });
  }
  process.stderr.write('bye\n');
  process.stdout.write('', () => process.exit(0));
});
