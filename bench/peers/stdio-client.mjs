// The near end for what an HTTP server is reached through over stdio: starts it, and keeps requests open. Prints its figures.
//   stdio-client OPEN SECONDS COMMAND [ARGUMENT…]
import { spawn } from 'node:child_process';
import { percentiles } from './percentiles.mjs';

const [open, seconds] = process.argv.slice(2, 4).map(Number);
const [command, ...args] = process.argv.slice(4);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const answered = new Map();
let lastId = 0;
let held = '';

child.on('exit', (code) => {
  process.stderr.write(`it ended with ${code}\n`);
  process.exit(1);
});
child.stdout.setEncoding('utf8').on('data', (text) => {
  const lines = (held + text).split('\n');
  held = lines.pop();
  for (const line of lines) answered.get(/"id":(\d+)/.exec(line)?.[1])?.();
});

const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function ask(method, params) {
  const id = ++lastId;
  return new Promise((resolve) => {
    answered.set(String(id), () => {
      answered.delete(String(id));
      resolve();
    });
    send({ id, method, params });
  });
}

const clientInfo = { name: 'bench', version: '1.0.0' };
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
send({ method: 'notifications/initialized' });

const times = [];
const text = 'x'.repeat(100);
/** Nothing is measured before everything has been used for a while. */
const warm = performance.now() + 1000 + seconds * 200;
const over = warm + seconds * 1000;

async function worker() {
  for (let sent = performance.now(); sent < over; sent = performance.now()) {
    await ask('tools/call', { name: 'echo', arguments: { text } });
    const now = performance.now();
    if (now >= warm && now < over) times.push(now - sent);
  }
}

await Promise.all(Array.from({ length: open }, worker));
process.stdout.write(`${JSON.stringify({ ...percentiles(times), perSecond: times.length / seconds })}\n`);
child.removeAllListeners('exit').kill();
process.exit();
