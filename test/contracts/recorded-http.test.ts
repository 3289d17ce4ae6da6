import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Side } from '../../src/core/protocol/message.ts';
import { BodyBytes } from '../../src/core/trace/body-bytes.ts';
import { Exchanges } from '../../src/core/trace/exchanges.ts';
import type { Leg, TraceEvent } from '../../src/core/trace/format.ts';
import { readUnprovenRecord } from '../../src/core/trace/read-record.ts';
import { TraceReader } from '../../src/core/trace/trace-reader.ts';
import { Verifier } from '../../src/core/trace/verify.ts';
import { HttpTraceMaker, type MadeStream, storeKey } from '../http-trace-maker.ts';
import { fc } from '../properties.ts';
import { sha256 } from '../trace-maker.ts';

/** One body as it is to pass. */
interface Body {
  from: Side;
  leg?: Leg;
  isEventStream: boolean;
  bytes: Uint8Array;
  why?: string;
}

const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\r',
    '\ufeff',
    'data: ',
    'data:',
    'id: 7\n',
    'event: message\r\n',
    ': hi\n\n',
    'retry: 1',
  ),
  fc.constantFrom(
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0",\n"id":1,"result":{}}',
    '[]',
    '1.0',
    '"\u2028é😀"',
    ' {"a": 1 } ',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join('')));
const bytes = fc.oneof({ weight: 5, arbitrary: text }, fc.uint8Array({ maxLength: 40 }));
const body = (from: Side): fc.Arbitrary<Body[]> =>
  fc.oneof(
    fc
      .record({
        bytes,
        isEventStream: from === 'server' ? fc.boolean() : fc.constant(false),
        why: fc.constantFrom(undefined, 'gone'),
      })
      .map(({ why, ...rest }) => [{ from, ...rest, ...(why === undefined ? {} : { why }) }]),
    fc.tuple(bytes, bytes, fc.boolean()).map(([one, other, isEventStream]) => [
      { from, leg: 'client' as const, isEventStream, bytes: one },
      { from, leg: 'server' as const, isEventStream, bytes: other },
    ]),
  );
const streams = fc.array(
  fc.tuple(body('client'), body('server')).map(([asked, answered]) => asked.concat(answered)),
  { minLength: 1, maxLength: 4 },
);
const schedule = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 15 }), fc.constantFrom(0, 0, 0, 1, 50, 1100)), {
  maxLength: 60,
});

/** A body that passes, bit by bit. */
class Passing {
  private at = 0;
  private readonly stream: MadeStream;
  private readonly body: Body;

  constructor(stream: MadeStream, body: Body) {
    this.stream = stream;
    this.body = body;
  }

  /** False when it was over before. */
  pass(count: number): boolean {
    const { from, leg, bytes: all, why } = this.body;
    if (this.at > all.length) return false;
    if (count > 0 && this.at < all.length) this.stream.pass(from, all.subarray(this.at, this.at + count), leg);
    else if (this.at === all.length) {
      this.stream.end(from, why, leg);
      this.at++;
    }
    this.at = Math.min(this.at + count, Math.max(this.at, all.length));
    return true;
  }
}

function record(all: readonly Body[][], turns: readonly [number, number, number][]): HttpTraceMaker {
  const maker = new HttpTraceMaker();
  const passing = all.flatMap((bodies, index) => {
    const stream = maker.stream((index % 2) + 1);
    stream.head('client', { version: '1.1', method: 'POST', target: '/mcp', lines: [] });
    return bodies.map((one) => {
      const { from, leg, isEventStream } = one;
      if (from === 'server') {
        const lines = isEventStream ? ([['Content-Type', 'text/event-stream']] as const) : [];
        stream.head('server', { version: '1.1', status: 200, lines }, [], leg === undefined ? {} : { leg });
      }
      stream.begin(from, { isEventStream }, leg);
      return new Passing(stream, one);
    });
  });
  for (const [which, count, wait] of turns) {
    (passing[which % passing.length] as Passing).pass(count);
    if (wait > 0) maker.wait(wait);
  }
  for (const one of passing) while (one.pass(7));
  return maker;
}

/** The bytes of one body as the recording gives them back. */
function given(events: readonly TraceEvent[], { from, leg }: Body, stream: number): Buffer {
  const wanted = new BodyBytes({ from, stream, leg: leg ?? 'client' });
  return Buffer.concat([...events.flatMap((event) => wanted.feed(event)), ...wanted.end()]);
}

function verified(trace: Uint8Array, reader = new TraceReader()): unknown {
  const verifier = new Verifier(sha256);
  for (const item of [...reader.feed(new Uint8Array(trace)), ...reader.end()]) verifier.feed(item);
  const { gaps, closed, streams: proofs } = verifier.end();
  const isProven = (['client', 'server'] as const).every((from) => proofs[from].bytes === proofs[from].proven);
  return { gaps, isClosed: closed !== undefined, isProven };
}

