import { describe, expect, test } from 'vitest';
import { sha256, TraceMaker } from '../../../test/trace-maker.ts';
import { TraceReader } from './trace-reader.ts';
import { type Verification, Verifier } from './verify.ts';

function verify(trace: Uint8Array | readonly string[], isRunning = false): Verification {
  const bytes = trace instanceof Uint8Array ? trace : Buffer.from(trace.map((line) => `${line}\n`).join(''));
  const reader = new TraceReader();
  const verifier = new Verifier(sha256);
  for (const item of [...reader.feed(Uint8Array.from(bytes)), ...reader.end()]) verifier.feed(item);
  return verifier.end(isRunning);
}

const gapsOf = (trace: Uint8Array | readonly string[], isRunning = false): string[] =>
  verify(trace, isRunning).gaps.map(({ kind, text }) => `${kind}: ${text}`);

/**
 * Two sums on the way and one at the end:
 * 1 opened · 2 client · 3 server · 4 stderr · 5 sums · 6 client · 7 server · 8 sums · 9 server · 10–12 ended · 13 sums · 14 closed.
 */
const recorded = (): string[] =>
  new TraceMaker()
    .pass('client', '{"id":1,"method":"ping"}\n')
    .pass('server', '{"id":1,"result":{}}\n')
    .pass('stderr', 'ready\n')
    .wait(1500)
    .pass('client', '{"id":2,"method":"ping"}\n')
    .pass('server', '{"id":2,"result":{}}\n')
    .wait(1500)
    .pass('server', 'bye\n')
    .close().lines;

/** The line of a record: the header is line 0. */
const changed = (n: number, change: (line: string) => string): string[] =>
  recorded().map((line, index) => (index === n ? change(line) : line));

