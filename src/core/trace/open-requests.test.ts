import { expect, test } from 'vitest';
import { OpenRequests } from './open-requests.ts';

test.each([
  ['answered', [1], [1], 0],
  ['answered in another spelling', [1], ['1.0'], 0],
  ['asked in another spelling', ['10e-1'], [1], 0],
  ['a string is another id', [1], ['"1"'], 1],
  ['an id used twice needs two answers', [1, 1], [1], 1],
  ['beyond what a double can hold', ['9007199254740993'], ['9007199254740992'], 1],
  ['an answer to nothing', [], [1], 0],
  ['zero', ['-0'], [0], 0],
])('%s', (_, sent, settled, left) => {
  const requests = new OpenRequests();
  for (const id of sent) requests.sent(id);
  for (const id of settled) requests.settled(id);
  expect(requests.count).toBe(left);
});

test('only so many are kept', () => {
  const requests = new OpenRequests();
  for (let id = 0; id < 100_000; id++) requests.sent(id);
  expect(requests.count).toBe(65_536);
});
