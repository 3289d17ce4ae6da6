import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import { eventsOf } from '../../../test/transcript-events.ts';
import { inflate } from '../../io/http/inflate.ts';
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

describe('on HTTP', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream();
  const head = (host: string) => ({ version: '1.1', method: 'POST', target: '/mcp', lines: [['Host', host]] as const });
  stream.head('client', head('here'), [], { leg: 'client' }); // 2
  stream.begin('client').pass('client', '{"jsonrpc":"2.0","id":1,"method":"x"}').end('client'); // 3, 4
  stream.head('client', head('there'), [], { leg: 'server' }); // 5
  stream.head('server', { version: '1.1', status: 103, lines: [] }, [], { leg: 'server' }); // 6
  stream.answer({ body: '{"jsonrpc":"2.0","id":1,"result":{}}' }); // 7, 8, 9
  const lonely = maker.stream().head('client', head('here'), [], { leg: 'client' }); // 10
  lonely.answer({ status: 400, body: '[]' }); // 11, 12, 13
  maker.close(); // 14
  const { events: recorded } = maker;

  function look(number: number): { page: RecordPage | undefined; after: number } {
    const finder = new RecordFinder(number);
    for (const event of recorded) {
      const page = finder.feed(event);
      if (page) return { page, after: event.n };
    }
    return { page: finder.end(), after: Infinity };
  }

  test.each([
    ['a head is found with the one on the other side', 2, 5, { other: { n: 5 } }],
    ['which may have come before', 5, 5, { other: { n: 2 }, request: { n: 2 } }],
    ['or never comes', 10, 13, { event: { n: 10 } }],
    ['one that passed as it came is found at once', 7, 7, { request: { n: 2 } }],
    ['of what never was on the other side there is nothing', 6, 9, { event: { head: { status: 103 } } }],
    ['a body is found with its answer', 3, 8, { frame: { s: 1 }, exchanges: [{ answer: { n: 8 } }] }],
    ['the end of a stream', 9, 9, { event: { kind: 'streamEnded' }, request: { n: 2 } }],
    ['the end of the recording', 14, 14, { event: { kind: 'closed' } }],
  ])('%s', (_, number, after, expected) => {
    const found = look(number);
    expect(found.page).toMatchObject(expected);
    expect(found.after).toBe(after);
  });

  test('a head without another has none', () => {
    expect(look(10).page?.other).toBeUndefined();
    expect(look(7).page?.other).toBeUndefined();
  });

  test('a body that holds several events gives them all', () => {
    const encoded = new HttpTraceMaker();
    encoded
      .stream()
      .ask()
      .answer({
        lines: [
          ['Content-Type', 'text/event-stream'],
          ['Content-Encoding', 'gzip'],
        ],
        body: gzipSync('data: 1\n\ndata: 2\n\n: 3\n\n'),
      });
    const finder = new RecordFinder(5, { decode: inflate });
    const page = encoded.events.map((event) => finder.feed(event)).find((found) => found !== undefined);
    expect(page).toMatchObject({ frame: { event: {} }, more: [{ event: {} }, { event: {} }] });
  });
});
