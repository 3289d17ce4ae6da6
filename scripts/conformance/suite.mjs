// The official conformance suite, as npm brings it, with the Node.js it needs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const folder = join(root, 'node_modules', '.cache', 'conformance');
export const node = join(folder, 'node_modules', 'node', 'bin', 'node');
export const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
export const wireproof = join(root, 'dist', 'wireproof.cjs');
const brought = {
  private: true,
  dependencies: { '@modelcontextprotocol/conformance': '0.2.0-alpha.12', node: '22.23.3' },
  allowScripts: { node: true },
};

/** Brings the suite where it is not there yet, and builds wireproof. */
export function prepare() {
  bring();
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) stop('wireproof could not be built');
}

function bring() {
  const wanted = `${JSON.stringify(brought, null, 2)}\n`;
  const manifest = join(folder, 'package.json');
  if (existsSync(node) && existsSync(suite) && existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted)
    return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, wanted);
  const words = ['install', '--no-audit', '--no-fund', '--engine-strict=false'];
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) stop('npm could not bring the suite and Node.js 22');
}

export function stop(why) {
  process.stderr.write(`conformance: ${why}\n`);
  process.exit(2);
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(2));

/** Starts a program; `said` is what it has written to stderr, `ended` gives its exit code. */
export function start(program, words, env = {}) {
  const child = spawn(program, words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const it = { child, said: '', printed: '', isOver: false };
  child.stderr.on('data', (chunk) => (it.said += chunk));
  child.stdout.on('data', (chunk) => (it.printed += chunk));
  it.ended = new Promise((resolve) => {
    child.on('close', (code) => {
      it.isOver = true;
      running.delete(child);
      resolve(code);
    });
  });
  return it;
}
