// Reports its progress 20,000 times, as fast as it can.
import { once } from 'node:events';
import { reply, send, serve, text } from './behaves.mjs';

async function flood(id, progressToken) {
  for (let progress = 1; progress <= 20_000; progress++) {
    const params = { progressToken, progress, total: 20_000, message: `step ${progress}` };
    if (!send({ method: 'notifications/progress', params })) await once(process.stdout, 'drain');
  }
  send({ id, result: text('done') });
}

serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  void flood(message.id, message.params._meta?.progressToken);
});
