import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { httpConversation } from '../../../../test/http-conversation.ts';
import { HttpTraceMaker } from '../../../../test/http-trace-maker.ts';
import { copyOf, inParts, readBack, standIns, unitsOf, unnumbered, viewOf } from '../../../../test/redacted-copies.ts';
import { someHeader, TraceMaker } from '../../../../test/trace-maker.ts';
import type { TraceEvent } from '../format.ts';
import { RecordFinder, type RecordPage } from '../record-finder.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const withPin = (pin: string): string => `{"jsonrpc":"2.0","id":1,"result":{"pin":"${pin}"}}`;
const keys = { keys: ['pin'] };
const nothingFits = { secrets: false, values: ['no such thing'] };
const numbersOf = (events: readonly TraceEvent[]): number[] => events.map(({ n }) => n);
const withoutHeld = (events: readonly TraceEvent[]): TraceEvent[] => events.filter(({ kind }) => kind !== 'held');

function pageOf(events: readonly TraceEvent[], n: number): RecordPage | undefined {
  const finder = new RecordFinder(n);
  for (const event of events) {
    const page = finder.feed(event);
    if (page) return page;
  }
  return finder.end();
}

const lines = (): TraceMaker =>
  new TraceMaker()
    .pass('client', `${ping}\r\n`)
    .pass('server', Uint8Array.of(0xff, 0x0a))
    .pass('server', `${withPin('s3')}\n{"pin":"s3",\n"x":1}\n`)
    .pass('stderr', 'ready\n')
    .wait(1200)
    .pass('server', '{"id":')
    .wait(50)
    .pass('server', '1}\n')
    .pass('client', 'no newline');

