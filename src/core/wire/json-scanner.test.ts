import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { JsonScanner, type Outline } from './json-scanner.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What the scanner says of bytes that come in these pieces. */
function scan(...pieces: readonly Uint8Array[]): { isJson: boolean; outlines: Outline[] } {
  const scanner = new JsonScanner();
  scanner.reset();
  for (const piece of pieces) scanner.feed(piece, 0, piece.length);
  const isJson = scanner.end();
  return { isJson, outlines: isJson ? structuredClone(scanner.outlines.slice(0, scanner.messageCount)) : [] };
}

const isJson = (text: string | Uint8Array): boolean => scan(Buffer.from(text)).isJson;

/** The same by `JSON.parse`, and the conditions that the trace format adds. */
function shouldBe(bytes: Uint8Array): boolean {
  try {
    const text = strict.decode(bytes);
    JSON.parse(text);
    return !bytes.includes(0x0d) && depthOf(text) <= 200;
  } catch {
    return false;
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const bracket of text.replace(/"(?:[^"\\]|\\.)*"/gs, '').replace(/[^[\]{}]/g, '')) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** JSON as somebody may have spelled it: white space between the tokens, escapes where none are needed. */
const spelledJson = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.infiniteStream(fc.nat(20))).map(([value, chances]) => {
  const chance = (): number => chances.next().value as number;
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/gs, (token) => {
    if (token.length > 1) return chance() > 15 ? token.replace(/[a-z]/, unicodeEscape) : token;
    const space = ['', '', ' ', '\t', '\n', '  '][chance() % 6] as string;
    return chance() > 10 ? token : `${space}${token}${space}`;
  });
});

const unicodeEscape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON with some bytes changed, added or taken out. */
const mutatedJson = fc
  .tuple(
    spelledJson,
    fc.array(
      fc.tuple(fc.nat(), fc.nat(2), fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[],:"\\0-.eE+ \r')))),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([text, changes]) => {
    const bytes = [...Buffer.from(text)];
    for (const [at, kind, byte] of changes) {
      if (kind === 0) bytes.splice(at % (bytes.length + 1), 0, byte);
      else if (kind === 1) bytes.splice(at % bytes.length, 1);
      else bytes[at % bytes.length] = byte;
    }
    return Uint8Array.from(bytes);
  });

describe('says what JSON.parse says', () => {
  test('of JSON', () => {
    fc.assert(fc.property(spelledJson, (text) => isJson(text)));
  });

  test('of bytes that are nearly JSON', () => {
    fc.assert(
      fc.property(mutatedJson, (bytes) => scan(bytes).isJson === shouldBe(bytes)),
      { numRuns: 2000 },
    );
  });

  test('of any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .string({ unit: fc.constantFrom(...'{}[],:"\\0123-.eE+truefalsn \t\n\r'.split('')), maxLength: 12 })
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (some) => scan(some).isJson === shouldBe(some)),
      { numRuns: 3000 },
    );
  });

  test('of every beginning of a message', () => {
    const text = Buffer.from('{"id":-1.5e+3,"a":["\\u00e9\\n",true,null,{}],"é€😀":0} ');
    for (let to = 0; to <= text.length; to++) {
      const beginning = text.subarray(0, to);
      expect([to, scan(beginning).isJson]).toEqual([to, shouldBe(beginning)]);
    }
  });

  test('wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          mutatedJson,
          spelledJson.map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const whole = scan(bytes);
          for (let at = 0; at <= bytes.length; at++) {
            expect(scan(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
          }
          expect(scan(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
        },
      ),
    );
  });

  test('a scanner that is used again begins anew', () => {
    const scanner = new JsonScanner();
    for (const [text, should] of [
      ['{"a":', false],
      ['1', true],
      ['"', false],
      ['é'.slice(0), false],
      ['{}', true],
    ] as const) {
      const bytes = Buffer.from(text);
      scanner.reset();
      scanner.feed(bytes, 0, bytes.length);
      expect([text, scanner.end()]).toEqual([text, should]);
    }
  });
});

test.each(
  [
    [
      '0',
      '-0',
      '1',
      '10',
      '0.0',
      '1.5',
      '-1.25',
      '1e5',
      '1E5',
      '1e+5',
      '1e-5',
      '0e0',
      '1.0e00',
      '123456789012345678901234567890',
    ],
    [
      '"\\""',
      '"\\\\"',
      '"\\/"',
      '"\\b\\f\\n\\r\\t"',
      '"\\u0000"',
      '"\\ud800"',
      '"\\uDFFF"',
      '"\\uABCD"',
      '"\u007f"',
      '"\u2028"',
    ],
    ['true', 'false', 'null', ' 1', '1 ', '\t1\n', '[]', '{}', '[1,2]', '{"a":1,"a":2}', '{"":0}', '""', '[[],{}]'],
  ].flat(),
)('%j is JSON', (text) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  expect(isJson(text)).toBe(true);
});

