import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { joinBytes } from './line-framer.ts';
import { readSseEvent, soleDataLine, SseFramer, type SseEvent } from './sse-framer.ts';
import { showUtf8, writeUtf8 } from './utf8.ts';

const framed = (chunks: readonly Uint8Array[]): Uint8Array[] => {
  const framer = new SseFramer();
  return [...chunks.flatMap((chunk) => framer.feed(chunk)), ...framer.end()];
};

const eachByte = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte));

const cutAt = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((to, index) => bytes.subarray(cuts[index], to));
};

/** The pieces as they are when no CRLF is cut in two: a LF that came late goes back to its CR. */
const mended = (pieces: readonly Uint8Array[]): string[] => {
  const texts: string[] = [];
  for (const piece of pieces) {
    // Latin-1: a character for each byte, whatever it is.
    let text = String.fromCharCode(...piece);
    if (text.startsWith('\n') && texts.at(-1)?.endsWith('\r')) {
      texts[texts.length - 1] += '\n';
      text = text.slice(1);
    }
    if (text !== '') texts.push(text);
  }
  return texts;
};

/** What a browser hands to a page: the whole text at once, as the specification tells it. */
const dispatched = (bytes: Uint8Array) => {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  // The line that has no end yet.
  lines.pop();
  const events: { type: string; data: string; lastId: string }[] = [];
  let [type, data, lastId] = ['', '', ''];
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as unknown as [string, string, string?];
    if (line === '') {
      if (data !== '') events.push({ type: type || 'message', data: data.slice(0, -1), lastId });
      [type, data] = ['', ''];
    } else if (name === 'event') type = value;
    else if (name === 'data') data += `${value}\n`;
    else if (name === 'id' && !value.includes('\0')) lastId = value;
  }
  return events;
};

/** The same by way of the pieces. */
const readAll = (pieces: readonly Uint8Array[]) => {
  let lastId = '';
  return pieces.flatMap((piece, index) => {
    const { event: type = 'message', id, data } = readSseEvent(piece, index === 0);
    lastId = id ?? lastId;
    return data === undefined ? [] : [{ type, data, lastId }];
  });
};

const lineText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('data: {"a":1}', 'data:', 'data', 'data:  é漢', 'id: 1', 'id', 'id: a\0b') },
  { weight: 2, arbitrary: fc.constantFrom('event: message', 'event:', 'retry: 10', ': ping', ':', 'other: x', 'dat') },
  { weight: 2, arbitrary: fc.constant('') },
  fc.string({ unit: fc.constantFrom('data', ':', ' ', '\uFEFF', '😀', 'x'), maxLength: 5 }),
);
const line = fc.oneof(
  { weight: 9, arbitrary: lineText.map(writeUtf8) },
  fc.uint8Array({ maxLength: 4 }).map((bytes) => joinBytes([writeUtf8('data:'), bytes])),
);
const lineEnd = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', '').map(writeUtf8);
/** A stream may open with a byte-order mark, or with what only begins as one. */
const opening = fc.constantFrom([], [], [0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef, 0xbb, 0xbf, 0x0a], [0x0a]);
const eventStream = fc
  .tuple(
    opening.map((bytes) => Uint8Array.from(bytes)),
    fc.array(fc.tuple(line, lineEnd).map(joinBytes), { maxLength: 12 }),
  )
  .map(([first, lines]) => joinBytes([first, ...lines]));

