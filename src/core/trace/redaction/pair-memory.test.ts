import { expect, test } from 'vitest';
import { PairMemory } from './pair-memory.ts';

test('what was made of two strings is found again by both', () => {
  const memory = new PairMemory<string>();
  expect(memory.set('Accept', 'a', 'made', 4)).toBe('made');
  memory.set('Accept', 'b', 'other', 5);
  memory.set('b', 'Accept', 'turned', 6);
  expect([memory.get('Accept', 'a'), memory.get('Accept', 'b'), memory.get('b', 'Accept')]).toEqual([
    'made',
    'other',
    'turned',
  ]);
  expect([memory.get('Accept', 'c'), memory.get('a', 'Accept')]).toEqual([undefined, undefined]);
  memory.forget();
  expect(memory.get('Accept', 'a')).toBeUndefined();
});

test.each<[string, string, string, number]>([
  ['a long name', 'n'.repeat(3000), 'v', 1],
  ['a long value', 'n', 'v'.repeat(3000), 1],
  ['what was made, if it is long', 'n', 'v', 3000],
])('%s is not remembered', (_, one, other, size) => {
  const memory = new PairMemory<string>();
  expect(memory.set(one, other, 'made', size)).toBe('made');
  expect(memory.get(one, other)).toBeUndefined();
});

test('of many, only so many are remembered as take half a megabyte, the newest among them', () => {
  const memory = new PairMemory<number>();
  const value = (number: number): string => `${number}`.padStart(1000, 'v');
  for (let number = 0; number < 5000; number++) memory.set('X-Request-Id', value(number), number, 1000);
  const known = Array.from({ length: 5000 }, (_, number) => memory.get('X-Request-Id', value(number)));
  expect(known.filter((number) => number !== undefined).length * 2000).toBeLessThan(512 * 1024);
  expect(known.at(-1)).toBe(4999);
});
