import { expect, test } from 'vitest';
import { TraceMaker } from '../../../test/trace-maker.ts';
import { type TraceItem, TraceReader } from './trace-reader.ts';

function readAll(...chunks: readonly Uint8Array[]): TraceItem[] {
  const reader = new TraceReader();
  return [...chunks.flatMap((chunk) => reader.feed(Uint8Array.from(chunk))), ...reader.end()];
}

const trace = new TraceMaker()
  .pass('client', '{"id":1,"method":"ping"}\r\n')
  .pass('server', '{"id":1,"é":"€😀"}\nno JSON é\n')
  .pass('stderr', Uint8Array.from([0xff, 0x0a, 0x41]))
  .close().bytes;

const brief = (items: readonly TraceItem[]): unknown[] =>
  items.map((item) => ('event' in item ? `${item.event.n} ${item.event.kind}` : item));

test('reads a trace in order', () => {
  const items = readAll(trace);
  expect(items[0]).toHaveProperty('header.id', '01KBXM2Q9ZC8V4T6W1R0D5F7GH');
  expect(brief(items.slice(1))).toEqual(
    [
      '1 opened',
      ['2 frame', '3 frame', '4 frame', '5 frame'],
      ['6 ended', '7 ended', '8 frame', '9 ended', '10 sums', '11 closed'],
    ].flat(),
  );
});

test('wherever the input is cut', () => {
  const whole = readAll(trace);
  for (let at = 0; at <= trace.length; at++) {
    expect(readAll(trace.subarray(0, at), trace.subarray(at))).toEqual(whole);
  }
  expect(readAll(...[...trace].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
});

test('wherever the file ends, it loses no whole record and tells what is torn', () => {
  const whole = readAll(trace);
  const firstLine = trace.indexOf(0x0a);
  for (let to = firstLine + 1; to <= trace.length; to++) {
    const lines = trace.subarray(0, to).filter((byte) => byte === 0x0a).length;
    const torn = to - 1 - trace.lastIndexOf(0x0a, to - 1);
    expect(readAll(trace.subarray(0, to))).toEqual([
      ...whole.slice(0, lines),
      ...(torn > 0 ? [{ torn: { line: lines + 1, bytes: torn } }] : []),
    ]);
  }
});

test('a chunk that is used again for the next one is no matter once its lines are whole', () => {
  const reader = new TraceReader();
  const chunk = Uint8Array.from(trace);
  const items = [...reader.feed(chunk), ...reader.end()];
  const before = structuredClone(items);
  chunk.fill(0);
  expect(items).toEqual(before);
});

test.each<[string, string]>([
  ['a blank line', ''],
  ['text', 'what is this?'],
  ['JSON that is no record', '{"a":1}'],
  ['half a record', '{"n":3,"at":1.0'],
  ['zeros', '\0\0\0\0'],
])('a damaged line is told and the rest is read: %s', (_, damage) => {
  const lines = trace.toString('latin1').split('\n');
  lines.splice(3, 0, damage);
  const items = readAll(Buffer.from(lines.join('\n'), 'latin1'));
  expect(items[3]).toEqual({ damaged: { line: 4, bytes: damage.length + 1 } });
  expect(items.toSpliced(3, 1)).toEqual(readAll(trace));
});

test('a line that no record can be is not kept', () => {
  const reader = new TraceReader();
  const mebibyte = new Uint8Array(1024 * 1024).fill(0x41);
  reader.feed(trace.subarray(0, trace.indexOf(0x0a) + 1));
  for (let count = 0; count < 70; count++) expect(reader.feed(mebibyte)).toEqual([]);
  expect(reader.feed(Uint8Array.of(0x0a))).toEqual([{ damaged: { line: 2, bytes: 70 * 1024 * 1024 + 1 } }]);
  const rest = Buffer.from('{"n":1,"at":1,"c":1,"ended":"client"}\n');
  expect(reader.feed(rest)).toEqual([{ event: { kind: 'ended', n: 1, at: 1, c: 1, from: 'client' } }]);
});

test.each([
  ['nothing', ''],
  ['a blank line', '\n'],
  ['no JSON', 'hello\n'],
  ['other JSON', '{"jsonrpc":"2.0"}\n'],
  ['half a header', '{"wireproof":1,"id":"01'],
  ['a header of a later version', '{"wireproof":99}\n'],
])('is no trace: %s', (_, text) => {
  expect(() => readAll(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'trace-unreadable' }));
});

test('a header alone is a trace, even without its newline', () => {
  const header = trace.subarray(0, trace.indexOf(0x0a));
  expect(readAll(header)).toEqual(readAll(trace).slice(0, 1));
});
