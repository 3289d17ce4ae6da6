import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withLock } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'wireproof-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const times = { longestHeld: 60_000, patience: 100 };
const held = (pid: number) => JSON.stringify({ pid, host: hostname(), started: new Date().toISOString() });

test('only one does it at a time, and the lock goes with the last', async () => {
  const file = join(folder, 'a');
  let inside = 0;
  const seen: number[] = [];
  const one = () =>
    withLock(file, async () => {
      seen.push(++inside);
      await new Promise(setImmediate);
      inside--;
    });
  await Promise.all(Array.from({ length: 12 }, one));
  expect(seen).toEqual(Array.from({ length: 12 }, () => 1));
  expect(existsSync(file)).toBe(false);
});

test('it goes when the work fails, too', async () => {
  const file = join(folder, 'b');
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('one that a living process holds is not taken', async () => {
  const file = join(folder, 'c');
  const content = held(process.pid);
  writeFileSync(file, content);
  await expect(withLock(file, () => Promise.resolve(), times)).rejects.toThrow(/Another wireproof holds/);
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('one of a process that has ended is taken', async () => {
  const file = join(folder, 'd');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(file, held(pid));
  await expect(withLock(file, () => Promise.resolve(7), times)).resolves.toBe(7);
});

test.each([
  ['that is too old', held(process.pid)],
  ['that nobody has written into', ''],
])('one %s is taken', async (_, content) => {
  const file = join(folder, 'e');
  writeFileSync(file, content);
  utimesSync(file, new Date(0), new Date(0));
  await expect(withLock(file, () => Promise.resolve(7), times)).resolves.toBe(7);
});