test.each(
  [
    [
      '',
      ' ',
      '+1',
      '01',
      '-',
      '-01',
      '1.',
      '.5',
      '1.e5',
      '1e',
      '1e+',
      '1e5.5',
      '0x10',
      '1_000',
      '1 2',
      '--1',
      'Infinity',
      'NaN',
    ],
    ['"', '"a', '"\\"', '"\\x"', '"\\u"', '"\\u123"', '"\\u123g"', '"\n"', '"\t"', '"\u0000"', "'a'", '"a"b"'],
    ['tru', 'True', 'truee', 'nul', 'nulls', 'undefined', 'false1'],
    [
      '[',
      ']',
      '[1',
      '[1,',
      '[1,]',
      '[,1]',
      '[1 2]',
      '[1}',
      '{',
      '}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{a:1}',
      '{1:1}',
      '{"a" 1}',
      '{"a":1]',
    ],
    ['{}{}', '[]1', '//', '1//', '\ufeff1', '\ufeff{}', '\u00a01', '\f1', '\v1', '1\u0000'],
  ].flat(),
)('%j is not JSON', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(isJson(text)).toBe(false);
});

test.each(['\r1', '1\r', '{\r}', '[1,\r2]', '{"a":\r1}'])(
  '%j is JSON, but its carriage return keeps it out',
  (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(isJson(text)).toBe(false);
  },
);

test.each([
  ['200 arrays', '['.repeat(200) + ']'.repeat(200), true],
  ['201 arrays', '['.repeat(201) + ']'.repeat(201), false],
  ['200 objects', `${'{"a":'.repeat(199)}{}${'}'.repeat(199)}`, true],
  ['201 objects', `${'{"a":'.repeat(200)}{}${'}'.repeat(200)}`, false],
  ['200 levels twice', `[${'['.repeat(199)}${']'.repeat(199)},${'['.repeat(199)}${']'.repeat(199)}]`, true],
  ['a bracket in a string is no level', `${'['.repeat(200)}"[{"${']'.repeat(200)}`, true],
] as const)('%s', (_, text, should) => {
  expect(isJson(text)).toBe(should);
});

test.each([
  ['two bytes', [0xc3, 0xa9], true],
  ['three bytes', [0xe2, 0x82, 0xac], true],
  ['four bytes', [0xf0, 0x9f, 0x98, 0x80], true],
  ['the last character, U+10FFFF', [0xf4, 0x8f, 0xbf, 0xbf], true],
  ['the last before the surrogates', [0xed, 0x9f, 0xbf], true],
  ['the first after the surrogates', [0xee, 0x80, 0x80], true],
  ['U+FFFF', [0xef, 0xbf, 0xbf], true],
  ['a byte-order mark inside a string', [0xef, 0xbb, 0xbf], true],
  ['overlong, two bytes', [0xc0, 0x80], false],
  ['overlong, two bytes for U+007F', [0xc1, 0xbf], false],
  ['overlong, three bytes', [0xe0, 0x9f, 0xbf], false],
  ['overlong, four bytes', [0xf0, 0x8f, 0xbf, 0xbf], false],
  ['a high surrogate', [0xed, 0xa0, 0x80], false],
  ['a low surrogate', [0xed, 0xbf, 0xbf], false],
  ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], false],
  ['a first byte that no character has', [0xf5, 0x80, 0x80, 0x80], false],
  ['0xFE', [0xfe], false],
  ['0xFF', [0xff], false],
  ['a continuation alone', [0x80], false],
  ['a continuation too many', [0xc3, 0xa9, 0x80], false],
  ['half a character', [0xc3], false],
  ['half a character before a letter', [0xe2, 0x82, 0x41], false],
  ['two thirds of one before an escape', [0xe2, 0x82, 0x5c, 0x6e], false],
  ['first a narrowed second byte, then a plain one', [0xe0, 0xa0, 0x80, 0xc2, 0x80], true],
] as const)('UTF-8 in a string: %s', (_, bytes, should) => {
  const json = Buffer.from([0x22, ...bytes, 0x22]);
  expect(shouldBe(json)).toBe(should);
  expect(isJson(json)).toBe(should);
  expect(isJson(Buffer.from([0x7b, ...json, 0x3a, 0x31, 0x7d]))).toBe(should);
  expect(isJson(Buffer.from(bytes))).toBe(false);
});

