import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type Host, server, shell, test, wireproof } from './support/host.ts';
import type { StdioHeader } from '../../src/core/trace/format.ts';
import { readTrace, type TraceRead } from './support/read-trace.ts';

const closedIn = (host: Host) =>
  host.trace().events.flatMap((event) => (event.kind === 'closed' ? [event.closed] : []));

function script(host: Host, name: string, text: string, mode = 0o755): string {
  writeFileSync(host.path(name), text);
  chmodSync(host.path(name), mode);
  return host.path(name);
}

describe.concurrent('a program that cannot be started is told in one line, and in the trace', () => {
  interface Case {
    name: string;
    command: (host: Host) => string[];
    words?: (host: Host) => string[];
    env?: Record<string, string>;
    says: (host: Host) => string[];
  }

  const cases: Case[] = [
    {
      name: 'not on PATH',
      command: () => ['no-such-program'],
      env: { PATH: '/nowhere:/neither' },
      says: () => ['"no-such-program"', '/nowhere:/neither'],
    },
    {
      name: 'PATH is empty',
      command: () => ['no-such-program'],
      env: { PATH: '' },
      says: () => ['PATH, which is empty'],
    },
    {
      name: 'a path with nothing there',
      command: () => ['./nothing'],
      says: (host) => [`${realpathSync(host.folder)}/nothing`],
    },
    {
      name: 'a path below a file',
      command: () => ['/etc/passwd/server'],
      says: () => ['there is no file /etc/passwd/server'],
    },
    { name: 'a folder', command: (host) => [host.folder], says: (host) => [`${host.folder} is a folder`] },
    {
      name: 'a file that is not executable',
      command: (host) => [script(host, 'server', '#!/bin/sh\n', 0o644)],
      says: () => ['is not executable', 'chmod +x'],
    },
    {
      name: 'an interpreter that is missing',
      command: (host) => [script(host, 'server', '#!/no/such/shell -e\n')],
      says: () => ['interpreter', '/no/such/shell'],
    },
    {
      name: 'a first line that ends as on Windows',
      command: (host) => [script(host, 'server', '#!/bin/sh\r\necho\r\n')],
      says: () => ['carriage return'],
    },
    { name: 'an empty command', command: () => [''], says: () => ['the command is empty'] },
    { name: 'a name that is too long', command: () => ['x'.repeat(5000)], says: () => ['PATH'] },
    {
      name: 'a working directory that is not there',
      command: () => ['cat'],
      words: () => ['--cwd', '/no/such/folder'],
      says: () => ['/no/such/folder does not exist'],
    },
    {
      name: 'a working directory that is a file',
      command: () => ['cat'],
      words: (host) => ['--cwd', script(host, 'file', '')],
      says: () => ['is no folder'],
    },
  ];

  test.for(cases)('$name', async ({ command, words, env, says }, { host }) => {
    const tap = host.tap(command(host), { words: words?.(host) ?? [], env: env ?? {} });
    expect(await tap.ended).toEqual({ code: 2, signal: null });
    expect(tap.stdout.text).toBe('');
    expect(tap.stderr.lines).toHaveLength(1);
    for (const part of ['wireproof: Could not start', ...says(host)]) expect(tap.stderr.text).toContain(part);
    const [closed] = closedIn(host);
    expect(tap.stderr.text).toBe(`wireproof: ${closed?.error}\n`);
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('a script without a first line is one for sh, as everywhere', async ({ host }) => {
    const tap = host.tap([script(host, 'server', 'echo hello\n')]);
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('hello\n');
  });
});

describe.concurrent('words that make no sense', () => {
  const usages = [
    { words: ['--grace', 'soon'], says: '--grace "soon"' },
    { words: ['--grace', '-1s'], says: '--grace' },
    { words: ['--drain', '5 parsecs'], says: '--drain "5 parsecs"' },
    { words: ['--store-limit', 'lots'], says: '--store-limit "lots"' },
    { words: ['-e', 'NAME'], says: '-e "NAME"' },
    { words: ['-e', '=value'], says: '-e "=value"' },
    { words: ['--no-such-option'], says: '--no-such-option' },
  ];

  test.for(usages)('$words', async ({ words, says }, { host }) => {
    const tap = host.tap(shell('touch started'), { words });
    expect(await tap.ended).toEqual({ code: 2, signal: null });
    expect(tap.stdout.text).toBe('');
    expect(tap.stderr.text).toContain(says);
    for (const line of tap.stderr.lines) expect(line).toMatch(/^wireproof: /);
    expect(() => statSync(host.path('started'))).toThrow();
  });

  test('no command', async ({ host }) => {
    const run = host.start([process.execPath, wireproof, 'tap', '--']);
    expect(await run.ended).toEqual({ code: 2, signal: null });
    expect(run.stdout.text).toBe('');
  });
});

describe.concurrent('the server starts as it would without wireproof', () => {
  test('in the same environment, in the same order, and in the same folder', async ({ host }) => {
    const env = {
      EMPTY: '',
      SPACES: '  a b  ',
      LINES: 'a\nb',
      EQUALS: 'a=b=c',
      UNICODE: 'é🎉',
      'odd.name-x': '1',
      NODE_OPTIONS: '',
    };
    const print = shell('pwd; exec env -0');
    const [alone, tapped] = [host.start(print, { env }), host.tap(print, { env })];
    await Promise.all([alone.ended, tapped.ended]);
    expect(tapped.stdout.text.split('\0')).toEqual(alone.stdout.text.split('\0'));
  });

  test('with the same arguments', async ({ host }) => {
    const words = ['', ' ', '--', '-e', '--trace', 'a b', '"', "'", '$HOME', '*', '\\', 'é🎉', '\n'];
    const tap = host.tap(shell('printf "%s\\0" "$@"', ...words));
    await tap.ended;
    expect(tap.stdout.text.split('\0').slice(0, -1)).toEqual(words);
  });

  test('in a folder that has been deleted', async ({ host }) => {
    mkdirSync(host.path('gone'));
    const line = 'cd gone && rmdir ../gone && exec "$@"';
    const run = host.start(shell(line, process.execPath, wireproof, 'tap', '--', ...shell('echo here')));
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout.text).toBe('here\n');
  });

  test('with -e and --cwd where they are given', async ({ host }) => {
    mkdirSync(host.path('elsewhere'));
    const words = ['-e', 'ADDED=one=two', '-e', 'HOME=/changed', '--cwd', 'elsewhere'];
    const tap = host.tap(shell('pwd; echo "$ADDED"; echo "$HOME"'), { words });
    await tap.ended;
    expect(tap.stdout.lines).toEqual([`${realpathSync(host.folder)}/elsewhere`, 'one=two', '/changed']);
  });

  test('and the trace names its variables, never their values, and hides secret arguments', async ({ host }) => {
    const env = { SOME_TOKEN: 'value-that-is-secret' };
    const words = ['-e', 'OTHER=another-secret-value', '--label', 'named by me'];
    const tap = host.tap([...server('behaves.mjs'), '--api-key', 'third-secret-value', '--port', '8080'], {
      words,
      env,
    });
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stderr.text).toBe('');
    const { header, raw } = host.trace() as TraceRead & { header: StdioHeader };
    expect(header.label).toBe('named by me');
    expect(header.env).toEqual(expect.arrayContaining(['SOME_TOKEN', 'OTHER', 'PATH']));
    expect(header.command.slice(2)).toEqual(['--api-key', '<secret>', '--port', '8080']);
    expect(raw.includes('secret-value')).toBe(false);
    expect(raw.includes('value-that-is-secret')).toBe(false);
  });
});

