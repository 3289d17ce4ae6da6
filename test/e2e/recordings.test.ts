import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { seededBytes } from '../servers/seeded-bytes.mjs';
import { type Host, server, shell, test, type Started, wireproof } from './support/host.ts';
import { until } from './support/until.ts';

const hello =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example-host","version":"1.0.0"}}}\n';
const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';

interface Ran {
  code: number | null;
  out: Buffer;
  said: string;
}

async function run(host: Host, ...words: string[]): Promise<Ran> {
  const started = host.start([process.execPath, wireproof, ...words]);
  const { code } = await started.ended;
  return { code, out: started.stdout.bytes, said: started.stderr.text };
}

/** Records what a shell script says, and what is said to it. */
async function record(host: Host, script: string, { input = '', words = [] as string[] } = {}): Promise<string> {
  const tap = host.tap(shell(script), { words });
  tap.send(input);
  tap.endInput();
  await tap.ended;
  return host.recordings().at(-1) as string;
}

/** A recording that goes on until it is killed or its input ends. */
async function begin(host: Host, words: string[] = []): Promise<{ tap: Started; path: string }> {
  const before = host.recordings();
  const tap = host.tap(server('behaves.mjs'), { words });
  tap.send(hello);
  const path = await until('it is recorded', () => {
    const made = host.recordings().find((one) => !before.includes(one));
    return made !== undefined && readFileSync(made, 'utf8').includes('serverInfo') && made;
  });
  return { tap, path };
}

const idOf = (path: string): string => basename(path, '.jsonl');

