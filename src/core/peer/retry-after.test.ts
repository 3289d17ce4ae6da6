import { expect, test } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 30);

test.each<[value: string | undefined, wait: number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  ['99999999999', 99_999_999_999_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 7000],
  ['Sun Nov  6 08:49:37 1994', 7000],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1, 2', undefined],
  ['1994', 1_994_000],
  ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
])('%j is a wait of %j', (value, wait) => {
  expect(retryAfter(value, now)).toBe(wait);
});