describe('outlines', () => {
  const none: Outline = { hasMethod: false, id: undefined, answers: false, failed: false, cancels: false };

  test.each<[string, string, Partial<Outline>[]]>([
    ['a request', '{"jsonrpc":"2.0","id":7,"method":"ping"}', [{ hasMethod: true, id: 7 }]],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}', [{ hasMethod: true }]],
    ['a method that is no string', '{"method":1}', [{ hasMethod: true }]],
    ['a result', '{"id":7,"result":{}}', [{ id: 7, answers: true }]],
    ['an error', '{"id":7,"error":{"code":-1,"message":"no"}}', [{ id: 7, answers: true, failed: true }]],
    ['isError', '{"id":7,"result":{"content":[],"isError":true}}', [{ id: 7, answers: true, failed: true }]],
    ['isError before the id', '{"result":{"isError":true},"id":7}', [{ id: 7, answers: true, failed: true }]],
    ['isError false', '{"id":7,"result":{"isError":false}}', [{ id: 7, answers: true }]],
    ['isError that is no boolean', '{"id":7,"result":{"isError":"true"}}', [{ id: 7, answers: true }]],
    ['isError in an array', '{"id":7,"result":{"isError":[true]}}', [{ id: 7, answers: true }]],
    ['isError deeper down', '{"id":7,"result":{"content":[{"isError":true}]}}', [{ id: 7, answers: true }]],
    ['isError after something deep', '{"result":{"a":{"b":[1]},"isError":true}}', [{ answers: true, failed: true }]],
    ['isError outside the result', '{"id":7,"result":{},"isError":true}', [{ id: 7, answers: true }]],
    ['isError in the params', '{"id":7,"method":"a","params":{"isError":true}}', [{ id: 7, hasMethod: true }]],
    ['isError in a result that is an array', '{"id":7,"result":[{"isError":true}]}', [{ id: 7, answers: true }]],
    [
      'cancelled',
      '{"method":"notifications/cancelled","params":{"requestId":7}}',
      [{ hasMethod: true, cancels: true }],
    ],
    ['nearly cancelled', '{"method":"notifications/cancelledd"}', [{ hasMethod: true }]],
    ['members deeper down', '{"params":{"id":1,"method":"a","result":1,"error":1}}', [{}]],
    ['no message', '{"a":1}', [{}]],
    ['an empty object', '{}', [{}]],
    ['no object', '[1,"id"]', []],
    ['a scalar', '7', []],
    [
      'a batch',
      '[{"id":1,"method":"a"},{"id":2,"result":{"isError":true}},3]',
      [
        { id: 1, hasMethod: true },
        { id: 2, answers: true, failed: true },
      ],
    ],
    ['an object in an array in a batch', '[[{"id":1,"method":"a"}]]', []],
    ['a batch with nothing in it', '[]', []],
  ])('%s', (_, text, expected) => {
    expect(scan(Buffer.from(text)).outlines).toEqual(expected.map((outline) => ({ ...none, ...outline })));
  });

  test.each<[string, string, number | string | undefined]>([
    ['a number', '7', 7],
    ['nought', '0', 0],
    ['15 digits', '123456789012345', 123456789012345],
    ['16 digits', '1234567890123456', '1234567890123456'],
    ['negative', '-1', '-1'],
    ['a fraction', '1.0', '1.0'],
    ['an exponent', '1e2', '1e2'],
    ['a string', '"7"', '"7"'],
    ['an empty string', '""', '""'],
    ['a string with an escape', '"\\u0037"', '"\\u0037"'],
    ['a string with other letters', '"é€😀"', '"é€😀"'],
    ['a string of 253 letters', `"${'a'.repeat(253)}"`, `"${'a'.repeat(253)}"`],
    ['a string that is too long', `"${'a'.repeat(254)}"`, undefined],
    ['null', 'null', undefined],
    ['true', 'true', undefined],
    ['an array', '[7]', undefined],
    ['an object', '{"id":7}', undefined],
    ['twice: the last one counts', '1,"id":2', 2],
    ['twice: even where it is none', '1,"id":null', undefined],
    ['twice: even where it is an object', '1,"id":{}', undefined],
  ])('an id: %s', (_, id, expected) => {
    const bytes = Buffer.from(`{"id":${id},"method":"a"}`);
    expect(scan(bytes).outlines).toEqual([{ ...none, hasMethod: true, id: expected }]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(scan(bytes.subarray(0, at), bytes.subarray(at)).outlines[0]?.id).toBe(expected);
    }
  });

  test('a name that is spelled with an escape is another name', () => {
    expect(scan(Buffer.from('{"\\u0069d":1,"\\u006dethod":"a"}')).outlines).toEqual([none]);
  });

  test('of a large batch only the first are told of', () => {
    const bytes = Buffer.from(`[${Array.from({ length: 1200 }, (_, id) => `{"id":${id},"method":"a"}`).join()}]`);
    const { outlines } = scan(bytes);
    expect(outlines.map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, id) => id));
  });
});

describe('a long string, wherever in memory it lies', () => {
  const long = 200;
  const scanned = (bytes: Uint8Array): boolean => {
    const scanner = new JsonScanner();
    scanner.reset();
    scanner.feed(bytes, 0, bytes.length);
    return scanner.end();
  };
  /** A string with one byte in it, so many bytes behind a word's beginning. */
  const withByte = (byte: number, at: number, shift: number): Uint8Array => {
    const room = new Uint8Array(new ArrayBuffer(long + 16), shift, long);
    room.fill(0x7a);
    room[0] = room[long - 1] = 0x22;
    room[at] = byte;
    return room;
  };

  test.each([0, 1, 2, 3])('%i bytes behind the beginning of a word, each byte at each place is what it is', (shift) => {
    for (let at = 60; at < 84; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const isPlain = byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
        expect(scanned(withByte(byte, at, shift)), `byte ${byte} at ${at}`).toBe(isPlain);
      }
    }
  });
});
