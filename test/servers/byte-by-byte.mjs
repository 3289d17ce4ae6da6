// Writes an answer in single bytes, which cuts its characters.
import { pause, reply, serve, text, write } from './behaves.mjs';

async function drip(bytes) {
  for (const byte of bytes) {
    write(Uint8Array.of(byte));
    await pause(1);
  }
}

serve((message) => {
  if (message.method !== 'tools/call') return reply(message);
  const result = text('dash \u2014 read \u8bfb party \ud83c\udf89 end');
  void drip(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`));
});
