import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { escapedLength, escapedTextLength, longestEscape, writeEscaped } from './escape.ts';

const odd = fc.constantFrom(
  '"',
  '\\',
  '\0',
  '\n',
  '\u001f',
  '\u007f',
  '\u0080',
  '\u009f',
  '\u00a0',
  '\u00bf',
  '\u2028',
);
const texts = fc.string({ unit: fc.oneof(odd, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })) });

/** Of a text that stands within another. */
function escaped(text: string): string {
  const bytes = Buffer.from(`"${text}"`);
  const target = new Uint8Array(1 + bytes.length * longestEscape);
  return Buffer.from(target.subarray(1, writeEscaped(bytes, target, 1, 1, bytes.length - 1))).toString();
}

test('text becomes the inside of a JSON string that says the same and holds no control character', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(JSON.parse(`"${escaped(text)}"`)).toBe(text);
      expect(escaped(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
});

test('how long it becomes is known before', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const length = Buffer.byteLength(escaped(text));
      expect([escapedLength(Buffer.from(text)), escapedTextLength(Buffer.from(text))]).toEqual([length, length]);
    }),
  );
});

test.each([[[0xff]], [[0x41, 0xc3]], [[0xc2, 0x22]], [[0xed, 0xa0, 0x80]]])('%j is no text', (bytes) => {
  expect(escapedTextLength(Uint8Array.from(bytes))).toBeUndefined();
});
