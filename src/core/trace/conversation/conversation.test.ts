import { expect, test } from 'vitest';
import { eventsOf } from '../../../../test/transcript-events.ts';
import { Exchanges } from '../exchanges.ts';
import { Filter } from '../filter.ts';
import type { TraceEvent } from '../format.ts';
import { Conversation } from './conversation.ts';
import type { Row } from './row.ts';

/** Each line as its record, its state and its words. `caught up` among the events is what `--follow` does. */
function rowsOf(events: readonly (TraceEvent | 'caught up')[], filter = ''): Row[] {
  const machine = new Exchanges();
  const conversation = new Conversation(new Filter(filter));
  const rows = events.flatMap((event) =>
    event === 'caught up' ? conversation.caughtUp() : machine.feed(event).flatMap((unit) => conversation.feed(unit)),
  );
  return [...rows, ...machine.end().flatMap((unit) => conversation.feed(unit)), ...conversation.end()];
}

const brief = ({ n, state, subject, outcome, times }: Row): string =>
  [n, state, subject, times === undefined ? undefined : `x${times}`, outcome]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

const told = (lines: readonly string[], filter?: string): string[] => rowsOf(eventsOf(...lines), filter).map(brief);

/** The events with `caught up` after those of these numbers. */
function followed(lines: readonly string[], ...stops: number[]): string[] {
  const events = eventsOf(...lines).flatMap((event) =>
    stops.includes(event.n) ? [event, 'caught up' as const] : [event],
  );
  return rowsOf(events).map(brief);
}

const call = (id: number | string): string =>
  `> {"id":${id},"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"progressToken":${id}}}}`;
const answer = (id: number | string): string => `< {"id":${id},"result":{"content":[{"type":"text","text":"two"}]}}`;
const progress = (token: number, value = 1): string =>
  `< {"method":"notifications/progress","params":{"progressToken":${token},"progress":${value},"total":10}}`;
const cancel = '> {"method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}';

test.each<[string, string[], string[]]>([
  [
    'an exchange stands where its request does',
    [call(1), '!log', '> {"method":"notifications/initialized"}', answer(1)],
    ['1 ok tools/call add two', '2 log', '3 notifications/initialized'],
  ],
  [
    'answers out of order change no order',
    [call(1), call(2), answer(2), answer(1)],
    ['1 ok tools/call add two', '2 ok tools/call add two'],
  ],
  [
    'no answer before the end',
    [call(1), 'closed'],
    ['1 pending tools/call add never answered', '2 closed, the server exited with 0'],
  ],
  ['no answer so far', [call(1)], ['1 pending tools/call add no answer so far']],
  [
    'a subscription is open to the end',
    ['> {"id":1,"method":"subscriptions/listen"}', 'closed'],
    ['1 pending subscriptions/listen open to the end', '2 closed, the server exited with 0'],
  ],
  [
    'a cancelled request',
    [call(1), cancel, 'closed'],
    [
      '1 cancelled tools/call add after 10.0 ms: enough',
      '2 notifications/cancelled tools/call add #1: enough',
      '3 closed, the server exited with 0',
    ],
  ],
  [
    'an answer after the cancellation',
    [call(1), cancel, answer(1)],
    [
      '1 late tools/call add answered after it was cancelled: two',
      '2 notifications/cancelled tools/call add #1: enough',
    ],
  ],
  [
    'an answer that nobody asked for',
    ['< {"id":9,"error":{"code":-32601,"message":"no"}}'],
    ['1 error an answer to nothing nobody asked under this id: -32601 no'],
  ],
  [
    'a second answer',
    [call(1), answer(1), answer(1)],
    ['1 ok tools/call add two', '3 unasked an answer to nothing a second answer to tools/call add #1: two'],
  ],
  ['progress has no line of its own', [call(1), progress(1), progress(1), answer(1)], ['1 ok tools/call add two']],
  [
    'but late progress has',
    [call(1), answer(1), progress(1), progress(1, 2)],
    ['1 ok tools/call add two', '3 notifications/progress x2 after the answer to tools/call add #1: 2/10'],
  ],
  ['and progress for nothing', [progress(7)], ['1 notifications/progress its token is unknown: 1/10']],
  ['blank lines, one behind the other, are one', ['<|', '<|  ', '>|'], ['1 a blank line x2', '3 a blank line']],
  [
    'the requests of a batch, one by one',
    [
      '>|[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"roots/list"}]',
      '<|[{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}]',
    ],
    ['1 pending ping no answer so far', '1 ok roots/list 0 roots'],
  ],
])('%s', (_, lines, expected) => {
  expect(told(lines)).toEqual(expected);
});

