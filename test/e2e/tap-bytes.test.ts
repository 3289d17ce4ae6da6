import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { seededBytes } from '../servers/seeded-bytes.mjs';
import { type Host, server, shell, test, type Started, wireproof } from './support/host.ts';
import { argumentsOf, bytesWritten } from './support/marked.ts';
import { digest } from './support/read-trace.ts';
import { pause, until } from './support/until.ts';

const concat = (...parts: (string | Uint8Array | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))));
const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

const without = (bytes: Uint8Array, unwanted: number): Uint8Array =>
  bytes.map((byte) => (byte === unwanted ? 0 : byte));

const streams: { name: string; bytes: Buffer }[] = [
  { name: 'nothing', bytes: Buffer.alloc(0) },
  { name: 'random bytes', bytes: concat(seededBytes(7, 1_500_000)) },
  {
    name: 'random bytes, every fourth a newline',
    bytes: concat(seededBytes(8, 300_000).map((byte, at) => (at % 4 ? byte : 10))),
  },
  { name: 'nothing but newlines', bytes: Buffer.alloc(50_000, 10) },
  { name: 'nothing but NUL', bytes: Buffer.alloc(300_000) },
  {
    name: 'messages of all sizes',
    bytes: concat(
      times(600, (index) => `{"jsonrpc":"2.0","method":"n","params":{"text":"${'é'.repeat(index * 5)}"}}\n`),
    ),
  },
  {
    name: 'lines that end in all ways',
    bytes: concat(times(3000, (index) => `{"n":${index}}${['\n', '\r\n', '\r', '\n\r', '\r\r\n'][index % 5]}`)),
  },
  { name: 'a last line without an end', bytes: concat('{"a":1}\n{"b":2}') },
  { name: 'a last line that ends in a carriage return', bytes: concat('{"a":1}\n{"b":2}\r') },
  { name: 'byte order marks', bytes: concat('\ufeff{"a":1}\n\ufeff\n', [0xff, 0xfe, 10], '{"b":"\ufeff"}\n') },
  {
    name: 'broken UTF-8',
    bytes: concat(
      [0xc3, 10, 0xe2, 0x82, 10, 0xed, 0xa0, 0x80, 10],
      '{"ok":"',
      [0xc0, 0x80],
      '"}\n',
      [0xf0, 0x9f, 0x8e],
    ),
  },
  {
    name: 'a message of 9 MiB',
    bytes: concat('{"jsonrpc":"2.0","method":"n","params":"\\"é', 'y'.repeat(9 << 20), '"}\n'),
  },
  { name: 'a line of 9 MiB that is no message and has no end', bytes: concat(without(seededBytes(9, 9 << 20), 10)) },
];

describe.concurrent('every byte passes both ways, in order, and the trace gives it back', () => {
  test.for(streams)('$name', async ({ bytes }, { host }) => {
    const tap = host.tap(['cat']);
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 5 + 1) % 100_003) {
      await tap.sendAll(bytes.subarray(at, at + size));
    }
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(digest(tap.stdout.bytes)).toBe(digest(bytes));
    expect(tap.stderr.text).toBe('');
    const trace = host.trace();
    expect(digest(trace.bytes('client'))).toBe(digest(bytes));
    expect(digest(trace.bytes('server'))).toBe(digest(bytes));
    expect(trace.verification.gaps).toEqual([]);
  });

  test('all three streams at once, megabytes each', async ({ host }) => {
    const length = 4_000_000;
    const tap = host.tap(server('pumps-bytes.mjs', String(length), host.path('digest')));
    const sent = seededBytes(3, length);
    tap.send(sent);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(host.path('digest'), 'utf8')).toBe(digest(sent));
    expect(digest(tap.stdout.bytes)).toBe(digest(seededBytes(1, length)));
    expect(digest(tap.stderr.bytes)).toBe(digest(seededBytes(2, length)));
    const trace = host.trace();
    expect(digest(trace.bytes('client'))).toBe(digest(sent));
    expect(digest(trace.bytes('server'))).toBe(digest(tap.stdout.bytes));
    expect(digest(trace.bytes('stderr'))).toBe(digest(tap.stderr.bytes));
    expect(trace.verification.gaps).toEqual([]);
  });
});

describe.concurrent('whatever our own streams are', () => {
  const bytes = Buffer.from(seededBytes(4, 700_000));
  const kinds = [
    { name: 'pipes', line: 'cat in | "$@" | cat > out' },
    { name: 'files', line: '"$@" < in > out' },
    { name: 'a pipe that stderr shares', line: 'cat in | "$@" 2>&1 | cat > out' },
    { name: 'a file that is appended to', line: ': > out; cat in | "$@" >> out' },
  ];

  test.for(kinds)('$name', async ({ line }, { host }) => {
    writeFileSync(host.path('in'), bytes);
    const run = host.start(shell(line, process.execPath, wireproof, 'tap', '--', 'cat'));
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(digest(readFileSync(host.path('out')))).toBe(digest(bytes));
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('no input at all', async ({ host }) => {
    const run = host.tap(shell('cat; echo done'), { stdio: ['ignore', 'pipe', 'pipe'] });
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout.text).toBe('done\n');
  });

  test('streams that were closed before', async ({ host }) => {
    const run = host.start(
      shell('exec "$@" <&- >&-', process.execPath, wireproof, 'tap', '--', ...shell('cat; echo out; echo err >&2')),
    );
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr.text).toBe('err\n');
    expect(host.trace().bytes('server').toString()).toBe('out\n');
  });
});

