import { describe, expect, test } from 'vitest';
import { longestRecordedLine, type StreamName, streamNames, type TraceEvent } from '../../src/core/trace/format.ts';
import { StreamBytes } from '../../src/core/trace/stream-bytes.ts';
import { TraceReader } from '../../src/core/trace/trace-reader.ts';
import { type Verification, Verifier } from '../../src/core/trace/verify.ts';
import { fc } from '../properties.ts';
import { sha256, TraceMaker } from '../trace-maker.ts';

type Streams = Record<StreamName, Buffer>;

/** What is made of a trace: its events, and the proof. */
function readBack(trace: Buffer): { events: TraceEvent[]; verification: Verification } {
  const reader = new TraceReader();
  const verifier = new Verifier(sha256);
  const items = [...reader.feed(Uint8Array.from(trace)), ...reader.end()];
  for (const item of items) verifier.feed(item);
  return { events: items.flatMap((item) => ('event' in item ? [item.event] : [])), verification: verifier.end() };
}

function givenBack(events: readonly TraceEvent[], from: StreamName): Buffer {
  const stream = new StreamBytes(from);
  return Buffer.concat([...events.flatMap((event) => stream.feed(event)), ...stream.end()]);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a line stands in its record as it came: so the format says. */
function isEligible(body: Buffer): boolean {
  if (body.length > longestRecordedLine || body.includes(0x0d)) return false;
  try {
    const text = strict.decode(body);
    JSON.parse(text);
    return !/^(?:[[{]|"[^"]*":){201}/.test(text);
  } catch {
    return false;
  }
}

/** The lines of a stream without their delimiters. */
function bodiesOf(bytes: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline;
    bodies.push(bytes.subarray(from, newline > from && bytes[end - 1] === 0x0d ? end - 1 : end));
    from = end + 1;
  }
  return bodies;
}

/** Everything the format promises of a trace to which nothing was lost. */
function expectExact(trace: Buffer, streams: Streams): void {
  const lines = trace.toString().split('\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) JSON.parse(line);
  const { events, verification } = readBack(trace);
  expect(verification.gaps).toEqual([]);
  for (const from of streamNames) {
    expect(givenBack(events, from).equals(streams[from])).toBe(true);
    expect(verification.streams[from]).toEqual({ bytes: streams[from].length, proven: streams[from].length, lost: 0 });
    expect(formsOf(events, from)).toEqual(bodiesOf(streams[from]).map((body) => from !== 'stderr' && isEligible(body)));
  }
}

/** For each line of the stream, whether it stands as it came; the parts of a line count as one. */
function formsOf(events: readonly TraceEvent[], from: StreamName): boolean[] {
  return events.flatMap((event) => {
    if (event.kind !== 'frame' || event.from !== from || (event.part !== undefined && event.last !== true)) return [];
    return [event.form === 'msg'];
  });
}

const someJson = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  fc.jsonValue({ maxDepth: 2 }).map((value) => ` ${JSON.stringify(value, undefined, '\t').replaceAll('\n', ' ')} `),
  fc.constantFrom('{"id":1.0,"id":1,"a":"\\u0041"}', '{"method":"notifications/cancelled","params":{"requestId":1}}'),
  fc.constantFrom(`${'['.repeat(200)}${']'.repeat(200)}`, `${'['.repeat(201)}${']'.repeat(201)}`),
);

/** Around the lengths from which on a line is kept in another way. */
const longJson = fc
  .tuple(fc.constantFrom(65_536, 262_144), fc.integer({ min: -60, max: 60 }))
  .map(([length, more]) => `{"long":"${'x'.repeat(length + more)}"}`);

const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    '\r',
    '\r\r',
    'é',
    '€',
    '😀',
    '\ufeff',
    '\ufeff{}',
    '\u0085',
    '\u009b31m',
    '\u001b[0m',
    '\0',
    '{"a":',
  ),
);

const nearlyJson = fc.oneof(
  fc.tuple(fc.json({ maxDepth: 2 }), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1))),
  fc.tuple(fc.json({ maxDepth: 2 }), someText).map((pieces) => pieces.join('')),
);