describe('the records keep their numbers', () => {
  const cuts = (body: Buffer): number[] => (body.length > 20 ? [3, 9, 15] : []);

  test.each<[string, Buffer]>([
    ['lines', lines().close().bytes],
    ['lines in parts', inParts(lines().close().bytes, cuts)],
    ['lines that are not closed', lines().bytes],
    ['HTTP', httpConversation().bytes],
    ['bodies in parts', inParts(httpConversation().bytes, cuts)],
  ])('%s, where nothing is replaced', (_, trace) => {
    const { events } = readBack(trace);
    const view = viewOf(trace, nothingFits);
    expect(unitsOf(view.events)).toEqual(unitsOf(events));
    expect(numbersOf(withoutHeld(view.events)).sort((one, other) => one - other)).toEqual(
      numbersOf(withoutHeld(events)),
    );
    expect(view.replaced).toBe(0);
  });

  test.each<[string, Buffer]>([
    ['lines', lines().close().bytes],
    ['lines in parts', inParts(lines().close().bytes, cuts)],
  ])('%s, where something is: all is as in a copy but for them', (_, trace) => {
    const view = viewOf(trace, keys);
    const copied = readBack(copyOf(trace, keys).bytes).events;
    expect(unnumbered(unitsOf(view.events))).toEqual(unnumbered(unitsOf(copied)));
    expect(new Set(numbersOf(withoutHeld(view.events)))).toEqual(
      new Set(numbersOf(withoutHeld(readBack(trace).events))),
    );
    expect(view.replaced).toBe(copyOf(trace, keys).copied.replaced);
    expect(unitsOf(view.events).join('\n')).not.toContain('s3');
    expect(unitsOf(view.events).join('\n')).toMatch(
      /"redacted":\["\/pin"\],"records":\[[\d,]+\],"stray":\{"why":"spread"/,
    );
  });

  const long = `{"jsonrpc":"2.0","id":1,"result":{"x":"${'y'.repeat(3000)}","pin":"a secret"}}`;
  const recorded = inParts(
    new TraceMaker().pass('server', `${long}\n`).pass('client', `${ping}\n`).close().bytes,
    (body) => (body.length > 100 ? [1000, 2000, 3040, 3045] : []),
  );

  test.each<[string, number | undefined, string]>([
    ['is put together', undefined, standIns.text('a secret', 'key')],
    ['is too long for that and replaced whole', 2500, 'redacted-value-'],
  ])('an item in parts that %s: each part of it leads to all of it', (_, mostGathered, standIn) => {
    const { events } = readBack(recorded);
    const numbers = numbersOf(events.filter((event) => event.kind === 'frame' && event.part !== undefined));
    expect(numbers).toHaveLength(5);
    const view = viewOf(recorded, keys, { mostGathered });
    for (const n of numbers) {
      const page = pageOf(view.events, n);
      expect(page?.event.n).toBe(n);
      expect(page?.frame?.records).toEqual(numbers);
      expect(page?.frame?.redacted).toEqual([mostGathered === undefined ? '/result/pin' : '']);
      expect(Buffer.from(page?.frame?.bytes ?? []).toString()).toContain(standIn);
    }
    expect(unitsOf(view.events).join('\n')).not.toContain('a secret');
  });

  test('one record that becomes too long for one stays one', () => {
    const body = `{"pin":"s3","x":"${'y'.repeat(9_000_000)}"}`;
    const maker = new HttpTraceMaker();
    const lines = [
      ['Content-Type', 'application/json'],
      ['Content-Encoding', 'gzip'],
    ] as const;
    maker
      .stream()
      .ask({ body: ping })
      .answer({ lines, body: gzipSync(body) });
    const trace = maker.close().bytes;
    const recorded = readBack(trace).events.filter((event) => event.kind === 'frame' && event.form === 'b64');
    const [n = 0] = numbersOf(recorded);
    const page = pageOf(viewOf(trace, keys).events, n);
    expect(page?.frame?.records).toEqual([n]);
    expect(page?.frame?.redacted).toEqual(['/pin', 'decoded:gzip']);
    expect(page?.frame?.size).toBe(body.length + standIns.text('s3', 'key').length - 2);
  });
});

test('what is read stays what it was when more comes', () => {
  const maker = new TraceMaker();
  for (let count = 0; count < 3000; count++) maker.pass('server', `${withPin(`s3-${count}`)}\n`);
  const { events } = viewOf(maker.close().bytes, keys);
  const texts = events.flatMap((event) => (event.kind === 'frame' ? [Buffer.from(event.bytes).toString()] : []));
  expect(texts).toEqual(
    Array.from({ length: 3000 }, (_, count) => `${withPin(standIns.text(`s3-${count}`, 'key'))}\n`),
  );
});

test('each item comes out as soon as it has come, and the closing record at the end', () => {
  const { items } = viewOf(lines().close().bytes, keys);
  expect(items[0]).toEqual({ header: someHeader });
  expect(items.at(-1)).toMatchObject({ event: { kind: 'closed', closed: { exit: 0 } } });
});

test('of what has not ended yet only the length is told', () => {
  const maker = new TraceMaker().pass('server', '{"pin":"hun').wait(50).pass('server', 'ter2"}').wait(50);
  const open = viewOf(maker.bytes, keys);
  const held = open.items.flatMap((item) => ('unit' in item ? [item.unit] : []));
  expect(held).toMatchObject([
    { what: 'held', n: 2, from: 'server', bytes: 11, isJson: false },
    { what: 'held', n: 3, from: 'server', bytes: 17, isJson: true },
  ]);
  expect(JSON.stringify(held)).not.toMatch(/hun|ter2/);
  // Where the recording breaks off in it, it stands there as in a copy.
  const last = open.events.at(-1) as TraceEvent & { kind: 'held' };
  expect([last.kind, last.n, Buffer.from(last.bytes).toString()]).toEqual([
    'held',
    3,
    `{"pin":"${standIns.text('hunter2', 'key')}"}`,
  ]);
  const { events } = viewOf(maker.pass('server', '\n').close().bytes, keys);
  expect(events.some(({ kind }) => kind === 'held')).toBe(false);
});

test('lines of the file that are no records stay where they stand, records of unknown kinds do not', () => {
  const [header = '', ...all] = lines().close().lines;
  const unknown = '{"n":99,"at":1.000,"c":1,"dreamt":"s3"}';
  const trace = Buffer.from([header, all[0], '{"n":', unknown, ...all.slice(1), '{"n":7'].join('\n'));
  const { items, events } = viewOf(trace, keys);
  expect(items[2]).toEqual({ damaged: { line: 3, bytes: 6 } });
  expect(items.some((item) => 'torn' in item)).toBe(true);
  expect(events.some(({ n }) => n === 99)).toBe(false);
});

test('the note of a copy stays when the copy is shown, and none is added', () => {
  const copy = copyOf(lines().close().bytes, keys).bytes;
  const notes = (events: readonly TraceEvent[]): TraceEvent[] => events.filter(({ kind }) => kind === 'note');
  expect(notes(viewOf(copy, keys).events)).toEqual(notes(readBack(copy).events));
  expect(notes(viewOf(lines().close().bytes, keys).events)).toEqual([]);
});