test.each([
  ['nothing', '', []],
  ['one event', 'data: a\n\n', ['data: a\n\n']],
  ['an event that has no end', 'data: a\n\ndata: b\n', ['data: a\n\n', 'data: b\n']],
  ['a line that has no end', 'data: a', ['data: a']],
  ['LF', 'id: 1\ndata: a\n\ndata: b\n\n', ['id: 1\ndata: a\n\n', 'data: b\n\n']],
  ['CR', 'id: 1\rdata: a\r\rdata: b\r\r', ['id: 1\rdata: a\r\r', 'data: b\r\r']],
  ['CRLF', 'id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n', ['id: 1\r\ndata: a\r\n\r\n', 'data: b\r\n\r\n']],
  ['line ends mixed', 'a\n\rb\r\n\nc\r\r\nd', ['a\n\r', 'b\r\n\n', 'c\r\r\n', 'd']],
  ['blank lines that end nothing', '\n\r\n\rdata: a\n\n\n\n', ['\n', '\r\n', '\r', 'data: a\n\n', '\n', '\n']],
  ['comments only', ': ping\n\n:\n\n', [': ping\n\n', ':\n\n']],
  ['a comment without a blank line', ': ping\ndata: a\n\n', [': ping\ndata: a\n\n']],
  ['a priming event', 'id: 1\ndata:\n\ndata: a\n\n', ['id: 1\ndata:\n\n', 'data: a\n\n']],
  ['a space, which makes a line not blank', 'data: a\n \n\n', ['data: a\n \n\n']],
  ['a byte-order mark', '\uFEFFdata: a\n\n', ['\uFEFFdata: a\n\n']],
  ['a byte-order mark on a line that is blank without it', '\uFEFF\ndata: a\n\n', ['\uFEFF\n', 'data: a\n\n']],
  ['a second byte-order mark, which is text', '\uFEFF\uFEFF\ndata: a\n\n', ['\uFEFF\uFEFF\ndata: a\n\n']],
  ['a byte-order mark further on, which is text', '\n\uFEFF\n\n', ['\n', '\uFEFF\n\n']],
  ['a character that begins like the mark, which is text', '\uFEFE\n\n\n', ['\uFEFE\n\n', '\n']],
  [
    'other things that some call line ends',
    'a\u2028\u2028b\u0085\u0085\v\v\f\f',
    ['a\u2028\u2028b\u0085\u0085\v\v\f\f'],
  ],
])('%s, cut at every byte', (_, text, events) => {
  const bytes = writeUtf8(text);
  expect(framed([bytes]).map(showUtf8)).toEqual(events);
  const expected = mended(events.map(writeUtf8));
  for (let cut = 0; cut <= bytes.length; cut++) {
    const pieces = framed([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(joinBytes(pieces)).toEqual(bytes);
    expect(mended(pieces)).toEqual(expected);
  }
  expect(mended(framed(eachByte(bytes)))).toEqual(expected);
});

test.each([
  [
    'a CR that ends the chunk ends the event, and its LF opens the next',
    ['data: a\r\n\r', '\ndata: b\r\n\r\n'],
    [1, 1],
  ],
  ['CR alone waits for nothing', ['data: a\r\r', 'data: b\r\r'], [1, 1]],
  ['a LF that comes by itself is held', ['data: a\r\n\r', '\n', 'data: b\n\n'], [1, 0, 1]],
  ['a chunk with nothing in it comes between no CR and its LF', ['data: a\r', '', '\ndata: b\n\n'], [0, 0, 1]],
  ['a second LF is a blank line', ['data: a\r\r', '\n\n'], [1, 1]],
  ['half a CRLF within an event is no blank line', ['data: a\r', '\n', '\n'], [0, 0, 1]],
])('%s', (_, chunks, counts) => {
  const framer = new SseFramer();
  const pieces = chunks.map((chunk) => framer.feed(writeUtf8(chunk)));
  expect(pieces.map(({ length }) => length)).toEqual(counts);
  expect(framer.end()).toEqual([]);
  expect(showUtf8(joinBytes(pieces.flat()))).toBe(chunks.join(''));
});

test('however a stream is cut, the pieces are the same but for a LF that came late', () => {
  fc.assert(
    fc.property(eventStream, fc.array(fc.nat(), { maxLength: 6 }), (bytes, places) => {
      const whole = framed([bytes]);
      expect(joinBytes(whole)).toEqual(bytes);
      for (const chunks of [cutAt(bytes, places), eachByte(bytes)]) {
        const pieces = framed(chunks);
        expect(joinBytes(pieces)).toEqual(bytes);
        expect(mended(pieces)).toEqual(mended(whole));
      }
    }),
  );
});

test('after each byte all has come out that a browser would have handed on by then', () => {
  fc.assert(
    fc.property(eventStream, (bytes) => {
      const framer = new SseFramer();
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at++) {
        pieces.push(...framer.feed(bytes.subarray(at, at + 1)));
        const expected = dispatched(bytes.subarray(0, at + 1));
        expect(readAll(pieces)).toEqual(expected);
        const cut = new SseFramer();
        expect(readAll(cut.feed(bytes.subarray(0, at + 1)))).toEqual(expected);
      }
    }),
  );
});

test('what is held can be taken at any time, and the event goes on', () => {
  fc.assert(
    fc.property(eventStream, fc.array(fc.nat(), { maxLength: 6 }), fc.array(fc.boolean()), (bytes, places, takes) => {
      const chunks = cutAt(bytes, places);
      const framer = new SseFramer();
      const events: Uint8Array[] = [];
      let open: Uint8Array[] = [];
      let fed = 0;
      for (const [index, chunk] of chunks.entries()) {
        for (const piece of framer.feed(chunk)) {
          events.push(joinBytes([...open, piece]));
          open = [];
        }
        fed += chunk.length;
        expect(joinBytes([...events, ...open]).length + framer.held).toBe(fed);
        if (takes[index] === true) open.push(framer.takeHeld());
        if (takes[index] === true) expect(framer.held).toBe(0);
      }
      const rest = joinBytes([...open, ...framer.end()]);
      expect([...events, ...(rest.length > 0 ? [rest] : [])]).toEqual(framed(chunks));
    }),
  );
});

/** Counts the bytes that are searched. */
class Counted extends Uint8Array {
  static searched = 0;
  override indexOf(byte: number, from = 0): number {
    const at = super.indexOf(byte, from);
    Counted.searched += (at < 0 ? this.length : at + 1) - from;
    return at;
  }
}

const counted = (length: number, text: string): Counted => {
  const pattern = writeUtf8(text);
  return new Counted(length).map((_, at) => pattern[at % pattern.length] as number);
};

const searchedIn = (work: () => unknown): number => {
  Counted.searched = 0;
  work();
  return Counted.searched;
};

test('an event without an end costs what its bytes cost, and is held without copies', () => {
  const [size, count] = [1024, 10 * 1024];
  const chunk = counted(size, 'x');
  const framer = new SseFramer();
  const searched = searchedIn(() => {
    for (let index = 1; index <= count; index++) {
      expect(framer.feed(chunk)).toEqual([]);
      if (framer.held !== size * index) expect.fail('held is not what was fed');
    }
  });
  expect(searched).toBe(2 * size * count);
  const pieces = framer.end();
  expect(pieces.map(({ length }) => length)).toEqual([size * count]);
  expect(framer.held).toBe(0);
});

test.each(['\n', '\r', '\r\n', 'data\n\n', 'x\r\r', 'data: a\r\n\r\n', 'no colon\n'])(
  'many lines in one chunk cost what its bytes cost: %j',
  (pattern) => {
    const bytes = counted(60_000, pattern);
    const framer = new SseFramer();
    expect(searchedIn(() => framer.feed(bytes))).toBeLessThanOrEqual(2 * bytes.length);
    expect(searchedIn(() => readSseEvent(bytes))).toBeLessThanOrEqual(3 * bytes.length);
    expect(searchedIn(() => soleDataLine(bytes))).toBeLessThanOrEqual(3 * bytes.length);
  },
);

test('an event that lies within one chunk is handed out as a view of it', () => {
  const bytes = writeUtf8('data: a\n\ndata: b\n\n');
  const framer = new SseFramer();
  const pieces = [...framer.feed(bytes), ...framer.feed(bytes)];
  expect(pieces.map(({ buffer, byteOffset }) => [buffer === bytes.buffer, byteOffset])).toEqual([
    [true, 0],
    [true, 9],
    [true, 0],
    [true, 9],
  ]);
});

test('what only begins like a byte-order mark is no blank line', () => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0x0a, 0x0a);
  expect(framed([bytes])).toEqual([bytes]);
  expect(framed(eachByte(bytes))).toEqual([bytes]);
});