describe.concurrent('the end of one stream is passed on alone', () => {
  test('the server closes its output and lives', async ({ host }) => {
    const tap = host.tap(shell('echo hello; exec 1>&-; cat > heard'));
    await until('the host sees the end', () => tap.stdout.hasEnded);
    expect(tap.isRunning).toBe(true);
    await tap.sendAll('later\n');
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('hello\n');
    expect(readFileSync(host.path('heard'), 'utf8')).toBe('later\n');
  });

  test('the host closes its output and still reads', async ({ host }) => {
    const tap = host.tap(shell('cat; echo ended; read never; echo really'));
    tap.send('a\n');
    tap.endInput();
    await tap.ended;
    expect(tap.stdout.text).toBe('a\nended\nreally\n');
  });

  test('the server closes its input and lives: the host finds its pipe broken', async ({ host }) => {
    const tap = host.tap(shell('exec 0<&-; echo deaf; until [ -e enough ]; do sleep 0.1; done; echo done'), {
      words: ['--grace', '100ms'],
    });
    await tap.line('deaf');
    await until('the pipe is broken', () => {
      tap.send('anybody there?\n');
      return tap.child.stdin?.errored?.message.includes('EPIPE');
    });
    await pause(300); // three times the grace: it has not been told to end
    writeFileSync(host.path('enough'), '');
    expect(await tap.ended).toEqual({ code: 0, signal: null });
    expect(tap.stdout.text).toBe('deaf\ndone\n');
    expect(host.trace().notes()).toEqual(['input-refused']);
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('the host closes stderr and nothing else', async ({ host }) => {
    const tap = host.tap(shell('while read line; do echo "$line"; echo "about $line" >&2; done'));
    tap.child.stderr?.destroy();
    for (const word of ['one', 'two', 'three']) {
      tap.send(`${word}\n`);
      await tap.line(word);
    }
    tap.endInput();
    expect(await tap.exited).toEqual({ code: 0, signal: null });
    expect(host.trace().bytes('stderr').toString()).toBe('about one\nabout two\nabout three\n');
  });
});

describe.concurrent('who does not read holds up the writer, and nobody else', () => {
  /** How much a process has written when it no longer gets any further. */
  async function whenStalled(host: Host, program: string): Promise<{ pid: number; bytes: number }> {
    const pid = await until(`${program} runs`, () => host.left().find((one) => argumentsOf(one)[0] === program));
    let before = -1;
    const bytes = await until(`${program} is stalled`, async () => {
      const now = bytesWritten(pid);
      if (now > 0 && now === before) return now;
      before = now;
      await pause(250);
      return undefined;
    });
    return { pid, bytes };
  }

  const few = 4_000_000;

  async function echoes(tap: Started, from: 'stdout' | 'stderr'): Promise<void> {
    for (const word of ['one', 'two', 'three']) {
      tap.send(`${word}\n`);
      await tap.line(word, from);
    }
  }

  test('a host that does not read stdout', async ({ host }) => {
    const tap = host.tap(shell('yes & cat >&2; kill $!'), { stalls: ['stdout'] });
    const { pid, bytes } = await whenStalled(host, 'yes');
    expect(bytes).toBeLessThan(few);
    await echoes(tap, 'stderr');
    tap.read('stdout');
    await until('the server goes on', () => bytesWritten(pid) > bytes + few);
    tap.endInput();
    expect(await tap.exited).toMatchObject({ signal: null });
  });

  test('a host that does not read stderr', async ({ host }) => {
    const tap = host.tap(shell('yes >&2 & cat; kill $!'), { stalls: ['stderr'] });
    const { pid, bytes } = await whenStalled(host, 'yes');
    expect(bytes).toBeLessThan(few);
    await echoes(tap, 'stdout');
    tap.read('stderr');
    await until('the server goes on', () => bytesWritten(pid) > bytes + few);
    tap.endInput();
    expect(await tap.exited).toMatchObject({ signal: null });
  });

  test('a server that does not read', async ({ host }) => {
    const tap = host.tap(shell('until [ -e go ]; do sleep 0.1; done; exec cat'));
    let taken = 0;
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (let at = 0; at < 256; at++) tap.child.stdin?.write(piece, () => taken++);
    let before = -1;
    await until('the host is stalled', async () => {
      if (taken === before && taken > 0) return true;
      before = taken;
      await pause(250);
      return false;
    });
    expect(taken * piece.length).toBeLessThan(few);
    writeFileSync(host.path('go'), '');
    tap.endInput();
    await tap.ended;
    expect(tap.stdout.length).toBe(256 * piece.length);
  });
});