const someLine = fc
  .oneof(
    { weight: 8, arbitrary: someJson },
    { weight: 4, arbitrary: someText },
    { weight: 4, arbitrary: nearlyJson },
    { weight: 1, arbitrary: longJson },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 12 }) },
  )
  .map((line) => Buffer.from(line));

const someStream = fc
  .array(fc.tuple(someLine, fc.constantFrom('\n', '\n', '\r\n', '\n\n')), { maxLength: 8 })
  .chain((lines) => fc.tuple(fc.constant(lines), fc.option(someLine)))
  .map(([lines, rest]) =>
    Buffer.concat([...lines.flatMap(([line, end]) => [line, Buffer.from(end)]), ...(rest === null ? [] : [rest])]),
  );

const someStreams = fc.record({ client: someStream, server: someStream, stderr: someStream });

/** How the streams are cut and interleaved: each number decides one step. */
const someSteps = fc.infiniteStream(fc.nat(2 ** 24));

/** Passes the streams on, cut anywhere, while time goes on and the store takes what waits, or does not. */
function record(streams: Streams, steps: Iterator<number>, budget?: number): Buffer {
  const maker = new TraceMaker(budget === undefined ? {} : { budget });
  const at = { client: 0, server: 0, stderr: 0 };
  const left = (): StreamName[] => streamNames.filter((from) => at[from] < streams[from].length);
  for (let open = left(); open.length > 0; open = left()) {
    const step = steps.next().value as number;
    const from = open[step % open.length] as StreamName;
    const most = [1, 2, 5, 30, 1000, 65_536, 500_000][(step >> 3) % 7] as number;
    const to = Math.min(streams[from].length, at[from] + 1 + ((step >> 6) % most));
    maker.pass(from, streams[from].subarray(at[from], to));
    at[from] = to;
    if ((step >> 12) % 3 === 0) maker.wait([1, 30, 45, 1200][(step >> 14) % 4] as number);
    if ((step >> 16) % 4 === 0) maker.store();
  }
  return maker.close().bytes;
}

test('any bytes come back exactly, each line in the form that the format says', () => {
  fc.assert(
    fc.property(someStreams, someSteps, (streams, steps) => expectExact(record(streams, steps), streams)),
    { numRuns: 150 },
  );
});

test('wherever a stream is cut in two', () => {
  const hard = Buffer.from('{"é":"€😀"}\r\n\r\r\n\ufeff{}\n{"a":1}\r\n"😀\r');
  const streams = (server: Buffer): Streams => ({ client: Buffer.alloc(0), server, stderr: server });
  for (let at = 0; at <= hard.length; at++) {
    for (const pause of [0, 50]) {
      const maker = new TraceMaker();
      for (const piece of [hard.subarray(0, at), hard.subarray(at)]) {
        maker.pass('server', piece).pass('stderr', piece).wait(pause);
      }
      expectExact(maker.close().bytes, streams(hard));
    }
  }
});

test('a recording that breaks off anywhere gives back a beginning of each stream', () => {
  fc.assert(
    fc.property(someStreams, someSteps, fc.double({ min: 0, max: 1, noNaN: true }), (streams, steps, where) => {
      const whole = record(streams, steps);
      const header = whole.indexOf(0x0a) + 1;
      const cut = whole.subarray(0, header + Math.floor((whole.length - header) * where));
      const { events, verification } = readBack(cut);
      for (const from of streamNames) {
        const given = givenBack(events, from);
        expect(given.equals(streams[from].subarray(0, given.length))).toBe(true);
        expect(verification.streams[from].proven).toBeLessThanOrEqual(given.length);
      }
      const kinds = new Set(verification.gaps.map(({ kind }) => kind));
      expect([[], ['cut-off'], ['missing', 'cut-off']]).toContainEqual([...kinds]);
    }),
    { numRuns: 100 },
  );
});

