import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/transcript-events.ts';
import { type RecordPage, RecordFinder } from './record-finder.ts';

const events = eventsOf(
  'opened', // 1
  '> {"id":1,"method":"tools/call","params":{"name":"add"}}', // 2
  '>|[{"jsonrpc":"2.0","id":2,"method":"x"},{"jsonrpc":"2.0","id":3,"method":"y"}]', // 3
  '<|{', // 4
  '<|}', // 5
  '< {"id":3,"result":{}}', // 6
  '< {"id":1,"result":{}}', // 7
  '!log', // 8
  'closed', // 9
);

/** The page, and after which record it was there; Infinity where only the end brought it. */
function find(number: number): { page: RecordPage | undefined; after: number } {
  const finder = new RecordFinder(number);
  for (const event of events) {
    const page = finder.feed(event);
    if (page) return { page, after: event.n };
  }
  return { page: finder.end(), after: Infinity };
}

test.each([
  ['an event of the connection is found at once', 1, 1, {}],
  ['a request is found with its answer', 2, 7, { frame: { n: 2 }, exchanges: [{ answer: { n: 7 } }] }],
  ['a batch when all of it is settled', 3, 9, { exchanges: [{ answer: { n: 6 } }, { status: 'pending' }] }],
  ['a line within a spread value is found with all of it', 4, 5, { frame: { n: 5, stray: { why: 'spread' } } }],
  ['an answer at once', 7, 7, { frame: { messages: [{ link: { is: 'answer', of: { n: 2 } } }] }, exchanges: [] }],
  ['a line on stderr', 8, 8, { frame: { from: 'stderr' } }],
])('%s', (_, number, after, page) => {
  expect(find(number)).toMatchObject({ after, page: { event: { n: number }, ...page } });
});

test('a record that is not there is not found', () => {
  expect(find(10)).toEqual({ page: undefined, after: Infinity });
});