describe('ls', () => {
  test('says in one line how a first recording is made', async ({ host }) => {
    const { code, out, said } = await run(host, 'ls');
    expect({ code, said }).toEqual({ code: 0, said: '' });
    expect(out.toString()).toMatch(
      /^No recordings yet in .*traces\. Make one with ".*wireproof.* tap -- COMMAND".*\n$/,
    );
    expect(JSON.parse((await run(host, 'ls', '--json')).out.toString())).toEqual({
      folder: join(host.home, 'traces'),
      recordings: [],
    });
  });

  test('lists what there is, newest first, each with an id that can be pasted', async ({ host }) => {
    const finished = await record(host, 'cat', { input: hello + list, words: ['--label', 'first\u001b[31m'] });
    const { tap, path: running } = await begin(host);
    const { path: cutOff, tap: killed } = await begin(host, ['--label', 'cut']);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await host.tap(['no-such-program']).ended;
    writeFileSync(join(host.home, 'traces', '01KB00000000000000000000ZZ.jsonl'), 'rubbish\n');

    const { code, out, said } = await run(host, 'ls');
    expect({ code, said }).toEqual({ code: 0, said: '' });
    const [head, ...rows] = out.toString().split('\n').slice(0, -1);
    expect(head?.split(/ +/)).toEqual(['id', 'started', 'length', 'label', 'server', 'msgs', 'errs', 'size', 'state']);
    expect(rows.map((row) => row.split(/ {2,}/).at(-1))).toEqual([
      'finished',
      'cut off',
      'running',
      'finished',
      'unreadable',
    ]);
    expect(rows[0]).toContain('not started: no-such-program');
    expect(rows[1]).toMatch(/ cut {2,}test-server 1\.0\.0 {2,}2 /);
    expect(rows[3]).toMatch(/ first\\e\[31m {2,}sh -c cat sh {2,}4 /);
    expect(rows[4]).toContain('This is not a wireproof trace');

    const ids = rows.map((row) => row.split(' ')[0] as string);
    for (const [index, path] of [cutOff, running, finished].entries()) {
      expect(idOf(path).startsWith(ids[index + 1] as string)).toBe(true);
      expect(JSON.parse((await run(host, 'verify', '--json', ids[index + 1] as string)).out.toString()).path).toBe(
        path,
      );
    }

    const { recordings } = JSON.parse((await run(host, 'ls', '--json')).out.toString());
    expect(recordings.map(({ state }: { state: string }) => state)).toEqual([
      'finished',
      'cut off',
      'running',
      'finished',
      'unreadable',
    ]);
    expect(recordings[3]).toMatchObject({
      id: idOf(finished),
      path: finished,
      size: statSync(finished).size,
      label: 'first\u001b[31m',
      command: ['sh', '-c', 'cat', 'sh'],
      messages: 4,
      errors: 0,
      closed: { exit: 0 },
    });
    tap.endInput();
    await tap.ended;
  });

  test('long texts are bounded where there is no terminal to fit into', async ({ host }) => {
    await record(host, 'cat', { words: ['--label', 'l'.repeat(3000)] });
    const shown = await run(host, 'ls');
    expect(shown.out.toString()).toMatch(/ l{59}~ /);
    expect(
      Math.max(
        ...shown.out
          .toString()
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThan(200);
    expect((await run(host, 'ls', '--json')).out.toString()).toContain('l'.repeat(3000));
  });

  test('a reader who leaves is no trouble', async ({ host }) => {
    await record(host, 'cat');
    const piped = host.start(shell(`"${process.execPath}" "${wireproof}" ls | true; echo "\${PIPESTATUS:-}"`));
    await piped.ended;
    expect(piped.stderr.text).toBe('');
  });
});

describe('bytes', () => {
  test('gives back each stream exactly', async ({ host }) => {
    const length = 300_000;
    const tap = host.tap(server('pumps-bytes.mjs', String(length), host.path('digest')));
    const input = Buffer.from(seededBytes(3, length));
    await tap.sendAll(input);
    tap.endInput();
    await tap.ended;
    for (const [from, seed] of [
      ['client', 3],
      ['server', 1],
      ['stderr', 2],
    ] as const) {
      const { code, out, said } = await run(host, 'bytes', '--from', from);
      expect({ code, said }).toEqual({ code: 0, said: '' });
      expect(out.equals(seededBytes(seed, length))).toBe(true);
    }
    const { code, out } = await run(host, 'bytes', '--from', 'client', '-o', host.path('out'));
    expect([code, out.length]).toEqual([0, 0]);
    expect(readFileSync(host.path('out')).equals(input)).toBe(true);
    const early = host.start(shell(`"${process.execPath}" "${wireproof}" bytes --from client -o - | head -c 5`));
    await early.ended;
    expect(early.stdout.bytes.equals(input.subarray(0, 5))).toBe(true);
    expect(early.stderr.text).toBe('');
  });

  test('of a recording that was cut off gives what there is, and says so', async ({ host }) => {
    const { tap, path } = await begin(host);
    tap.send('{"jsonrpc":"2.0"');
    await until('the beginning of the line is recorded', () => host.recorded('"held":0'));
    const running = await run(host, 'bytes', '--from', 'client');
    expect(running.out.toString()).toBe(`${hello}{"jsonrpc":"2.0"`);
    expect([running.code, running.said]).toEqual([
      0,
      'wireproof: the recording still goes on: these are the bytes so far\n',
    ]);
    tap.child.kill('SIGKILL');
    await tap.ended;
    const cut = await run(host, 'bytes', path, '--from', 'client');
    expect(cut.out.toString()).toBe(`${hello}{"jsonrpc":"2.0"`);
    expect(cut.code).toBe(1);
    expect(cut.said).toMatch(
      /^wireproof: these are not all.*\nwireproof: {3}the recording breaks off after record \d+\n$/,
    );
    expect((await run(host, 'bytes', path, '--from', 'client', '--quiet')).said).toBe('');
  });

  test('of a recording that was damaged gives the rest, and says so', async ({ host }) => {
    const path = await record(host, 'echo one; echo two; echo three; echo four >&2');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/.*"two".*\n/, 'rubbish\n'));
    const { code, out, said } = await run(host, 'bytes', '--from', 'server');
    expect([code, out.toString()]).toEqual([1, 'one\nthree\n']);
    expect(said).toMatch(/^wireproof: {3}line \d+ \(8 bytes\) is no record$/m);
    expect(said).toContain('server: 14 bytes had passed');
    expect(said).not.toContain('stderr');
  });

  test('refuses what it cannot do', async ({ host }) => {
    const path = await record(host, 'cat', { input: hello });
    const before = readFileSync(path);
    const cases: [string[], string][] = [
      [['bytes'], '--from'],
      [['bytes', '--from', 'nobody'], 'client, server, stderr'],
      [['bytes', '--from', 'client', '-o', path], 'is the recording itself'],
      [['bytes', '--from', 'client', '-o', host.path('no/such/folder')], 'Could not write the bytes'],
      [['bytes', 'no-such-recording', '--from', 'client'], 'wireproof ls'],
      [['bytes', wireproof, '--from', 'client'], 'This is not a wireproof trace'],
    ];
    for (const [words, message] of cases) {
      const { code, out, said } = await run(host, ...words);
      expect([code, out.length]).toEqual([2, 0]);
      expect(said).toMatch(/^wireproof: /);
      expect(said).toContain(message);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('verify', () => {
  test('proves a whole recording', async ({ host }) => {
    const path = await record(host, 'cat; echo bye >&2', { input: hello + list, words: ['--label', 'whole'] });
    const { code, out, said } = await run(host, 'verify');
    expect({ code, said }).toEqual({ code: 0, said: '' });
    const length = String((hello + list).length);
    expect(
      out
        .toString()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      [idOf(path), 'whole'],
      [path],
      [''],
      ['stream', 'bytes', 'proven'],
      ['client', length, length, 'complete'],
      ['server', length, length, 'complete'],
      ['stderr', '4', '4', 'complete'],
      [''],
      [expect.stringMatching(/^Complete: \d+ records, and every byte is as it passed\.$/)],
      [''],
    ]);
    const json = JSON.parse((await run(host, 'verify', '--json')).out.toString());
    expect(json).toMatchObject({ id: idOf(path), path, state: 'complete', closed: { exit: 0 }, gaps: [], moreGaps: 0 });
    expect(await run(host, 'verify', '--quiet')).toEqual({ code: 0, out: Buffer.alloc(0), said: '' });
    const piped = host.start(shell(`head -n 5 "${path}" | "${process.execPath}" "${wireproof}" verify /dev/stdin`));
    expect((await piped.ended).code).toBe(1);
    expect(piped.stdout.text).toContain('Cut off after record 4');
  });

  test('names the place where something was changed', async ({ host }) => {
    const path = await record(host, 'cat', { input: hello + list });
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, original.replace('example-host', 'exomple-host'));
    const { code, out } = await run(host, 'verify');
    expect(code).toBe(1);
    expect(out.toString()).toMatch(/client +2\d\d +0 +differs from what passed/);
    expect(out.toString()).toMatch(
      // What sums that were taken before anything passed prove is told where there are such.
      /Not complete\.\n(?:Everything up to record \d+ is proven\.\n)? {2}client: bytes 1 to \d+, before record \d+, are not those that passed\n/,
    );
    writeFileSync(path, original.replace(/.*tools\/list.*\n/, ''));
    const { gaps } = JSON.parse((await run(host, 'verify', '--json')).out.toString());
    expect(gaps.map(({ kind }: { kind: string }) => kind)).toEqual(['record-missing', 'missing']);
  });

  test('tells a recording that goes on from one that was cut off, and names its torn line', async ({ host }) => {
    const { tap, path } = await begin(host);
    const running = await run(host, 'verify');
    expect(running.code).toBe(0);
    expect(running.out.toString()).toMatch(
      /Complete so far: the recording still goes on \(wireproof \S+, pid \d+\)\.\n/,
    );
    await until('sums are recorded', () => host.recorded('"sums"'));
    tap.child.kill('SIGKILL');
    await tap.ended;
    const whole = readFileSync(path);
    const cut = await run(host, 'verify');
    expect(cut.code).toBe(1);
    expect(cut.out.toString()).toMatch(/Cut off after record \d+: .*\nEverything up to record \d+ is proven\.\n/);
    writeFileSync(path, whole.subarray(0, -5));
    const torn = await run(host, 'verify');
    expect(torn.code).toBe(1);
    expect(torn.out.toString()).toMatch(/\n {2}line \d+ breaks off after \d+ bytes\n/);
    writeFileSync(path, whole.subarray(0, whole.indexOf('\n') + 1));
    const empty = await run(host, 'verify');
    expect(empty.code).toBe(1);
    expect(empty.out.toString()).toContain('Cut off before its first record');
  });

  test('a server that was never started left a complete recording of nothing', async ({ host }) => {
    await host.tap(['no-such-program']).ended;
    const { code, out } = await run(host, 'verify');
    expect(code).toBe(0);
    expect(out.toString()).toMatch(/\nThe server was never started: Could not start "no-such-program"/);
  });

  test('cannot read what is no trace', async ({ host }) => {
    const { code, out, said } = await run(host, 'verify', wireproof);
    expect([code, out.length]).toEqual([2, 0]);
    expect(said).toContain('This is not a wireproof trace');
    expect(await run(host, 'verify')).toMatchObject({
      code: 2,
      said: expect.stringContaining('There are no recordings yet') as unknown,
    });
  });
});

describe('prune', () => {
  test('deletes what is old and not running, and says so', async ({ host }) => {
    const finished = await record(host, 'cat', { words: ['--label', 'old one'] });
    const { tap, path: running } = await begin(host);
    const { tap: killed, path: cutOff } = await begin(host);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const none = await run(host, 'prune', '--older-than', '30d');
    expect([none.code, none.out.toString()]).toEqual([
      0,
      expect.stringMatching(/^Nothing in .* is older than 30d\.\n$/),
    ]);

    const dry = await run(host, 'prune', '--older-than', '1ms', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.out.toString()).toContain(`${idOf(finished)}  `);
    expect(dry.out.toString()).toMatch(/old one +\S+ k?B\n/);
    expect(dry.out.toString()).toMatch(
      /\n\nWould delete 2 recordings, \S+ kB\. Nothing is deleted yet\.\nKept: 1 recording that is older than 1ms and still running\.\n$/,
    );
    expect(host.recordings()).toEqual([finished, running, cutOff]);

    const { code, out } = await run(host, 'prune', '--older-than', '1ms', '--json');
    expect(code).toBe(0);
    const result = JSON.parse(out.toString());
    expect(result.pruned.map(({ path, state }: { path: string; state: string }) => [path, state])).toEqual([
      [finished, 'finished'],
      [cutOff, 'cut off'],
    ]);
    expect(result.running.map(({ path }: { path: string }) => path)).toEqual([running]);
    expect(host.recordings()).toEqual([running]);
    expect((await run(host, 'prune', '--older-than', '0s')).out.toString()).toMatch(
      /^Nothing to delete in .*\.\nKept: 1 recording that is older than 0s and still running\.\n$/,
    );
    tap.endInput();
    await tap.ended;
    expect((await run(host, 'prune', '--older-than', '1ms', '--quiet')).out.length).toBe(0);
    expect(host.recordings()).toEqual([]);
  });

  test.for([
    [[], 'wireproof prune --older-than 30d'],
    [['--older-than', 'soon'], '"soon" is no time. Write for example 12h, 30d or 4w.'],
    [['--older-than', '30'], '--older-than 30 what? A unit is missing. Write for example 12h, 30d or 4w.'],
    [['--older-than'], 'argument missing'],
  ] as const)('wants to know how old: %j', async ([words, message], { host }) => {
    const { code, out, said } = await run(host, 'prune', ...words);
    expect([code, out.length]).toEqual([2, 0]);
    expect(said).toContain(message);
  });
});

describe.runIf(process.platform === 'linux')('where stdout takes nothing', () => {
  test.for([
    ['show'],
    ['show', '1'],
    ['show', '--json'],
    ['ls'],
    ['ls', '--json'],
    ['verify'],
    ['prune', '--older-than', '4w'],
    ['demo'],
    ['demo', '--json'],
    ['bytes', '--from', 'client'],
    ['show', '--help'],
    ['--version'],
  ])('%j says so', async (words, { host }) => {
    await record(host, 'cat', { input: hello });
    const full = host.start(shell('exec "$@" > /dev/full', process.execPath, wireproof, ...words));
    expect((await full.ended).code).toBe(2);
    expect(full.stderr.text).toMatch(/^wireproof: Could not write .*ENOSPC.*\n$/);
  });
});
