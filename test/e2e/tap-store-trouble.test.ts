import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type Host, shell, test, type Started } from './support/host.ts';
import { digest, readTrace, type TraceRead } from './support/read-trace.ts';
import { until } from './support/until.ts';

/** Gives its input back, and exits with 3. */
const echo = shell('cat; exit 3');
/** More than wireproof keeps in memory while the store takes nothing. */
const tooMuch = Buffer.alloc(24_000_000, `{"jsonrpc":"2.0","method":"n","params":{"text":"${'x'.repeat(1000)}"}}\n`);

const told = (tap: Started): string[] => tap.stderr.lines.filter((line) => line.startsWith('wireproof: '));
const gapKinds = (trace: TraceRead): Set<string> => new Set(trace.verification.gaps.map(({ kind }) => kind));

/** So many lines there and back, one after the other: the traffic does not wait for the store. */
async function pingPong(tap: Started, count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    const before = tap.stdout.length;
    const line = `{"jsonrpc":"2.0","method":"ping","params":${round}}\n`;
    tap.send(line);
    await until(`round ${round}`, () => tap.stdout.length >= before + line.length);
  }
}

async function thereAndBack(tap: Started, bytes: Uint8Array): Promise<void> {
  const before = tap.stdout.length;
  tap.send(bytes);
  await until('all is back', () => tap.stdout.length >= before + bytes.length);
}

describe.concurrent('a trace that cannot be written: the connection goes on, and the loss is told once', () => {
  const troubles = [
    { name: 'a full disk', path: () => '/dev/full', why: /ENOSPC/ },
    { name: 'a folder that cannot be made', path: () => '/proc/none/trace.jsonl', why: /ENOENT/ },
    {
      name: 'a file where a folder should be',
      path: (host: Host) => (writeFileSync(host.path('file'), 'x'), host.path('file/trace.jsonl')),
      why: /ENOTDIR|EEXIST/,
    },
    { name: 'a folder', path: (host: Host) => (mkdirSync(host.path('folder')), host.path('folder')), why: /EISDIR/ },
    { name: 'a FIFO that nobody reads', path: (host: Host) => fifo(host), why: /ENXIO/ },
  ];

  test.for(troubles)('$name', async ({ path, why }, { host }) => {
    const tap = host.tap(echo, { words: ['--trace', path(host)] });
    await pingPong(tap, 20);
    await thereAndBack(tap, tooMuch);
    await pingPong(tap, 20);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 3, signal: null });
    expect(told(tap)).toEqual([expect.stringMatching(why)]);
    expect(tap.stderr.lines).toHaveLength(1);
  });

  test('a store that has reached its limit', async ({ host }) => {
    const tap = host.tap(echo, { words: ['--store-limit', '1MB'] });
    await thereAndBack(tap, tooMuch);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 3, signal: null });
    expect(told(tap)).toEqual([expect.stringContaining('--store-limit')]);
    const trace = host.trace();
    expect(trace.verification.closed).toEqual({ exit: 3 });
    expect(gapKinds(trace)).toContain('lost');
    const { client, server } = trace.verification.streams;
    for (const { bytes, lost } of [client, server]) expect(bytes + lost).toBe(tooMuch.length);
  });
});

function fifo(host: Host, name = 'fifo'): string {
  execFileSync('mkfifo', [host.path(name)]);
  return host.path(name);
}

/** Reads a FIFO as far as something is there, without waiting. */
class FifoReader {
  private readonly descriptor: number;
  private readonly chunks: Buffer[] = [];

