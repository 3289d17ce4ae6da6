import { expect, test } from 'vitest';
import { idKey } from './id.ts';

test.each([
  ['1', '1.0'],
  ['1', '10e-1'],
  ['100', '1e2'],
  ['100', '1E+2'],
  ['0', '-0'],
  ['0', '0.000e9'],
  ['-2.50', '-25e-1'],
  ['9007199254740993', '9007199254740993.0'],
  ['"a"', '"\\u0061"'],
  ['1e400', '10e399'],
])('%s and %s are the same id', (left, right) => {
  expect(idKey(left)).toBe(idKey(right));
});

test.each([
  ['1', '"1"'],
  ['9007199254740992', '9007199254740993'],
  ['1', '-1'],
  ['1', '10'],
  ['0.1', '0.10000000000000001'],
  ['"a"', '"A"'],
  ['null', '"null"'],
  ['1', 'null'],
  ['"n1e0"', '1'],
])('%s and %s are not', (left, right) => {
  expect(idKey(left)).not.toBe(idKey(right));
});

test('an exponent of any length is read in no time', () => {
  expect(idKey(`1e${'9'.repeat(200)}`)).toBe(idKey(`10e${'9'.repeat(199)}8`));
});
