import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { describe, expect } from 'vitest';
import { type Host, shell, test, type Started } from './support/host.ts';
import { bytesWritten, peakMemory } from './support/marked.ts';
import { until } from './support/until.ts';

/** WIREPROOF_HEAVY=4 makes everything four times as long. */
const times = Number(process.env['WIREPROOF_HEAVY'] ?? 1);
const mebibyte = 1024 * 1024;
/** What the tap may take beyond what Node takes for nothing at all. MiB. */
const allowance = 50;

/** Memory that Node takes before it does anything. */
async function bareNode(host: Host): Promise<number> {
  const bare = host.start([process.execPath, '-e', 'console.log("up"); setInterval(() => undefined, 1000)']);
  await bare.line('up');
  const peak = peakMemory(bare.pid);
  bare.child.kill();
  return peak;
}

async function expectLittleMemory(host: Host, tap: Started): Promise<void> {
  const beyond = peakMemory(tap.pid) - (await bareNode(host));
  expect(Math.round(beyond / mebibyte)).toBeLessThan(allowance);
}

/** Writes until the other side takes no more for a while; gives how much it took. */
async function fill(stream: Writable, piece: Uint8Array, most: number): Promise<number> {
  let taken = 0;
  let idle: NodeJS.Timeout | undefined;
  return new Promise((resolve) => {
    const next = (): void => {
      clearTimeout(idle);
      idle = setTimeout(() => resolve(taken), 1000);
      if (taken >= most) return;
      stream.write(piece, () => {
        taken += piece.length;
        next();
      });
    };
    next();
  });
}

/** Writes it all, never more than the other side takes. */
async function pour(stream: Writable, pieces: Iterable<Uint8Array>, hash: Hash): Promise<void> {
  for (const piece of pieces) {
    hash.update(piece);
    if (!stream.write(piece)) await once(stream, 'drain');
  }
}

/** Reads without keeping. */
function drink(stream: Readable): { bytes: number; hash: Hash } {
  const drunk = { bytes: 0, hash: createHash('sha256') };
  stream.on('data', (chunk: Buffer) => {
    drunk.bytes += chunk.length;
    drunk.hash.update(chunk);
  });
  return drunk;
}

function* repeat(piece: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let done = 0; done < bytes; done += piece.length) yield piece;
}

function* message(bytes: number): Generator<Uint8Array> {
  yield Buffer.from('{"jsonrpc":"2.0","method":"n","params":{"text":"');
  yield* repeat(Buffer.alloc(mebibyte, 'abcdefghijklmnop'), bytes);
  yield Buffer.from('"}}\n');
}

describe.skipIf(process.platform !== 'linux')('memory stays small', () => {
  test('while a host does not read', async ({ host }) => {
    const tap = host.tap(['yes'], { stalls: ['stdout'] });
    let before = -1;
    await until('the server is stalled', async () => {
      const pid = host.left().find((one) => one !== tap.pid);
      const now = pid === undefined ? 0 : bytesWritten(pid);
      if (now > 0 && now === before) return true;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return false;
    });
    await expectLittleMemory(host, tap);
  });

  test('while a server does not read', async ({ host }) => {
    const tap = host.tap(['sleep', '1000']);
    const taken = await fill(tap.child.stdin as Writable, Buffer.alloc(mebibyte, 'x'), 64 * mebibyte);
    expect(taken).toBeLessThan(4 * mebibyte);
    await expectLittleMemory(host, tap);
  });

  test('while a line does not end', async ({ host }) => {
    const length = 48 * mebibyte * times;
    const tap = host.tap(shell(`head -c ${length} /dev/zero | tr '\\0' x; exec cat`), { stalls: ['stdout'] });
    const drunk = drink(tap.child.stdout as Readable);
    await until('all has come', () => drunk.bytes === length);
    await expectLittleMemory(host, tap);
    tap.endInput();
    await tap.exited;
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('while one long message goes there and back', async ({ host }) => {
    const tap = host.tap(['cat'], { stalls: ['stdout'] });
    const drunk = drink(tap.child.stdout as Readable);
    const sent = createHash('sha256');
    await pour(tap.child.stdin as Writable, message(32 * mebibyte * times), sent);
    await until('all has come', () => drunk.bytes > 32 * mebibyte * times);
    await expectLittleMemory(host, tap);
    tap.endInput();
    await tap.exited;
    expect(drunk.hash.digest('hex')).toBe(sent.digest('hex'));
    expect(host.trace().verification.gaps).toEqual([]);
  });

  test('while very many small messages go there and back', async ({ host }) => {
    const tap = host.tap(['cat'], { stalls: ['stdout'] });
    const drunk = drink(tap.child.stdout as Readable);
    const sent = createHash('sha256');
    const hundred = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n'.repeat(100));
    const bytes = hundred.length * 1000 * times;
    await pour(tap.child.stdin as Writable, repeat(hundred, bytes), sent);
    await until('all has come', () => drunk.bytes === bytes);
    await expectLittleMemory(host, tap);
    tap.endInput();
    await tap.exited;
    expect(drunk.hash.digest('hex')).toBe(sent.digest('hex'));
    const trace = host.trace();
    expect(trace.verification.gaps).toEqual([]);
    expect(trace.frames('client')).toHaveLength(100_000 * times);
  });
});