test('what finds no room is lost where the trace says it is, and nothing else is', () => {
  const budget = fc.integer({ min: 1500, max: 60_000 });
  fc.assert(
    fc.property(someStreams, someSteps, budget, (streams, steps, most) => {
      const { events, verification } = readBack(record(streams, steps, most));
      expect(verification.gaps.filter(({ kind }) => kind !== 'lost')).toEqual([]);
      for (const from of streamNames) expectLossesInPlace(events, streams[from], from);
    }),
    { numRuns: 150 },
  );
});

/** Follows the stream: what the trace gives back stands in it behind what it says was lost. */
function expectLossesInPlace(events: readonly TraceEvent[], stream: Buffer, from: StreamName): void {
  let at = 0;
  for (const event of events) {
    if (event.kind === 'lost' && event.lost.from === from) at += event.lost.bytes;
    if (event.kind !== 'frame' || event.from !== from) continue;
    expect(stream.subarray(at, at + event.bytes.length).equals(event.bytes)).toBe(true);
    at += event.bytes.length;
  }
  expect(at).toBe(stream.length);
}

describe('long lines', () => {
  const none = Buffer.alloc(0);
  const mebibyte = 1024 * 1024;
  const jsonOf = (length: number): Buffer =>
    Buffer.from(`{"a":"${'é'.repeat((length - 8) >> 1)}${'x'.repeat(length % 2)}"}`);

  /** In chunks as a pipe gives them, or in one. */
  function recordServer(server: Buffer, chunk = 65_536): Buffer {
    const maker = new TraceMaker();
    for (let at = 0; at < server.length; at += chunk) maker.pass('server', server.subarray(at, at + chunk)).store();
    return maker.close().bytes;
  }

  test.each([
    ['8 MiB exactly', jsonOf(8 * mebibyte), 1],
    ['8 MiB exactly and a carriage return', Buffer.concat([jsonOf(8 * mebibyte), Buffer.from('\r')]), 1],
    ['a byte more', jsonOf(8 * mebibyte + 1), 33],
  ])('JSON of %s', (_, json, records) => {
    const server = Buffer.concat([json, Buffer.from('\n{"b":1}\n')]);
    const trace = recordServer(server);
    expectExact(trace, { client: none, server, stderr: none });
    const { events } = readBack(trace);
    expect(events.filter(({ kind }) => kind === 'frame').length).toBeGreaterThanOrEqual(records + 1);
  });

  test.each([
    ['text', Buffer.from('añb€c😀'.repeat(20 * 65_536))],
    ['binary', Buffer.alloc(20 * mebibyte, 0xfe)],
    ['carriage returns', Buffer.alloc(9 * mebibyte, 0x0d)],
    ['control characters, each of which takes six bytes in a record', Buffer.alloc(9 * mebibyte, 0x01)],
  ])('a line of %s that does not end', (_, server) => {
    const trace = recordServer(server);
    const { events, verification } = readBack(trace);
    expect(verification.gaps).toEqual([]);
    expect(givenBack(events, 'server').equals(server)).toBe(true);
    const frames = events.flatMap((event) => (event.kind === 'frame' ? [event] : []));
    expect(frames.map(({ part }) => part)).toEqual(frames.map((_, index) => index + 1));
    expect(
      Math.max(
        ...trace
          .toString()
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThan(4 * mebibyte);
  });

  test('a cancellation that is too long to be kept', () => {
    const client = Buffer.from(
      `{"method":"notifications/cancelled","params":{"requestId":1},"x":"${'x'.repeat(9 * mebibyte)}"}\n`,
    );
    const maker = new TraceMaker().pass('client', '{"id":1,"method":"a"}\n').pass('client', client).store();
    expect(maker.recorder.counts.messages).toBe(2);
    expect(readBack(maker.close().bytes).verification.gaps).toEqual([]);
  });

  test('a line that comes in one chunk', () => {
    for (const line of [jsonOf(3 * mebibyte), jsonOf(9 * mebibyte), Buffer.alloc(2 * mebibyte, 0x02)]) {
      const server = Buffer.concat([line, Buffer.from('\n')]);
      const { events, verification } = readBack(recordServer(server, server.length));
      expect(verification.gaps).toEqual([]);
      expect(givenBack(events, 'server').equals(server)).toBe(true);
    }
  });
});
