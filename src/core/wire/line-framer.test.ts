import { expect, test } from 'vitest';
import { joinBytes, LineFramer } from './line-framer.ts';
import { writeUtf8 } from './utf8.ts';

const framed = (chunks: readonly Uint8Array[]): Uint8Array[] => {
  const framer = new LineFramer();
  return [...chunks.flatMap((chunk) => framer.feed(chunk)), ...framer.end()];
};

test.each([
  ['nothing', '', []],
  ['one line', 'a\n', ['a\n']],
  ['a line that has no end', 'a\nb', ['a\n', 'b']],
  ['blank lines', '\n\n', ['\n', '\n']],
  ['a carriage return, which is no delimiter', 'a\rb\r\nc', ['a\rb\r\n', 'c']],
  ['other things that some call line ends', 'a\u2028b\u2029c\u0085d\n', ['a\u2028b\u2029c\u0085d\n']],
])('%s, cut at every byte', (_, text, lines) => {
  const bytes = writeUtf8(text);
  const expected = lines.map(writeUtf8);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(framed([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
  }
  expect(framed(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test('joined bytes are a copy, unless there is only one', () => {
  const one = Uint8Array.of(1, 2);
  expect(joinBytes([one])).toBe(one);
  expect(joinBytes([one, Uint8Array.of(3)])).toEqual(Uint8Array.of(1, 2, 3));
});
