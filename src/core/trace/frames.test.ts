import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/transcript-events.ts';
import type { FrameEvent, TraceEvent } from './format.ts';
import { Frames } from './frames.ts';
import { longestReadLine } from './pieces.ts';
import type { FrameUnit } from './unit.ts';

function framesOf(events: readonly TraceEvent[]): FrameUnit[] {
  const machine = new Frames();
  const units = [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
  return units.filter((unit) => unit.unit === 'frame');
}

const strayOf = (...lines: string[]): unknown => framesOf(eventsOf(...lines)).map((frame) => frame.stray);
const message = '{"jsonrpc":"2.0","id":1,"result":{}}';

test.each([
  ['a message', [`<|${message}`], [undefined]],
  ['a message with a carriage return before its newline', [`<|${message}\r`], [undefined]],
  ['a banner', ['<|Listening on stdio...'], [{ why: 'not JSON' }]],
  ['an empty line', ['>|'], [{ why: 'blank' }]],
  ['a line of spaces', ['>|  \t'], [{ why: 'blank' }]],
  ['an empty line with a carriage return', ['>|\r'], [{ why: 'blank' }]],
  ['a byte-order mark', [`<|\ufeff${message}`], [{ why: 'not JSON', hint: 'byte-order mark' }]],
  [
    'messages framed as language servers do',
    [
      '<|Content-Length: 36\r',
      '<|\r',
      `<|${message}Content-Length: 36\r`,
      '<|Content-Type: application/vscode-jsonrpc; charset=utf-8\r',
    ],
    [
      { why: 'not JSON', hint: 'Content-Length header' },
      { why: 'blank' },
      { why: 'not JSON', hint: 'Content-Length header' },
      { why: 'not JSON', hint: 'Content-Length header' },
    ],
  ],
  ['JSON that is no JSON-RPC', ['<|{"status":200}'], [{ why: 'not JSON-RPC' }]],
  ['a JSON scalar', ['<|null'], [{ why: 'not JSON-RPC' }]],
  ['an empty batch', ['<|[]'], [{ why: 'not JSON-RPC' }]],
  [
    'half a message at the end of the stream',
    ['<|{"jsonrpc":"2.0","id\\z'],
    [{ why: 'unterminated', isOpen: false, isJson: false, holds: [] }],
  ],
  ['what stands on stderr', ['!Traceback', '!{', '!}'], [undefined, undefined, undefined]],
])('%s', (_, lines, strays) => {
  expect(strayOf(...lines)).toEqual(strays);
});

test('a message without a newline is none, and it is said what it would be', () => {
  const [frame] = framesOf(eventsOf(`<|${message}\\z`));
  expect(frame?.messages).toEqual([]);
  expect(frame?.stray).toMatchObject({
    why: 'unterminated',
    isOpen: false,
    isJson: true,
    holds: [{ kind: 'response', id: 1 }],
  });
});

test('invalid UTF-8 is named with the offset of its first bad byte', () => {
  const bytes = Uint8Array.from([0x7b, 0x22, 0x97, 0x22, 0x0a]);
  const event: FrameEvent = { kind: 'frame', n: 1, at: 1, c: 1, from: 'server', bytes, eol: '\n', form: 'b64' };
  expect(framesOf([event])[0]).toMatchObject({ stray: { why: 'not UTF-8', offset: 2 }, bytes, messages: [] });
});

test('U+2028 in a string is no end of a line', () => {
  const [frame] = framesOf(eventsOf('<|{"jsonrpc":"2.0","id":1,"result":{"a":"\u2028"}}'));
  expect(frame?.messages).toHaveLength(1);
});

test('a batch holds its messages in order, each with its exact JSON and id', () => {
  const [frame] = framesOf(
    eventsOf('<|[{"jsonrpc":"2.0","id":1.0,"result":{}}, 7 ,{"jsonrpc":"2.0","id":"a","result":{"x":1e400}}]'),
  );
  expect(
    frame?.messages.map(({ id, batch, json }) => [id, batch?.index, batch?.of, Buffer.from(json).toString()]),
  ).toEqual([
    ['1.0', 0, 3, '{"jsonrpc":"2.0","id":1.0,"result":{}}'],
    ['"a"', 2, 3, '{"jsonrpc":"2.0","id":"a","result":{"x":1e400}}'],
  ]);
});

test('deep nesting is read', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const [frame] = framesOf(eventsOf(`>|{"jsonrpc":"2.0","method":"x","params":{"a":${deep}}}`));
  expect(frame?.messages).toHaveLength(1);
});

