// Answers a call only when a page has been visited (2025-11-25, -32042). `--tells` says that it has, right behind the
// error. `--never` wants it again and again.
import { reply, resultOf, send, serve, text, write } from './behaves.mjs';

const tells = process.argv.includes('--tells');
const wants = { mode: 'url', elicitationId: 'e1', url: 'https://pages.example/e1', message: 'Sign the form' };
let calls = 0;

serve((message) => {
  const { id, method } = message;
  if (method === 'initialize') {
    return send({ id, result: { ...resultOf(message), protocolVersion: '2025-11-25' } });
  }
  if (method !== 'tools/call') return reply(message);
  calls++;
  if (calls > 1 && !process.argv.includes('--never')) return send({ id, result: text(`done in ${calls} calls`) });
  const error = { code: -32042, message: 'A page first', data: { elicitations: [wants] } };
  const complete = (elicitationId) => ({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  // The first is of another page, which is nobody's concern.
  const said = [{ id, error }, ...(tells ? [complete('e0'), complete('e1')] : [])];
  write(said.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
});
