import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wireproof-demo-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function demo(words: readonly string[], { from = root, env = {} }: { from?: string; env?: NodeJS.ProcessEnv } = {}) {
  const program = join(from, 'dist', 'wireproof.cjs');
  return spawnSync(process.execPath, [program, 'demo', ...words], {
    encoding: 'utf8',
    cwd: root,
    env: { ...process.env, WIREPROOF_HOME: home, NO_COLOR: '1', FORCE_COLOR: '1', ...env },
  });
}

test.each([
  ['legacy', '2025-11-25', ['initialize', 'notifications/initialized']],
  ['modern', '2026-07-28', ['server/discover']],
])('the %s era: one complete exchange, told as data', (era, revision, opening) => {
  const { status, stdout, stderr } = demo(['--era', era, '--json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ era, revision, ok: true, isComplete: true, problems: [] });
  expect(result.outcomes.map(({ got }: { got: string }) => got)).toEqual([
    '3',
    '0',
    expect.stringMatching(/^isError: .*text/),
  ]);
  const methods = (step: string) =>
    result.steps[step].flatMap(({ method }: { method?: string }) => (method === undefined ? [] : [method]));
  expect(methods('Initialize')).toEqual(opening);
  expect(methods('Discover')).toEqual(['tools/list']);
  expect(methods('Call')).toEqual(['tools/call', 'tools/call', 'tools/call']);
  for (const { took } of Object.values(result.steps).flat() as { took?: number }[]) {
    if (took !== undefined) expect(String(took)).toMatch(/^\d+(?:\.\d{1,3})?$/);
  }
  expect(result.hostPid).not.toBe(result.serverPid);
});

test('the messages it tells are the lines of the recording', () => {
  const { id, steps } = JSON.parse(demo(['--json']).stdout);
  const recorded = readFileSync(join(home, 'traces', `${id}.jsonl`), 'utf8').split('\n');
  const told = Object.values(steps).flat() as { n: number; text: string }[];
  expect(told.length).toBe(11);
  for (const { n, text } of told) expect(recorded[n]).toContain(`"msg":${text}}`);
});

test('for people: the roles, the four steps, the outcomes, the trust boundary, what to type next', () => {
  const { status, stdout } = demo([]);
  expect(status).toBe(0);
  for (const word of [
    'host',
    'client',
    'server',
    '1 Initialize',
    '2 Discover',
    '3 Call',
    '4 Inspect',
    'trust boundary',
    'node dist/wireproof.cjs show ',
    'node dist/wireproof.cjs tap -- node your-server.js',
  ]) {
    expect(stdout).toContain(word);
  }
});

test('a server that answers wrongly makes it exit 1 and say what was wrong', () => {
  for (const part of ['dist', 'examples', 'package.json'])
    cpSync(join(root, part), join(home, 'copy', part), { recursive: true });
  const example = join(home, 'copy', 'examples', 'one-exchange.mjs');
  writeFileSync(example, readFileSync(example, 'utf8').replace('?.length ?? 0', '?.length ?? 7'));
  const { status, stdout } = demo([], { from: join(home, 'copy') });
  expect(status).toBe(1);
  expect(stdout).toMatch(/expected 0, got 7/);
  expect(stdout).toMatch(/an empty text was not counted as 0/);
});

test('a place where nothing can be recorded is said, and what to try', () => {
  const { status, stderr } = demo([], { env: { WIREPROOF_HOME: join(home, 'file', 'below') } });
  expect(status).toBe(0);
  writeFileSync(join(home, 'plain'), '');
  const refused = demo([], { env: { WIREPROOF_HOME: join(home, 'plain') } });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/^wireproof: .*(writable|folder)/m);
  expect(stderr).toBe('');
});

test('an era that does not exist is refused', () => {
  const { status, stderr } = demo(['--era', 'ancient']);
  expect(status).toBe(2);
  expect(stderr).toBe('wireproof: --era "ancient" is not known. Write --era legacy or --era modern.\n');
});
