import { assert, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { readUtf8 } from './utf8.ts';
import { firstInvalidByte } from './utf8-fault.ts';

test.each([
  ['nothing', [], undefined],
  ['ASCII', [0x61, 0x7f], undefined],
  ['é 漢 😀', [0xc3, 0xa9, 0xe6, 0xbc, 0xa2, 0xf0, 0x9f, 0x98, 0x80], undefined],
  ['a lone continuation', [0x61, 0x97, 0x61], 1],
  ['an overlong slash', [0xc0, 0xaf], 0],
  ['an overlong three-byte form', [0x61, 0xe0, 0x80, 0xaf], 1],
  ['a surrogate', [0xed, 0xa0, 0x80], 0],
  ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 0],
  ['a character that is not whole', [0x61, 0x62, 0xe6, 0xbc], 2],
  ['a third byte that is wrong', [0xe6, 0xbc, 0x41], 0],
])('%s', (_, bytes, at) => {
  expect(firstInvalidByte(Uint8Array.from(bytes))).toBe(at);
});

test('it finds a fault exactly where a strict decoder does', () => {
  assert(
    property(uint8Array({ maxLength: 12 }), (bytes) => {
      const at = firstInvalidByte(bytes);
      expect(at === undefined).toBe(readUtf8(bytes) !== undefined);
      if (at !== undefined) expect(readUtf8(bytes.subarray(0, at))).toBeDefined();
    }),
  );
});