test('every body of every stream comes back exactly, however it is cut and whatever passes beside it', () => {
  fc.assert(
    fc.property(streams, schedule, (all, turns) => {
      const maker = record(all, turns).close();
      const { events } = maker;
      for (const [index, bodies] of all.entries()) {
        for (const one of bodies) expect(given(events, one, index + 1)).toEqual(Buffer.from(one.bytes));
      }
      const complete = { gaps: [], isClosed: true, isProven: true };
      expect(verified(maker.bytes)).toEqual(complete);
      expect(verified(maker.bytes, new TraceReader(readUnprovenRecord))).toEqual(complete);
    }),
    { numRuns: 300 },
  );
});

test('no byte is missing in the frames, and none is there twice', () => {
  fc.assert(
    fc.property(streams, schedule, (all, turns) => {
      const { events } = record(all, turns).close();
      const machine = new Exchanges();
      const units = [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
      const frames = units.filter((unit) => unit.unit === 'frame');
      for (const [index, bodies] of all.entries()) {
        for (const { from, leg, bytes: passed } of bodies) {
          const own = frames.filter((frame) => frame.s === index + 1 && frame.from === from && frame.leg === leg);
          expect(Buffer.concat(own.map((frame) => frame.bytes))).toEqual(Buffer.from(passed));
        }
      }
      const ended = units.filter((unit) => unit.unit === 'stream' && unit.phase === 'ended');
      expect(ended.map((unit) => (unit as { s: number }).s).sort()).toEqual(all.map((_, index) => index + 1));
    }),
    { numRuns: 150 },
  );
});

test('of a body in which something is replaced, what stands instead comes back, and what passed is accounted for', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(bytes, texts, fc.nat({ max: 12 }), (passed, instead, size) => {
      const maker = new HttpTraceMaker();
      const stream = maker.stream();
      stream.head('client', { version: '1.1', method: 'POST', target: '/token', lines: [] });
      stream.begin('client', { redact: () => ({ bytes: Buffer.from(instead), redacted: ['form:code'] }) });
      for (let from = 0; from < passed.length; from += size + 1) {
        stream.pass('client', passed.subarray(from, from + size + 1));
        maker.wait(50);
      }
      stream.end('client');
      const { events } = maker.close();
      const isEmpty = passed.length === 0;
      const stands = Buffer.from(isEmpty ? '' : instead);
      expect(given(events, { from: 'client', isEventStream: false, bytes: passed }, 1)).toEqual(stands);
      const end = events.flatMap((event) =>
        event.kind === 'streamEnded' && event.from === 'client' ? [event.end] : [],
      );
      const hmac = createHmac('sha256', storeKey).update(passed).digest('hex');
      expect(end.map((one) => one.passed)).toEqual([isEmpty ? undefined : { bytes: passed.length, hmac }]);
      expect(verified(maker.bytes)).toEqual({ gaps: [], isClosed: true, isProven: true });
    }),
    { numRuns: 200 },
  );
});

test('and of events, each as it is replaced', () => {
  const events = fc.array(
    fc.constantFrom('data: 123\n\n', 'data: {"a":1}\n\n', ': x\n\n', 'event: endpoint\ndata: /x\n\n'),
  );
  fc.assert(
    fc.property(events, fc.string({ unit: 'binary', maxLength: 9 }), (all, instead) => {
      const maker = new HttpTraceMaker();
      const stream = maker.stream().ask();
      const replaced = (event: string): string => event.replace(/123|^: x\n\n$/, () => instead);
      const redact = (item: Uint8Array) => {
        const text = Buffer.from(item).toString();
        return replaced(text) === text ? undefined : { bytes: Buffer.from(replaced(text)), redacted: ['x'] };
      };
      stream.begin('server', { isEventStream: true, redact });
      for (const event of all) stream.pass('server', event);
      stream.end('server');
      const { events: recorded } = maker.close();
      const expected = all.map(replaced);
      const body = { from: 'server', isEventStream: true, bytes: Buffer.alloc(0) } as const;
      expect(given(recorded, body, 1)).toEqual(Buffer.from(expected.join('')));
      expect(verified(maker.bytes)).toEqual({ gaps: [], isClosed: true, isProven: true });
    }),
    { numRuns: 200 },
  );
});

test('what was lost is told, and the rest is proven', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().ask().open();
  const event = `data: "${'x'.repeat(1_000_000)}"\n\n`;
  for (let count = 0; count < 40; count++) stream.pass('server', event);
  maker.store();
  stream.pass('server', 'data: {}\n\n').end('server');
  const trace = maker.close().bytes;
  expect(verified(trace)).toMatchObject({ gaps: [{ kind: 'lost', from: 'server' }] });
});

test('what was lost of a body in which something is replaced is told as well', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().ask();
  stream.head('server', { version: '1.1', status: 200, lines: [['Content-Type', 'text/event-stream']] });
  const shorter = { bytes: Buffer.from(`data: "${'y'.repeat(900_000)}"\n\n`), redacted: [''] };
  const redact = (item: Uint8Array) => (item.length > 1000 ? shorter : undefined);
  stream.begin('server', { isEventStream: true, redact });
  for (let count = 0; count < 40; count++) stream.pass('server', `data: "${'x'.repeat(1_000_000)}"\n\n`);
  maker.store();
  stream.pass('server', 'data: {}\n\n').end('server');
  const trace = maker.close().bytes;
  expect(verified(trace)).toMatchObject({ gaps: [{ kind: 'lost', from: 'server' }] });
});
