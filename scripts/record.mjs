// npm run record: makes the traces in test/traces anew: the same servers, to whom the same is said at the same moments.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const traces = join(root, 'test/traces');
const wireproof = join(root, 'dist/wireproof.cjs');

/** What the client said in a trace, and when it stopped. */
function clientOf(records) {
  const said = records
    .filter(({ from, held }) => from === 'client' && held === undefined)
    .map(({ at, eol = '\n', ...record }) => ({ at, bytes: Buffer.concat([bodyOf(record), Buffer.from(eol)]) }));
  const end = records.find(({ ended }) => ended === 'client')?.at ?? records.at(-1).at;
  return { said, end };
}

function bodyOf({ line, text, b64 }) {
  if (text !== undefined) return Buffer.from(text);
  return b64 === undefined ? Buffer.from(line) : Buffer.from(b64, 'base64');
}

/** A record, and of a message its exact text. */
function read(line) {
  const record = JSON.parse(line);
  return 'msg' in record ? { ...record, line: line.slice(line.indexOf(',"msg":') + 7, -1) } : record;
}

async function record(name, folder) {
  const [first, ...lines] = readFileSync(join(traces, name), 'utf8').trim().split('\n');
  const { command, label } = JSON.parse(first);
  const { said, end } = clientOf(lines.map(read));
  const file = join(folder, name);
  const words = [wireproof, 'tap', '--trace', file, '--label', label, '--', ...command];
  const env = { PATH: process.env.PATH };
  const tap = spawn(process.execPath, words, { cwd: folder, env, stdio: ['pipe', 'ignore', 'ignore'] });
  const over = new Promise((resolve) => tap.once('exit', resolve));
  tap.stdin.on('error', () => undefined);
  const start = performance.now();
  for (const { at, bytes } of said) {
    await pause(Math.max(0, at - (performance.now() - start)));
    tap.stdin.write(bytes);
  }
  await pause(Math.max(0, end - (performance.now() - start)));
  tap.stdin.end();
  await over;
  renameSync(file, join(traces, name));
}

const parent = mkdtempSync(join(tmpdir(), 'record-'));
const folder = join(parent, 'wireproof');
mkdirSync(folder);
cpSync(join(root, 'test/servers'), join(folder, 'test/servers'), { recursive: true });
try {
  for (const name of readdirSync(traces).filter((found) => found.endsWith('.jsonl'))) await record(name, folder);
} finally {
  rmSync(parent, { recursive: true });
}
