import { expect, test } from 'vitest';
import { chain, type Machine } from './machine.ts';

/** Hands things on in pairs, and the odd one at the end. */
function pairs(): Machine<string, string> {
  let held: string | undefined;
  return {
    feed(input) {
      if (held === undefined) {
        held = input;
        return [];
      }
      const pair = held + input;
      held = undefined;
      return [pair];
    },
    end: () => (held === undefined ? [] : [held]),
  };
}

test('chained machines hand on what each still holds at the end', () => {
  const both = chain(pairs(), pairs());
  const made = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((input) => both.feed(input));
  expect([...made, '|', ...both.end()]).toEqual(['abcd', '|', 'efg']);
});