/** Numbers the records anew, as somebody would who has changed them. */
const renumbered = (lines: readonly string[]): string[] =>
  lines.map((line, index) => (index === 0 ? line : line.replace(/^\{"n":\d+/, `{"n":${index}`)));

const replaced = (from: RegExp | string, to: string) => (line: string) => {
  if (line === line.replace(from, to)) throw new Error(`There is no ${String(from)} in ${line}`);
  return line.replace(from, to);
};

test('a trace is as it is expected here', () => {
  const kinds = recorded().map((line) => /"(wireproof|opened|from|sums|ended|closed)":/.exec(line)?.[1]);
  expect(kinds.join(' ')).toBe(
    'wireproof opened from from from sums from from sums from ended ended ended sums closed',
  );
});

test('a whole trace is proven', () => {
  expect(verify(recorded())).toMatchObject({
    streams: {
      client: { bytes: 50, proven: 50, lost: 0 },
      server: { bytes: 46, proven: 46, lost: 0 },
      stderr: { bytes: 6, proven: 6, lost: 0 },
    },
    records: 14,
    lastRecord: 14,
    provenRecord: 13,
    closed: { exit: 0 },
    isRunning: false,
    gaps: [],
    moreGaps: 0,
  });
});

test.each<[string, string[], string[]]>([
  [
    'one byte of a message',
    changed(6, replaced('"id":2', '"id":3')),
    ['differs: client: bytes 26 to 50, between record 5 and record 8, are not those that passed'],
  ],
  [
    'one byte before the first sums',
    changed(2, replaced('ping', 'pong')),
    ['differs: client: bytes 1 to 25, before record 5, are not those that passed'],
  ],
  [
    'one byte of text',
    changed(4, replaced('ready', 'Ready')),
    ['differs: stderr: bytes 1 to 6, before record 5, are not those that passed'],
  ],
  [
    'the last bytes of all',
    changed(9, replaced('bye', 'hey')),
    ['differs: server: bytes 43 to 46, between record 8 and record 13, are not those that passed'],
  ],
  [
    'a delimiter',
    changed(3, replaced('"server",', '"server","eol":"\\r\\n",')),
    ['differs: server: the file gives back 22 bytes, and only 21 had passed, before record 5'],
  ],
  [
    'whose bytes they are',
    changed(4, replaced('stderr', 'server')),
    [
      'differs: server: the file gives back 27 bytes, and only 21 had passed, before record 5',
      'missing: stderr: 6 bytes had passed by record 5, and 6 of them are missing',
    ],
  ],
  [
    'the id of a record that is no message any more',
    changed(3, replaced('"id":1', '"id":')),
    [
      'damaged: line 4 (67 bytes) is no record',
      'differs: server: bytes 1 to 21, before record 5, are not those that passed',
      'missing: server: 46 bytes had passed by record 13, and 21 of them are missing',
    ],
  ],
  [
    'a record taken out',
    recorded().toSpliced(6, 1),
    [
      'record-missing: record 6 is missing',
      'missing: client: 50 bytes had passed by record 8, and 25 of them are missing, after record 2',
    ],
  ],
  [
    'a record taken out, the others numbered anew',
    renumbered(recorded().toSpliced(3, 1)),
    [
      'differs: server: bytes 1 to 21, before record 4, are not those that passed',
      'missing: server: 46 bytes had passed by record 12, and 21 of them are missing',
    ],
  ],
  [
    'several records taken out',
    recorded().toSpliced(6, 2),
    [
      'record-missing: records 6 to 7 are missing',
      'missing: client: 50 bytes had passed by record 8, and 25 of them are missing, after record 2',
      'missing: server: 46 bytes had passed by record 13, and 21 of them are missing, after record 3',
    ],
  ],
  [
    'a record that is there twice',
    recorded().toSpliced(7, 0, recorded()[7] as string),
    [
      'record-out-of-place: record 7 is there twice',
      'differs: server: the file gives back 63 bytes, and only 42 had passed, between record 5 and record 8',
    ],
  ],
  [
    'a record that is there twice, the others numbered anew',
    renumbered(recorded().toSpliced(7, 0, recorded()[7] as string)),
    ['differs: server: the file gives back 63 bytes, and only 42 had passed, between record 5 and record 9'],
  ],
  [
    'a record that was never there, behind the last sums but one',
    renumbered(recorded().toSpliced(10, 0, (recorded()[9] as string).replace('bye', 'HA'))),
    ['differs: server: the file gives back 49 bytes, and only 46 had passed, between record 8 and record 14'],
  ],
  [
    'records of one stream in another order',
    renumbered([0, 1, 2, 7, 4, 5, 6, 3, 8, 9, 10, 11, 12, 13, 14].map((n) => recorded()[n] as string)),
    ['differs: server: bytes 1 to 21, before record 5, are not those that passed'],
  ],
  [
    'records in another order',
    recorded().map((line, n, all) => (n === 2 ? (all[3] as string) : n === 3 ? (all[2] as string) : line)),
    ['record-out-of-place: records are out of order: record 2 stands behind record 3'],
  ],
  [
    'a sum',
    changed(8, replaced(/("client":\{"bytes":\d+,"sha256":")./, '$1x')),
    ['sum-changed: client: the sum in record 8 is not the one that was taken; a later one agrees'],
  ],
  [
    'a sum that says fewer bytes',
    changed(8, replaced('"client":{"bytes":50', '"client":{"bytes":40')),
    ['sum-changed: client: the sum in record 8 is not the one that was taken; a later one agrees'],
  ],
  [
    'a sum that says more bytes',
    changed(5, replaced('"client":{"bytes":25', '"client":{"bytes":9999')),
    ['sum-changed: client: the sum in record 5 is not the one that was taken; a later one agrees'],
  ],
  [
    'the last sum',
    changed(13, replaced(/("server":\{"bytes":\d+,"sha256":")./, '$1x')),
    ['differs: server: bytes 43 to 46, between record 8 and record 13, are not those that passed'],
  ],
  [
    'the last sums taken out, the others numbered anew',
    renumbered(recorded().toSpliced(13, 1)),
    ['unproven: server: no sum covers the last 4 bytes, so nothing proves them'],
  ],
  [
    'all sums taken out, the others numbered anew',
    renumbered(recorded().filter((line) => !line.includes('"sums"'))),
    ['unproven: there are no sums, so nothing is proven'],
  ],
  [
    'several records in another order',
    [0, 1, 4, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((n) => recorded()[n] as string),
    ['record-out-of-place: records are out of order: record 2 stands behind record 4, and 1 more record like it'],
  ],
  [
    'a record put behind the end',
    [...recorded().toSpliced(4, 1), recorded()[4] as string],
    ['record-out-of-place: records are out of order: record 4 stands behind record 14'],
  ],
  [
    'the last sum, where nothing passed since the one before',
    changed(13, replaced(/("client":\{"bytes":\d+,"sha256":")./, '$1x')),
    ['sum-changed: client: the sum in record 13 does not fit the one in record 8, which agrees'],
  ],
  [
    'the last sum, which says fewer bytes than were proven',
    changed(13, replaced('"client":{"bytes":50', '"client":{"bytes":40')),
    ['sum-changed: client: the sum in record 13 does not fit the one in record 8, which agrees'],
  ],
  [
    'a record that was never there, behind the last sums of its stream',
    renumbered(recorded().toSpliced(9, 0, (recorded()[6] as string).replace('"id":2', '"id":3'))),
    ['differs: client: the file gives back 75 bytes, and only 50 had passed, between record 8 and record 14'],
  ],
  [
    'a line of one letter instead of a record',
    changed(4, () => ''),
    [
      'damaged: line 5 (1 byte) is no record',
      'missing: stderr: 6 bytes had passed by record 5, and 6 of them are missing',
    ],
  ],
  [
    'another recording behind it',
    [...recorded(), ...recorded()],
    ['appended: another recording was appended after record 14: 15 lines that are no part of this one'],
  ],
  [
    'something behind the end',
    [...recorded(), '{"n":15,"at":1,"c":1,"note":{"kind":"x","text":"y"}}'],
    ['record-out-of-place: record 15 stands behind the closing record'],
  ],
])('tells what was changed: %s', (_, lines, gaps) => {
  expect(gapsOf(lines)).toEqual(gaps);
});

test.each<[string, string[], number]>([
  ['nothing', recorded(), 13],
  ['records before the sums that prove them', [0, 1, 2, 3, 4, 5, 7, 6, 8].map((n) => recorded()[n] as string), 5],
  ['records', recorded().map((_, n, all) => all[n === 2 ? 3 : n === 3 ? 2 : n] as string), 0],
  ['a record that is there twice', recorded().toSpliced(12, 0, recorded()[11] as string), 8],
  ['a sum', changed(8, replaced(/("client":\{"bytes":\d+,"sha256":")./, '$1x')), 5],
  ['a line that is no record', recorded().toSpliced(9, 0, 'rubbish'), 8],
  ['another recording behind it', [...recorded(), ...recorded()], 13],
])('what is proven ends before the first gap: %s', (_, lines, proven) => {
  expect(verify(lines).provenRecord).toBe(proven);
});

test('tells of every single byte of what passed, and of every sum, that it was changed', () => {
  const whole = Buffer.from(
    recorded()
      .map((line) => `${line}\n`)
      .join(''),
  );
  const places: number[] = [];
  let start = 0;
  for (const line of recorded()) {
    const payload = /"(?:msg|text)":/.exec(line);
    if (payload) for (let at = payload.index + payload[0].length; at < line.length - 1; at++) places.push(start + at);
    for (const sum of line.matchAll(/(?<="sha256":")[0-9a-f]+/g))
      places.push(start + sum.index, start + sum.index + 63);
    for (const count of line.matchAll(/(?<="bytes":)\d/g)) places.push(start + count.index);
    start += line.length + 1;
  }
  expect(places.length).toBeGreaterThan(100);
  for (const place of places) {
    const damaged = Buffer.from(whole);
    damaged[place] = (whole[place] as number) ^ 1;
    expect([place, gapsOf(damaged).length > 0]).toEqual([place, true]);
  }
});

describe('a trace that was cut', () => {
  const trace = Buffer.from(
    recorded()
      .map((line) => `${line}\n`)
      .join(''),
  );

  test.each<[string, number, string[]]>([
    ['before its first record', 1, ['cut-off: the recording breaks off before the first record']],
    ['before anything passed', 2, ['cut-off: the recording breaks off after record 1']],
    ['behind sums', 9, ['cut-off: the recording breaks off after record 8']],
    ['before sums', 8, ['cut-off: the recording breaks off after record 7']],
    ['before its closing record', 14, ['cut-off: the recording breaks off after record 13']],
  ])('%s', (_, lines, gaps) => {
    expect(gapsOf(recorded().slice(0, lines))).toEqual(gaps);
    expect(gapsOf(recorded().slice(0, lines), true)).toEqual([]);
  });

  test('in the middle of a line: which is told, and all before is proven', () => {
    const cut = trace.subarray(0, trace.lastIndexOf('"sums"'));
    const { gaps, provenRecord, lastRecord, streams } = verify(cut);
    expect(gaps.map(({ text }) => text)).toEqual([
      'line 14 breaks off after 28 bytes',
      'the recording breaks off after record 12',
    ]);
    expect([provenRecord, lastRecord, streams.server.bytes, streams.server.proven]).toEqual([8, 12, 46, 42]);
  });

  test('anywhere: it is told, and nothing else is', () => {
    for (let to = trace.indexOf(0x0a) + 1; to < trace.length; to++) {
      const kinds = verify(trace.subarray(0, to)).gaps.map(({ kind }) => kind);
      expect([to, new Set(kinds)]).toEqual([to, new Set(['cut-off'])]);
      if (to % 7 > 0) continue;
      const running = verify(trace.subarray(0, to), true);
      expect([to, running.gaps, running.isRunning]).toEqual([to, [], true]);
    }
  });

  test('with bytes that had passed and were not written yet', () => {
    const maker = new TraceMaker().pass('client', 'abc\n').pass('server', '{"id":').wait(20);
    maker.recorder.tick(1100);
    const lines = maker.lines.filter((line) => !line.includes('"held"'));
    lines.length = lines.findIndex((line) => line.includes('"sums"')) + 1;
    const renumberedLines = renumbered(lines);
    expect(gapsOf(renumberedLines)).toEqual([
      'missing: server: 6 bytes had passed by record 3, and 6 of them are missing',
      'cut-off: the recording breaks off after record 3',
    ]);
    expect(gapsOf(renumberedLines, true)).toEqual([]);
  });

  test('and then changed, even if it still runs', () => {
    const lines = changed(6, replaced('"id":2', '"id":3')).slice(0, 9);
    const differs = 'differs: client: bytes 26 to 50, between record 5 and record 8, are not those that passed';
    expect(gapsOf(lines, true)).toEqual([differs]);
    expect(gapsOf(lines)).toEqual([differs, 'cut-off: the recording breaks off after record 8']);
  });
});

describe('lines that take long to end', () => {
  /** Sums are taken while the line is held, so they cover bytes whose record comes later. */
  const held = (): TraceMaker =>
    new TraceMaker().pass('server', 'one\n').pass('server', '{"id":1,').wait(1500).pass('client', 'x\n').wait(1500);

  test('are proven when they have come', () => {
    const lines = held().pass('server', '"result":{}}\n').close().lines;
    expect(lines.some((line) => line.includes('"held":0'))).toBe(true);
    expect(verify(lines)).toMatchObject({ gaps: [], streams: { server: { bytes: 25, proven: 25 } } });
  });

  test('are proven as far as they came when the recording breaks off', () => {
    const found = verify(held().lines);
    expect(found.gaps.map(({ kind }) => kind)).toEqual(['cut-off']);
    expect(found.streams.server).toEqual({ bytes: 12, proven: 12, lost: 0 });
    expect(verify(held().lines, true)).toMatchObject({ gaps: [], isRunning: true });
  });

  test('are told when what was held is not what came', () => {
    const lines = held().pass('server', '"result":{}}\n').close().lines;
    const other = lines.map((line) => (line.includes('"held":0') ? line.replace('id', 'di') : line));
    expect(gapsOf(other)).toEqual(['differs: server: record 7 gives the line another beginning than record 3 did']);
  });

  test('are proven when they are written in parts', () => {
    const maker = new TraceMaker();
    for (let count = 0; count < 18; count++) maker.pass('server', `${count}abcdef`.repeat(80_000)).store().wait(90);
    const lines = maker.wait(2000).pass('server', 'end\n').close().lines;
    expect(lines.some((line) => line.includes('"part":3,'))).toBe(true);
    expect(verify(lines).gaps).toEqual([]);
    const without = lines.filter((line) => !line.includes('"part":7,'));
    expect(gapsOf(renumbered(without))[0]).toMatch(/^differs: server: bytes /);
  });
});

describe('what was not recorded', () => {
  /** Nothing finds room behind the first kilobytes until the store takes what waits. */
  const lossy = (): TraceMaker => {
    const maker = new TraceMaker({ budget: 3000 }).pass('server', 'first\n').wait(1500);
    for (let count = 0; count < 40; count++) maker.pass('server', `${'x'.repeat(99)}\n`);
    return maker.store();
  };

  test('is told, and what came before is proven', () => {
    const found = verify(lossy().pass('server', 'after\n').close().lines);
    expect(found.streams.server.proven).toBe(6);
    expect(found.streams.server.bytes + found.streams.server.lost).toBe(6 + 4000 + 6);
    expect(found.gaps.map(({ kind, from }) => [kind, from])).toEqual([['lost', 'server']]);
    expect(found.gaps[0]?.text).toBe(
      `server: ${found.streams.server.lost.toLocaleString('en')} bytes were not recorded (the store is slower than the traffic), as record ${found.gaps[0]?.n} says`,
    );
    expect(found.streams.client).toEqual({ bytes: 0, proven: 0, lost: 0 });
  });

  test('is counted: what is missing beyond it is told too', () => {
    const lines = lossy().pass('server', 'after\n').close().lines;
    const without = lines.filter((line) => !line.includes('after'));
    expect(gapsOf(renumbered(without)).map((text) => text.replace(/\d+(?:,\d+)*/g, 'N'))).toEqual([
      'lost: server: N bytes were not recorded (the store is slower than the traffic), as record N says',
      'missing: server: N bytes had passed by record N, and N of them are missing, after record N',
    ]);
  });

  test('is told even when it was the last thing that happened', () => {
    const maker = new TraceMaker({ budget: 3000 }).pass('server', 'first\n');
    for (let count = 0; count < 40; count++) maker.pass('server', `${'x'.repeat(99)}\n`);
    expect(verify(maker.close().lines).gaps.map(({ kind }) => kind)).toEqual(['lost']);
  });

  test('may be a line of which the beginning was held', () => {
    const maker = new TraceMaker({ budget: 3000 }).pass('server', 'begin').wait(100).wait(100);
    maker.pass('stderr', `${'x'.repeat(1900)}\n`).pass('server', `${'y'.repeat(1500)}\n`);
    const found = verify(maker.store().pass('server', 'after\n').close().lines);
    expect(found.gaps.map(({ kind }) => kind)).toEqual(['lost']);
    expect(found.streams.server).toMatchObject({ bytes: 6, lost: 1506 });
  });
});

test('a server that was never started is a complete recording of nothing', () => {
  const maker = new TraceMaker();
  maker.recorder.closed(5, { error: 'Could not start "nothing".' });
  expect(verify(maker.lines)).toMatchObject({
    gaps: [],
    closed: { error: 'Could not start "nothing".' },
    streams: { client: { bytes: 0, proven: 0 } },
  });
});

test('what a later version added is no gap', () => {
  const lines = recorded().toSpliced(6, 0, '{"n":6,"at":1,"c":1,"novelty":{"x":1}}');
  expect(gapsOf(renumbered(lines))).toEqual([]);
});

test('of very many gaps the first are told and the others counted', () => {
  const lines = recorded().toSpliced(6, 0, ...Array.from({ length: 250 }, () => 'rubbish'));
  const { gaps, moreGaps } = verify(lines);
  expect([gaps.length, moreGaps]).toEqual([100, 150]);
});
