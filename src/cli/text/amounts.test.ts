import { expect, test } from 'vitest';
import { counted } from '../../core/trace/amounts.ts';
import { lengthText, momentText, sizeText } from './amounts.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1234, '1.2 kB'],
  [99_949, '99.9 kB'],
  [99_950, '100 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [2e9, '2.0 GB'],
  [3e15, '3000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [9840, '9.8 s'],
  [59_949, '59.9 s'],
  [59_960, '1m 00s'],
  [125_000, '2m 05s'],
  [3_599_600, '1h 00m'],
  [12_000_000, '3h 20m'],
  [172_799_000, '47h 59m'],
  [187_200_000, '2d 04h'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(lengthText(milliseconds)).toBe(text);
});

test('a moment is told in local time', () => {
  expect(momentText(new Date(2026, 10, 3, 9, 5, 59))).toBe('2026-11-03 09:05');
  expect(momentText(new Date('never'))).toBe('');
});

test('things are counted', () => {
  expect([0, 1, 2].map((count) => counted(count, 'record'))).toEqual(['0 records', '1 record', '2 records']);
});
