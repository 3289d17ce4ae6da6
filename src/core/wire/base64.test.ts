import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { base64Length, readBase64, writeBase64 } from './base64.ts';

function written(bytes: Uint8Array, from = 0, to = bytes.length): string {
  const target = new Uint8Array(base64Length(to - from) + 2).fill(0x2e);
  const end = writeBase64(bytes, from, to, target, 1);
  expect(end).toBe(1 + base64Length(to - from));
  const text = Buffer.from(target).toString('latin1');
  expect(text[0] + (text.at(-1) as string)).toBe('..');
  return text.slice(1, end);
}

test('writes what everybody writes, and reads it back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(written(bytes)).toBe(text);
      expect(readBase64(Buffer.from(text))).toEqual(Uint8Array.from(bytes));
    }),
  );
});

test('writes and reads a part of an array', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (let from = 0; from < 5; from++) {
    for (let to = from; to < from + 9; to++) {
      const text = Buffer.from(bytes.subarray(from, to)).toString('base64');
      expect(written(bytes, from, to)).toBe(text);
      expect(readBase64(Buffer.from(`"${text}"`), 1, text.length + 1)).toEqual(bytes.slice(from, to));
    }
  }
});

test.each(['', 'AA==', 'AAA=', 'AAAA', '+/+/', 'AAAAAA=='])('%j is well-formed', (text) => {
  expect(readBase64(Buffer.from(text))).toEqual(Uint8Array.from(Buffer.from(text, 'base64')));
});

test.each(
  [
    [
      'A',
      'AA',
      'AAA',
      'AA=',
      '=',
      '==',
      '===',
      '====',
      'A===',
      'AAAAA',
      'AA==AAAA',
      'AAA=AAAA',
      'AAAA====',
      'A=AA',
      '=AAA',
    ],
    ['AA\n=', 'AA-_', 'AA AA', 'AAA\u00e9', '\u00c1AA=', 'AA=A', 'AAAA\u0000AAA'],
  ].flat(),
)('%j is not', (text) => {
  expect(readBase64(Buffer.from(text, 'latin1'))).toBeUndefined();
});