describe.concurrent('--trace', () => {
  test('a file of that name, for nobody else to read', async ({ host }) => {
    const tap = host.tap(shell('echo hi'), { words: ['--trace', 'own.jsonl'] });
    await tap.ended;
    expect(tap.stderr.text).toBe('');
    expect(readTrace(host.path('own.jsonl')).bytes('server').toString()).toBe('hi\n');
    expect(statSync(host.path('own.jsonl')).mode & 0o777).toBe(0o600);
    expect(host.recordings()).toEqual([]);
  });

  test('an empty file is taken', async ({ host }) => {
    writeFileSync(host.path('own.jsonl'), '');
    const tap = host.tap(shell('echo hi'), { words: ['--trace', 'own.jsonl'] });
    await tap.ended;
    expect(tap.stderr.text).toBe('');
    expect(readTrace(host.path('own.jsonl')).bytes('server').toString()).toBe('hi\n');
  });

  test('a file that holds something is kept, and told', async ({ host }) => {
    writeFileSync(host.path('own.jsonl'), 'mine\n');
    writeFileSync(host.path('own-2.jsonl'), 'mine too\n');
    const tap = host.tap(shell('echo hi'), { words: ['--trace', 'own.jsonl'] });
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('hi\n');
    expect(tap.stderr.text).toBe('wireproof: own.jsonl exists and is kept; recording to own-3.jsonl\n');
    expect(readFileSync(host.path('own.jsonl'), 'utf8')).toBe('mine\n');
    expect(readTrace(host.path('own-3.jsonl')).verification.gaps).toEqual([]);
  });

  test('several at once with one name record to several files', async ({ host }) => {
    const taps = [1, 2, 3].map((number) => host.tap(shell(`cat; echo ${number}`), { words: ['--trace', 'own.jsonl'] }));
    for (const tap of taps) tap.endInput();
    for (const tap of taps) expect(await tap.ended).toEqual({ code: 0, signal: null });
    const traces = ['own.jsonl', 'own-2.jsonl', 'own-3.jsonl'].map((name) => readTrace(host.path(name)));
    expect(traces.map((trace) => trace.bytes('server').toString()).sort()).toEqual(['1\n', '2\n', '3\n']);
    for (const trace of traces) expect(trace.verification.gaps).toEqual([]);
  });

  test('what wireproof says stands on a line of its own', async ({ host }) => {
    writeFileSync(host.path('own.jsonl'), 'mine\n');
    const tap = host.tap(shell('printf "50%%" >&2; cat; echo " 100%" >&2'), { words: ['--trace', 'own.jsonl'] });
    await tap.line('recording to', 'stderr');
    tap.endInput();
    await tap.ended;
    const own = tap.stderr.lines.filter((line) => line.includes('wireproof'));
    expect(own).toEqual(['wireproof: own.jsonl exists and is kept; recording to own-2.jsonl']);
    expect(readTrace(host.path('own-2.jsonl')).bytes('stderr').toString()).toBe('50% 100%\n');
  });
});
