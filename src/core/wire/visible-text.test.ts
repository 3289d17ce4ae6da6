import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test.each([
  ['plain words, – and 読む 🎉', 'plain words, – and 読む 🎉'],
  ['clear \u001b[2J', 'clear \\e[2J'],
  ['title \u001b]0;x\u0007', 'title \\e]0;x\\x07'],
  ['two\nlines\r\tand', 'two\\nlines\\r\\tand'],
  ['c1 \u009b31m', 'c1 \\x9b31m'],
  ['del \u007f', 'del \\x7f'],
  ['bidi \u202eevil\u202c', 'bidi \\u202eevil\\u202c'],
  ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
  ['tag \u{e0069}', 'tag \\u{e0069}'],
  ['half \ud83c', 'half \\ud83c'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});