test.each<[string, string[], number[], string[]]>([
  ['an answer that is there already is told with its request', [call(1), answer(1)], [2], ['1 ok tools/call add two']],
  [
    'a request waits for nothing, and its answer gets a line',
    [call(1), answer(1)],
    [1],
    ['1 asked tools/call add', '2 ok tools/call add two'],
  ],
  [
    'what is asked and never answered',
    [call(1), 'closed'],
    [1],
    ['1 asked tools/call add', '1 pending tools/call add never answered', '2 closed, the server exited with 0'],
  ],
  ['when one stops watching, nothing is said twice', [call(1)], [1], ['1 asked tools/call add']],
  [
    'a cancellation is told once',
    [call(1), cancel, 'closed'],
    [1],
    [
      '1 asked tools/call add',
      '2 notifications/cancelled tools/call add #1: enough',
      '3 closed, the server exited with 0',
    ],
  ],
  [
    'of progress, a line a second at most',
    [call(1), ...Array.from({ length: 250 }, (_, index) => progress(1, index + 1)), answer(1)],
    Array.from({ length: 251 }, (_, index) => index + 1),
    [
      '1 asked tools/call add',
      '101 notifications/progress 100/10',
      '201 notifications/progress 200/10',
      '252 ok tools/call add two',
    ],
  ],
])('as it happens: %s', (_, lines, stops, expected) => {
  expect(followed(lines, ...stops)).toEqual(expected);
});

test('an answer that is far away comes below, and memory stays bounded', () => {
  const log = Array.from({ length: 12_000 }, () => '!log');
  const rows = rowsOf(eventsOf(call(1), ...log, answer(1)));
  expect(brief(rows[0] as Row)).toBe('1 asked tools/call add');
  expect(rows.findLastIndex(({ state }) => state === 'ok')).toBe(12_001);
  expect(rows).toHaveLength(12_002);
});

const mixed = [
  call(1),
  answer(1),
  '> {"id":"2","method":"tools/call","params":{"name":"sub"}}',
  '< {"id":"2","result":{"isError":true,"content":[{"type":"text","text":"bad"}]}}',
  '!log',
  '< {"method":"notifications/message","params":{"data":"hello"}}',
  call(8),
  progress(8),
  answer(8),
];

test.each<[string, string[]]>([
  ['status:ok', ['1 ok tools/call add two', '7 ok tools/call add two']],
  ['status:error', ['3 error tools/call sub isError bad']],
  ['two id:8', ['7 ok tools/call add two']],
  ['kind:stderr', ['5 log']],
  ['from:server', ['5 log', '6 notifications/message hello', '8 notifications/progress 1/10']],
  ['method:notifications/progress', ['8 notifications/progress 1/10']],
  ['kind:stray', []],
])('with --filter %s', (filter, expected) => {
  expect(told(mixed, filter)).toEqual(expected);
});

test('an exchange that the filter shows only for its outcome is told when that is known', () => {
  const events = eventsOf(call(1), '< {"id":1,"error":{"code":1,"message":"no"}}', call(2), answer(2));
  const stopped = events.flatMap((event) => [event, 'caught up' as const]);
  expect(rowsOf(stopped, 'status:error').map(brief)).toEqual(['1 error tools/call add 1 no']);
});

const held = (n: number, offset: number): TraceEvent => ({
  kind: 'held',
  n,
  at: n,
  c: 1,
  from: 'server',
  offset,
  bytes: Buffer.from('{"a":1}'),
});

test('a line that is held is told of only while it is', () => {
  const [whole] = eventsOf('<|{"a":1}') as [TraceEvent];
  const done = { ...whole, n: 2, at: 2 };
  expect(rowsOf([held(1, 0), done]).map(brief)).toEqual(['2 JSON, but no JSON-RPC message {"a":1}']);
  const watched = rowsOf([held(1, 0), 'caught up', done]).map(brief);
  expect(watched[0]).toBe('1 a line without its end so far 7 bytes, and it is JSON: only the newline is missing');
  expect(watched).toHaveLength(2);
});
