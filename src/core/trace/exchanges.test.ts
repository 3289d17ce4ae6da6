import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/transcript-events.ts';
import { Exchanges } from './exchanges.ts';
import type { TraceEvent } from './format.ts';
import type { ExchangeUnit, FrameUnit, Unit } from './unit.ts';

function unitsOf(events: readonly TraceEvent[]): Unit[] {
  const machine = new Exchanges();
  return [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
}

const exchangesOf = (...lines: string[]): ExchangeUnit[] =>
  unitsOf(eventsOf(...lines)).filter((unit) => unit.unit === 'exchange');

const linksOf = (...lines: string[]): unknown[] =>
  unitsOf(eventsOf(...lines))
    .filter((unit): unit is FrameUnit => unit.unit === 'frame')
    .flatMap((frame) => frame.messages.map(({ link }) => link));

/** `request record → answer record, status` of each exchange, in the order they became whole. */
const briefly = (...lines: string[]): string[] =>
  exchangesOf(...lines).map(({ request, answer, status }) => `${request.n}→${answer?.n ?? '-'} ${status}`);

test.each([
  ['a request and its result', ['> {"id":1,"method":"ping"}', '< {"id":1,"result":{}}'], ['1→2 ok']],
  ['an error', ['> {"id":1,"method":"x"}', '< {"id":1,"error":{"code":-32601,"message":"no"}}'], ['1→2 error']],
  [
    'a result that says isError',
    ['> {"id":1,"method":"tools/call"}', '< {"id":1,"result":{"isError":true}}'],
    ['1→2 error'],
  ],
  ['isError that is not true', ['> {"id":1,"method":"x"}', '< {"id":1,"result":{"isError":"yes"}}'], ['1→2 ok']],
  ['neither result nor error', ['> {"id":1,"method":"x"}', '< {"id":1}'], ['1→2 error']],
  ['an error that is null', ['> {"id":1,"method":"x"}', '< {"id":1,"result":{},"error":null}'], ['1→2 ok']],
  ['no answer', ['> {"id":1,"method":"x"}'], ['1→- pending']],
  [
    'ids 0 and ""',
    ['> {"id":0,"method":"x"}', '> {"id":"","method":"x"}', '< {"id":"","result":{}}'],
    ['2→3 ok', '1→- pending'],
  ],
  ['a number is not a string', ['> {"id":1,"method":"x"}', '< {"id":"1","result":{}}'], ['1→- pending']],
  [
    '1 is 1.0 is 10e-1',
    ['> {"id":1,"method":"x"}', '< {"id":1.0,"result":{}}', '> {"id":10e-1,"method":"x"}'],
    ['1→2 ok', '3→- pending'],
  ],
  [
    '2^53 is not 2^53+1',
    ['> {"id":9007199254740992,"method":"x"}', '< {"id":9007199254740993,"result":{}}'],
    ['1→- pending'],
  ],
  ['an id spelled with escapes', ['> {"id":"a","method":"x"}', '< {"id":"\\u0061","result":{}}'], ['1→2 ok']],
  ['a member name spelled with escapes', ['> {"id":1,"method":"x"}', '< {"\\u0069d":1,"result":{}}'], ['1→2 ok']],
  ['the last of two ids counts', ['> {"id":1,"id":2,"method":"x"}', '< {"id":2,"result":{}}'], ['1→2 ok']],
  [
    'answers out of order',
    ['> {"id":1,"method":"x"}', '> {"id":2,"method":"y"}', '< {"id":2,"result":{}}', '< {"id":1,"result":{}}'],
    ['2→3 ok', '1→4 ok'],
  ],
  [
    'the same id in both directions',
    [
      '> {"id":3,"method":"tools/call"}',
      '< {"id":3,"method":"elicitation/create"}',
      '> {"id":3,"result":{}}',
      '< {"id":3,"result":{}}',
    ],
    ['2→3 ok', '1→4 ok'],
  ],
  [
    'a batch, answered by a batch',
    [
      '>|[{"jsonrpc":"2.0","id":2,"method":"x"},{"jsonrpc":"2.0","id":3,"method":"y"}]',
      '<|[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]',
    ],
    ['1→2 ok', '1→2 ok'],
  ],
  [
    'a request that was cancelled',
    ['> {"id":1,"method":"x"}', '> {"method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}'],
    ['1→- cancelled'],
  ],
  [
    'an answer after the cancellation',
    [
      '> {"id":1,"method":"x"}',
      '> {"method":"notifications/cancelled","params":{"requestId":1.0}}',
      '< {"id":1,"result":{}}',
    ],
    ['1→3 late'],
  ],
  [
    'a cancellation by the other side is none',
    [
      '> {"id":1,"method":"x"}',
      '< {"method":"notifications/cancelled","params":{"requestId":1}}',
      '< {"id":1,"result":{}}',
    ],
    ['1→3 ok'],
  ],
  [
    'but a server may end a subscription',
    [
      '> {"id":1,"method":"subscriptions/listen"}',
      '< {"method":"notifications/cancelled","params":{"requestId":1}}',
      'closed',
    ],
    ['1→- cancelled'],
  ],
  [
    'an answer without its newline is none',
    ['> {"id":1,"method":"x"}', '<|{"jsonrpc":"2.0","id":1,"result":{}}\\z'],
    ['1→- pending'],
  ],
])('%s', (_, lines, exchanges) => {
  expect(briefly(...lines)).toEqual(exchanges);
});

test('an exchange tells who asked for what, and how long it took', () => {
  const [exchange] = exchangesOf(
    '> {"id":"a","method":"tools/call","params":{"name":"add","arguments":{"a":1.0}}}',
    '!working',
    '< {"id":"a","result":{"content":[]}}',
  );
  expect(exchange).toMatchObject({ from: 'client', method: 'tools/call', tool: 'add', id: '"a"', duration: 20 });
  expect(exchange).toMatchObject({ n: 3, at: 30, request: { n: 1, at: 10 }, answer: { n: 3, at: 30 }, isOver: true });
});

test.each([
  ['when the connection has closed', ['> {"id":1,"method":"x"}', 'closed'], true],
  ['when the recording just ends', ['> {"id":1,"method":"x"}'], false],
])('an unanswered request is pending, and over only %s', (_, lines, isOver) => {
  expect(exchangesOf(...lines)).toMatchObject([{ status: 'pending', isOver }]);
});

test('an id used again while it is open: the first one gets the first answer, and both are marked', () => {
  const exchanges = exchangesOf(
    '> {"id":5,"method":"tools/call","params":{"name":"A"}}',
    '> {"id":5,"method":"tools/call","params":{"name":"B"}}',
    '< {"id":5,"result":{}}',
    '< {"id":5,"result":{}}',
    '> {"id":5,"method":"tools/call","params":{"name":"C"}}',
    '< {"id":5,"result":{}}',
  );
  expect(exchanges.map(({ tool, answer, idReused }) => [tool, answer?.n, idReused])).toEqual([
    ['A', 3, true],
    ['B', 4, true],
    ['C', 6, false],
  ]);
});

test.each([
  ['an unknown id', ['< {"id":9,"result":{}}'], { is: 'unasked', why: 'unknown id' }],
  ['a null id', ['< {"id":null,"error":{}}'], { is: 'unasked', why: 'null id' }],
  ['no id', ['<|{"jsonrpc":"2.0","error":{}}'], { is: 'unasked', why: 'no id' }],
  [
    'a second answer',
    ['> {"id":1,"method":"x"}', '< {"id":1,"result":{}}', '< {"id":1,"result":{}}'],
    { is: 'unasked', why: 'second answer', of: { n: 1, index: 0, at: 10, from: 'client', method: 'x', id: '1' } },
  ],
])('an answer that nobody asked for: %s', (_, lines, link) => {
  expect(linksOf(...lines).at(-1)).toEqual(link);
});

const call = (token: string): string => `> {"id":1,"method":"x","params":{"_meta":{"progressToken":${token}}}}`;
const progress = (token: string): string =>
  `< {"method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`;

test.each([
  ['by its token', [call('"t"'), progress('"t"')], 'open'],
  ['by the exact number', [call('7'), progress('7.0')], 'open'],
  ['not by a string for a number', [call('7'), progress('"7"')], 'unknown token'],
  ['not by a number close to it', [call('9007199254740993'), progress('9007199254740992')], 'unknown token'],
  ['after the answer it is late', [call('7'), '< {"id":1,"result":{}}', progress('7')], 'late'],
  ['without a token it belongs to nothing', [call('7'), progress('null')], 'unknown token'],
  ['the one who asked sends none', [call('7'), progress('7').replace('<', '>')], 'unknown token'],
])('progress is put to its request %s', (_, lines, when) => {
  expect(linksOf(...lines).at(-1)).toMatchObject({ is: 'progress', when });
});

test('an exchange counts the progress that came before its answer', () => {
  const [exchange] = exchangesOf(call('1'), progress('1'), progress('1'), '< {"id":1,"result":{}}', progress('1'));
  expect(exchange?.progress).toMatchObject({ count: 2, last: { method: 'notifications/progress' } });
});

test.each([
  ['of an open request', ['> {"id":1,"method":"x"}', cancel('1')], 'open'],
  ['of an answered one', ['> {"id":1,"method":"x"}', '< {"id":1,"result":{}}', cancel('1')], 'late'],
  ['of none', [cancel('"1"')], 'unknown id'],
  ['without an id', ['> {"method":"notifications/cancelled","params":[]}'], 'unknown id'],
])('a cancellation %s', (_, lines, when) => {
  expect(linksOf(...lines).at(-1)).toMatchObject({ is: 'cancellation', when });
});

function cancel(id: string): string {
  return `> {"method":"notifications/cancelled","params":{"requestId":${id}}}`;
}

test('the closing record brings what was open, then all that was seen of the connection', () => {
  const units = unitsOf(
    eventsOf(
      'opened',
      '> {"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"host","version":"1"}}}',
      '< {"id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"everything","version":"2.0.0"}}}',
      '> {"method":"notifications/initialized"}',
      '> {"id":1,"method":"tools/list"}',
      '<|banner',
      '<|',
      '!log',
      '< {"id":9,"error":{}}',
      'closed',
    ),
  );
  expect(units.map(({ unit }) => unit).slice(-3)).toEqual(['frame', 'exchange', 'connection']);
  expect(units.at(-1)).toMatchObject({
    what: 'closed',
    closed: { exit: 0 },
    facts: {
      client: 'host 1',
      server: 'everything 2.0.0',
      eras: ['legacy'],
      askedRevision: '2025-11-25',
      revisions: ['2025-06-18'],
      frames: { client: 3, server: 4, stderr: 1 },
      requests: 2,
      notifications: 1,
      errors: 1,
      unanswered: 1,
      unasked: 1,
      stray: 1,
    },
  });
});

test('the modern era is seen by the metadata of requests and results', () => {
  const machine = new Exchanges();
  const events = eventsOf(
    '> {"id":0,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host"}}}}',
    '< {"id":0,"result":{"resultType":"complete","tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}',
  );
  for (const event of events) machine.feed(event);
  expect(machine.facts).toMatchObject([{ client: 'host', server: 's 1', eras: ['modern'], revisions: ['2026-07-28'] }]);
  expect(machine.end().at(-1)).toMatchObject({ unit: 'connection', what: 'cut' });
});

test('a revision that was refused is not in force', () => {
  const meta = '"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}';
  const refusal = ['opened', `> {"id":0,"method":"server/discover",${meta}}`, '< {"id":0,"error":{"code":-32601}}'];
  const factsOf = (...lines: string[]) => {
    const machine = new Exchanges();
    for (const event of eventsOf(...lines)) machine.feed(event);
    return machine.facts[0];
  };
  expect(factsOf(...refusal)).toMatchObject({
    eras: ['modern'],
    revisions: [],
    askedRevision: '2026-07-28',
    refusedEra: 'modern',
  });
  const handshake = ['> {"id":1,"method":"initialize"}', '< {"id":1,"result":{"protocolVersion":"2025-06-18"}}'];
  expect(factsOf(...refusal, ...handshake)).toMatchObject({ revisions: ['2025-06-18'], refusedEra: 'modern' });
  const again = [`> {"id":1,"method":"tools/list",${meta}}`, '< {"id":1,"result":{"tools":[]}}'];
  expect(factsOf(...refusal, ...again)).not.toHaveProperty('refusedEra');
  expect(factsOf(...refusal, ...again)).toMatchObject({ revisions: ['2026-07-28'] });
});

test('what is held stays small: cancelled and finished exchanges are let go of', () => {
  const machine = new Exchanges();
  let handedOn = 0;
  for (let id = 0; id < 5000; id++) {
    const lines = [`> {"id":${id},"method":"x"}`, cancel(String(id))];
    for (const event of eventsOf(...lines)) {
      handedOn += machine.feed(event).filter(({ unit }) => unit === 'exchange').length;
    }
  }
  expect(handedOn).toBe(5000 - 1024);
});