test.each<[string, string, Partial<SseEvent>]>([
  ['nothing', '', {}],
  ['a blank line', '\r\n', {}],
  [
    'all fields',
    'event: message\nid: 7\nretry: 500\ndata: {}\n\n',
    { event: 'message', id: '7', retry: 500, data: '{}', fields: 4 },
  ],
  ['data lines, joined with LF whatever ends them', 'data: a\r\ndata: b\rdata:c\n\n', { data: 'a\nb\nc', fields: 3 }],
  ['data lines that are empty', 'data\ndata:\n\n', { data: '\n', fields: 2 }],
  ['a priming event', 'id: 1\ndata:\n\n', { id: '1', data: '', fields: 2 }],
  ['a field without a colon', 'data\n\n', { data: '', fields: 1 }],
  ['one space dropped, no other', 'data:  a \n\n', { data: ' a ', fields: 1 }],
  ['a tab, which is no space', 'data:\ta\n\n', { data: '\ta', fields: 1 }],
  ['a colon in a value', 'data: a: b\n\n', { data: 'a: b', fields: 1 }],
  ['the last event and id', 'event: a\nevent: b\nid: 1\nid: 2\n\n', { event: 'b', id: '2', fields: 4 }],
  ['an empty event, which is none', 'event: a\nevent\n\n', { fields: 2 }],
  ['an empty id, which takes the last one back', 'id\n\n', { id: '', fields: 1 }],
  ['an id with NUL, ignored', 'id: 1\nid: a\0b\n\n', { id: '1', fields: 2 }],
  [
    'a retry that is not only digits, ignored',
    'retry: 1\nretry: 1.5\nretry: -1\nretry: ٣\nretry:\n\n',
    { retry: 1, fields: 5 },
  ],
  ['fields that nobody knows', 'Data: a\n data: b\ndata : c\nx\n\n', { fields: 4 }],
  ['fields whose names are nearly known', 'dat: a\ndata2: b\nid2: 1\nretri: 1\n\n', { fields: 4 }],
  ['comments', ': a\n:b\n:  c\n:\n\n', { comments: ['a', 'b', ' c', ''] }],
  ['a LF that came late', '\ndata: a\n\n', { data: 'a', fields: 1 }],
  ['an event that was cut off', 'data: a\ndata: b', { data: 'a\nb', fields: 2 }],
  ['a byte-order mark that is not at the start of the stream', '\uFEFFdata: a\n\n', { fields: 1 }],
])('reads %s', (_, text, event) => {
  expect(readSseEvent(writeUtf8(text))).toStrictEqual({ comments: [], fields: 0, ...event });
});

