// Runs a client and a server with something between them, over FIFOs: blocking pipes, as a shell makes them.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { peakMemory } from './figures.mjs';

const peers = path.join(path.dirname(fileURLToPath(import.meta.url)), 'peers');
export const peer = (name) => path.join(peers, `${name}.mjs`);

const ended = (child) => new Promise((resolve) => child.once('exit', resolve));

/** Opens both ends of a new FIFO at once: opened alone, each would wait for the other. */
function openFifo(file) {
  execFileSync('mkfifo', [file]);
  const both = fs.openSync(file, 'r+');
  const ends = { read: fs.openSync(file, 'r'), write: fs.openSync(file, 'w') };
  fs.closeSync(both);
  return ends;
}

/**
 * @param {string[]} command What stands between, with the server's command in it.
 * @param {string[]} clientArguments What the client does.
 * @returns what the client measured, and the peak memory of the first process of the command
 */
export async function between(command, clientArguments, folder, env = process.env) {
  const run = fs.mkdtempSync(path.join(folder, 'run-'));
  const up = openFifo(path.join(run, 'up'));
  const down = openFifo(path.join(run, 'down'));
  const middle = spawn(command[0], command.slice(1), { stdio: [up.read, down.write, 'inherit'], detached: true, env });
  const client = spawn(process.execPath, [peer('client'), ...clientArguments.map(String)], {
    stdio: [down.read, up.write, 'inherit', 'pipe'],
  });
  for (const end of [up.read, up.write, down.read, down.write]) fs.closeSync(end);
  let figures = '';
  client.stdio[3].on('data', (chunk) => (figures += chunk));
  const middleEnded = ended(middle);
  const sampler = setInterval(() => (memory = peakMemory(middle.pid) ?? memory), 100);
  let memory = peakMemory(middle.pid);
  client.once('exit', () => (memory = peakMemory(middle.pid) ?? memory));
  await Promise.all([ended(client), new Promise((resolve) => client.stdio[3].once('close', resolve))]);
  await Promise.race([middleEnded, new Promise((resolve) => setTimeout(resolve, 20_000).unref())]);
  clearInterval(sampler);
  try {
    process.kill(-middle.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
  fs.rmSync(run, { recursive: true });
  if (figures === '') throw new Error(`no figures through: ${command.join(' ')}`);
  return { ...JSON.parse(figures), memory };
}

/** Milliseconds from the start of a command to the first bytes it answers to `initialize`; to its end for `node -e 0`. */
export async function timeToAnswer(command, env = process.env) {
  const start = performance.now();
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], env });
  const over = ended(child);
  const answered = new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdin.on('error', () => {});
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
  await Promise.race([answered, over]);
  const took = performance.now() - start;
  child.stdin.end();
  await over;
  return took;
}
