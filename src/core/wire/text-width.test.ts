import { expect, test } from 'vitest';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['é', 1],
  ['e\u0301', 1],
  ['漢字', 4],
  ['ｆｕｌｌ', 8],
  ['✅ ok', 5],
  ['😀', 2],
  ['→ … ✓', 5],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ['short', 10, 'short'],
  ['exactly', 7, 'exactly'],
  ['too long', 5, 'too …'],
  ['漢字漢字', 8, '漢字漢字'],
  ['漢字漢字', 7, '漢字漢…'],
  ['漢字漢字', 6, '漢字…'],
  ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ['😀😀', 3, '😀…'],
])('%s cut to %i columns is %s', (text, columns, cut) => {
  expect(cutToWidth(text, columns, '…')).toBe(cut);
  expect(textWidth(cut)).toBeLessThanOrEqual(columns);
});

test('padding counts columns, not characters', () => {
  expect(padToWidth('漢', 4)).toBe('漢  ');
  expect(padToWidth('long', 2)).toBe('long');
});