test('a byte-order mark is passed over at the start of the stream, once', () => {
  expect(readSseEvent(writeUtf8('\uFEFFdata: a\n\n'), true).data).toBe('a');
  expect(readSseEvent(writeUtf8('\uFEFF\uFEFFdata: a\n\n'), true).data).toBeUndefined();
  expect(readSseEvent(writeUtf8('data: \uFEFFa\n\n'), true).data).toBe('\uFEFFa');
  expect(soleDataLine(writeUtf8('\uFEFFdata: a\n\n'), true)).toEqual({ from: 9, to: 10 });
  expect(soleDataLine(writeUtf8('\uFEFFdata: a\n\n'))).toBeUndefined();
});

test('what is not UTF-8 is replaced, and the line ends stay', () => {
  const bytes = joinBytes([writeUtf8('data: '), Uint8Array.of(0xff, 0x61, 0xe6, 0xbc), writeUtf8('\ndata: b\n\n')]);
  expect(readSseEvent(bytes).data).toBe('\uFFFDa\uFFFD\nb');
});

test.each([
  ['one line', 'data: {}\n\n', 'data: ', '\n\n'],
  ['no space', 'data:{}\n\n', 'data:', '\n\n'],
  ['a second space, part of the value', 'data:  {}\n\n', 'data: ', '\n\n'],
  [
    'among other fields',
    ': c\r\nid: 7\r\nevent: message\r\ndata: {}\r\nretry: 5\r\n\r\n',
    ': c\r\nid: 7\r\nevent: message\r\ndata: ',
    '\r\nretry: 5\r\n\r\n',
  ],
  ['CR', 'data: {}\rid: 1\r\r', 'data: ', '\rid: 1\r\r'],
  ['behind a LF that came late', '\ndata: {}\n\n', '\ndata: ', '\n\n'],
  ['empty', 'id: 1\ndata:\n\n', 'id: 1\ndata:', '\n\n'],
  ['empty behind a space', 'data: \n\n', 'data: ', '\n\n'],
  ['without a colon', 'data\n\n', 'data', '\n\n'],
  ['that has no end', 'data: {}', 'data: ', ''],
])('the sole data line: %s', (_, text, before, behind) => {
  const bytes = writeUtf8(text);
  expect(soleDataLine(bytes)).toEqual({ from: before.length, to: bytes.length - behind.length });
});

test.each(['', '\n', 'id: 1\n\n', ': data: a\n\n', 'data: a\ndata: b\n\n', 'data: a\ndata\n\n', 'database: a\n\n'])(
  'no sole data line: %j',
  (text) => {
    expect(soleDataLine(writeUtf8(text))).toBeUndefined();
  },
);

test('the sole data line is the data that is read', () => {
  fc.assert(
    fc.property(eventStream, (bytes) => {
      for (const [index, piece] of framed([bytes]).entries()) {
        const place = soleDataLine(piece, index === 0);
        const { data } = readSseEvent(piece, index === 0);
        if (place) expect(data).toBe(showUtf8(piece.subarray(place.from, place.to)));
        else expect(data === undefined || data.includes('\n')).toBe(true);
      }
    }),
  );
});