  constructor(path: string) {
    this.descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /** Says whether there was anything. */
  read(): boolean {
    const buffer = Buffer.alloc(1 << 20);
    try {
      const length = readSync(this.descriptor, buffer);
      this.chunks.push(buffer.subarray(0, length));
      return length > 0;
    } catch {
      return false;
    }
  }

  save(path: string): void {
    closeSync(this.descriptor);
    writeFileSync(path, Buffer.concat(this.chunks));
  }
}

describe.concurrent('a trace that is read from a FIFO', () => {
  test('as it comes, is whole', async ({ host }) => {
    const path = fifo(host);
    const reader = new FifoReader(path);
    const tap = host.tap(echo, { words: ['--trace', path] });
    await pingPong(tap, 20);
    tap.send(tooMuch.subarray(0, 500_000));
    tap.endInput();
    await until('it has ended', () => (reader.read(), !tap.isRunning));
    while (reader.read());
    reader.save(host.path('trace'));
    expect(await tap.ended).toEqual({ code: 3, signal: null });
    expect(told(tap)).toEqual([]);
    expect(readTrace(host.path('trace')).verification.gaps).toEqual([]);
  });

  test('when its reader stops: what is lost is told, and stands in the trace when it reads on', async ({ host }) => {
    const path = fifo(host);
    const reader = new FifoReader(path);
    const tap = host.tap(echo, { words: ['--trace', path] });
    await pingPong(tap, 20);
    await until('it is read', () => reader.read());
    await thereAndBack(tap, tooMuch);
    await pingPong(tap, 20);
    await until('the loss is told', () => told(tap).length > 0);
    let rounds = 0;
    await until('the reader has caught up', () => (reader.read() ? (rounds = 0) : ++rounds) > 50);
    await pingPong(tap, 20);
    tap.endInput();
    await until('it has ended', () => (reader.read(), !tap.isRunning));
    while (reader.read());
    reader.save(host.path('trace'));
    expect(await tap.ended).toEqual({ code: 3, signal: null });
    expect(told(tap)).toHaveLength(1);
    const trace = readTrace(host.path('trace'));
    expect(gapKinds(trace)).toEqual(new Set(['lost']));
    expect(trace.isClosed).toBe(true);
    expect(trace.damaged).toBe(0);
  });
});

const asRoot = (program: string, ...words: string[]): unknown => execFileSync(program, words, { stdio: 'ignore' });

/** Why nothing can be mounted here. */
const noMount = ((): string | undefined => {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root to mount a small disk';
  const folder = mkdtempSync(join(tmpdir(), 'wireproof-mount-'));
  try {
    asRoot('mount', '-t', 'tmpfs', 'none', folder);
    asRoot('umount', folder);
    return undefined;
  } catch {
    return 'mounting is not allowed here';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

test.skipIf(noMount)(
  `a disk that fills up and is given more room${noMount ? ` (skipped: ${noMount})` : ''}`,
  async ({ host }) => {
    const disk = host.path('disk');
    mkdirSync(disk);
    asRoot('mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', disk);
    try {
      const path = `${disk}/trace.jsonl`;
      const tap = host.tap(echo, { words: ['--trace', path] });
      await thereAndBack(tap, tooMuch);
      await until('the loss is told', () => told(tap).length > 0);
      asRoot('mount', '-o', 'remount,size=100m', disk);
      await until('the loss is recorded', () => readTrace(path).events.some(({ kind }) => kind === 'lost'));
      await pingPong(tap, 20);
      tap.endInput();
      expect(await tap.ended).toEqual({ code: 3, signal: null });
      expect(told(tap)).toHaveLength(1);
      const trace = readTrace(path);
      expect(gapKinds(trace)).toEqual(new Set(['lost']));
      expect(trace.isClosed).toBe(true);
      expect(trace.damaged).toBe(0);
    } finally {
      asRoot('umount', '-l', disk);
    }
  },
);

describe.concurrent('a disk that hangs', () => {
  const preload = fileURLToPath(new URL('support/hanging-store.cjs', import.meta.url));

  function tapOnHangingDisk(host: Host): Started {
    const env = { HANG_WHEN: host.path('hang'), HANG_ON: fifo(host) };
    return host.tap(echo, { node: ['--require', preload], env });
  }

  test('for a while: traffic goes on, and the loss stands in the trace when it answers again', async ({ host }) => {
    const tap = tapOnHangingDisk(host);
    await pingPong(tap, 20);
    writeFileSync(host.path('hang'), '');
    await thereAndBack(tap, tooMuch);
    await pingPong(tap, 20);
    await until('the loss is told', () => told(tap).length > 0);
    rmSync(host.path('hang'));
    new FifoReader(host.path('fifo')).save(host.path('nothing'));
    await until('the loss is recorded', () => host.recorded('"lost":'));
    await pingPong(tap, 20);
    tap.endInput();
    expect(await tap.ended).toEqual({ code: 3, signal: null });
    expect(told(tap)).toHaveLength(1);
    expect(gapKinds(host.trace())).toEqual(new Set(['lost']));
    expect(host.trace().damaged).toBe(0);
  });

  test('for good: wireproof ends all the same, and tells it', async ({ host }) => {
    const tap = tapOnHangingDisk(host);
    await pingPong(tap, 20);
    await until('all is recorded', () => host.trace().bytes('server').length === tap.stdout.length);
    writeFileSync(host.path('hang'), '');
    const seen = tap.stdout.length;
    await thereAndBack(tap, tooMuch);
    tap.endInput();
    // Node waits for its threads before it exits: only a program in its place can keep the code, and only newer ones allow it.
    const expected = 'execve' in process ? { code: 3, signal: null } : { code: null, signal: 'SIGKILL' };
    expect(await tap.ended).toEqual(expected);
    expect(digest(tap.stdout.bytes.subarray(seen))).toBe(digest(tooMuch));
    expect(told(tap)).toHaveLength(1);
    expect(host.trace().bytes('server').length).toBe(seen);
    expect(host.trace().isClosed).toBe(false);
    await host.nothingLeft();
  });

  test('when nothing is lost until the end: the end is told', async ({ host }) => {
    const tap = tapOnHangingDisk(host);
    await pingPong(tap, 20);
    writeFileSync(host.path('hang'), '');
    await pingPong(tap, 20);
    tap.endInput();
    await tap.ended;
    expect(told(tap)).toEqual([expect.stringContaining('did not take the rest')]);
    expect(existsSync(host.path('hang'))).toBe(true);
  });
});