const spread = ['<|{', '<|  "jsonrpc": "2.0",', '<|  "id": 1,', '<|  "result": {', '<|    "a": [', '<|      1'];
const spreadEnd = ['<|    ]', '<|  }', '<|}'];

test('a message spread over lines is one stray frame with all its bytes', () => {
  const frames = framesOf(eventsOf(...spread, '> {"method":"x"}', ...spreadEnd));
  expect(frames.map((frame) => frame.from)).toEqual(['client', 'server']);
  expect(frames[1]).toMatchObject({
    n: 10,
    records: [1, 2, 3, 4, 5, 6, 8, 9, 10],
    since: 10,
    at: 100,
    messages: [],
    stray: { why: 'spread', lines: 9, holds: [{ kind: 'response', id: 1 }] },
  });
  expect(Buffer.from(frames[1]?.bytes ?? []).toString()).toBe(
    `${[...spread, ...spreadEnd].map((line) => line.slice(2)).join('\n')}\n`,
  );
});

test.each([
  ['a message comes in between', [...spread, `<|${message}`], 7],
  ['the stream ends', [...spread, 'closed'], 6],
  ['a string is not closed on its line', ['<|{', '<|"a'], 2],
  ['something stands behind it', ['<|{', '<|} ok'], 2],
  ['what is inside is no JSON', ['<|{', '<|banner', '<|}'], 3],
])('lines that may become JSON come out one by one when %s', (_, lines, count) => {
  const frames = framesOf(eventsOf(...lines));
  expect(frames.map((frame) => frame.n)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(frames.every(({ stray }) => stray?.why !== 'spread')).toBe(true);
});

const part = (n: number, number: number, text: string, last = false): FrameEvent => ({
  kind: 'frame',
  n,
  at: n,
  since: 1,
  c: 1,
  from: 'server',
  bytes: Buffer.from(text),
  eol: last ? '\n' : '',
  form: 'text',
  part: number,
  ...(last ? { last } : {}),
});

test('the parts of a long line are one frame', () => {
  const frames = framesOf([part(1, 1, '{"jsonrpc":"2.0",'), part(2, 2, '"id":1,"result":'), part(3, 3, '{}}\n', true)]);
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ records: [1, 2, 3], n: 3, at: 3, since: 1, size: 37, messages: [{ id: '1' }] });
  expect(Buffer.from(frames[0]?.bytes ?? []).toString()).toBe(`${message}\n`);
});

test.each([
  ['a part is missing', [part(1, 1, '{'), part(2, 3, '}\n', true)], ['incomplete']],
  ['its end is missing', [part(1, 1, '{'), ...eventsOf('', `<|${message}`).slice(1)], ['incomplete', undefined]],
  ['the recording ends', [part(1, 1, '{')], ['incomplete']],
])('a long line is incomplete where %s', (_, events, strays) => {
  expect(framesOf(events).map((frame) => frame.stray?.why)).toEqual(strays);
});

test('of a line too long to keep, the beginning is kept and its id is known', () => {
  const piece = 'x'.repeat(1024 * 1024);
  const count = longestReadLine / piece.length + 1;
  const middle = Array.from({ length: count }, (_, index) => part(index + 2, index + 2, piece));
  const head = '{"jsonrpc":"2.0","id":7,"result":{"text":"';
  const frames = framesOf([part(1, 1, head), ...middle, part(count + 2, count + 2, '"}}\n', true)]);
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ size: head.length + count * piece.length + 4, messages: [{ id: '7' }] });
  expect(frames[0]?.stray).toBeUndefined();
  expect(frames[0]?.bytes.length).toBeLessThan(100_000);
});

const held = (n: number, offset: number, text: string): TraceEvent => ({
  kind: 'held',
  n,
  at: n,
  c: 1,
  from: 'server',
  offset,
  bytes: Buffer.from(text),
});

test('a held line that is completed is one frame', () => {
  expect(framesOf([held(1, 0, '{"a'), held(2, 3, '":'), ...eventsOf('', '', `<|${message}`).slice(2)])).toHaveLength(1);
});

test('a held line is unterminated when the recording ends', () => {
  const frames = framesOf([held(1, 0, message.slice(0, 10)), held(2, 10, message.slice(10))]);
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ records: [1, 2], stray: { why: 'unterminated', isOpen: true, isJson: true } });
});

test('while it is held, it is told of', () => {
  const machine = new Frames();
  expect(machine.feed(held(1, 0, message))).toEqual([
    { unit: 'connection', what: 'held', c: 1, n: 1, at: 1, from: 'server', bytes: message.length, isJson: true },
  ]);
});
