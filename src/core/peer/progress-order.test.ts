import { expect, test } from 'vitest';
import { ProgressOrder } from './progress-order.ts';

const told = (all: readonly unknown[]): string[] => {
  const order = new ProgressOrder();
  return all.flatMap((progress) => order.feed({ progress }) ?? []);
};

test('progress that rises', () => {
  expect(told([0, 1, 1.5, 100])).toEqual([]);
});

test.each([
  [[10, 10, 5], '10 after 10'],
  [[10, 5], '5 after 10'],
  [['half'], '"half", no number'],
  [[undefined], 'missing, no number'],
])('%j is told of once', (all, what) => {
  expect(told(all)).toEqual([expect.stringContaining(what)]);
});
