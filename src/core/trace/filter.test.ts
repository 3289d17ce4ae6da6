import { describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import { eventsOf } from '../../../test/transcript-events.ts';
import { WireproofError } from '../wireproof-error.ts';
import { Exchanges } from './exchanges.ts';
import { Filter } from './filter.ts';
import type { HeaderLine } from './format.ts';

const conversation = eventsOf(
  'opened', // 1
  '> {"id":0,"method":"initialize","params":{"clientInfo":{"name":"Host"}}}', // 2
  '< {"id":0,"result":{}}', // 3
  '> {"method":"notifications/initialized"}', // 4
  '> {"id":"5","method":"tools/call","params":{"name":"add","arguments":{"note":"say hello"}}}', // 5
  '> {"id":5,"method":"tools/call","params":{"name":"add more"}}', // 6
  '< {"id":"5","result":{"isError":true,"content":[]}}', // 7
  '< {"id":5,"result":{"content":[{"type":"text","text":"Paris"}]}}', // 8
  '!loading http://localhost', // 9
  '<|banner', // 10
  '< {"id":1,"method":"roots/list"}', // 11
  '> {"id":1,"result":{"roots":[]}}', // 12
  '> {"id":"","method":"ping"}', // 13
  '< {"id":99,"error":{"code":1,"message":"?"}}', // 14
  'closed', // 15
);
const machine = new Exchanges();
const units = conversation.flatMap((event) => machine.feed(event));

/** The frames that fit by their records, then the exchanges by those of their requests. */
function found(words: string): string {
  const filter = new Filter(words);
  const fitting = units.filter((unit) => filter.matches(unit));
  const frames = fitting.flatMap((unit) => (unit.unit === 'frame' ? [unit.n] : []));
  const exchanges = fitting.flatMap((unit) => (unit.unit === 'exchange' ? [unit.request.n] : []));
  const news = fitting.flatMap((unit) => (unit.unit === 'connection' ? [unit.what] : []));
  return [frames.join(' '), exchanges.join(' '), news.join(' ')].join(' / ').replace(/[ /]+$/, '');
}

test.each([
  ['tool:add', '5 7 / 5'],
  ['tool:"add more"', '6 8 / 6'],
  ['tool:add*', '5 6 7 8 / 5 6'],
  ['tool:*more', '6 8 / 6'],
  ['tool:a*d*m*e', '6 8 / 6'],
  ['tool:ad', ''],
  ['method:tools/call', '5 6 7 8 / 5 6'],
  ['method:*/list', '11 12 / 11'],
  ['method:notifications/*', '4'],
  ['method:Initialize', ''],
  ['id:5', '6 8 / 6'],
  ['id:5.0', '6 8 / 6'],
  ['id:"5"', '5 7 / 5'],
  ['id:""', '13 / 13'],
  ['id:0', '2 3 / 2'],
  ['from:server', '3 7 8 9 10 11 14 / 11'],
  ['from:client kind:req', '2 5 6 13 / 2 5 6 13'],
  ['from:server kind:resp', '3 7 8 14 / 2 5 6'],
  ['kind:notify', '4'],
  ['kind:stderr', '9'],
  ['kind:stray', '10'],
  ['status:error', '7 14 / 5'],
  ['status:ok', '3 8 12 / 2 6 11'],
  ['status:pending', ' / 13'],
  ['tool:add* status:error', '7 / 5'],
  ['paris', '8 / 6'],
  ['PARIS', '8 / 6'],
  ['"say hello"', '5 / 5'],
  ['hello say', '5 / 5'],
  ['tool:add say', '5 / 5'],
  ['http://local', '9'],
  ['"tool:add"', ''],
  ['4711', ' /  / opened'],
  ['', '2 3 4 5 6 7 8 9 10 11 12 13 14 / 2 5 6 11 13 / opened closed'],
])('%s', (words, expected) => {
  expect(found(words)).toBe(expected);
});

test.each([
  ['kind:foo', 'kind:req, kind:resp, kind:notify, kind:stderr, kind:stray'],
  ['status:bad', 'status:late'],
  ['from:host', 'from:client, from:server'],
  ['tool:', 'tool:add'],
  ['id:', 'id:7'],
  ['tools:add', 'did you mean "tool:"'],
  ['metod:x', 'did you mean "method:"'],
  ['form:client', 'did you mean "from:"'],
  ['Status:ok', 'did you mean "status:"'],
  ['tool:"add', 'quote without its end'],
  ['s:', 's:3'],
  ['path:', 'path:/mcp'],
  ['http:4x', 'http:4xx'],
  ['http:4444', 'http:404'],
  ['htp:404', 'did you mean "http:"'],
])('%s is refused, and what is allowed is said', (words, hint) => {
  expect(() => new Filter(words)).toThrow(WireproofError);
  expect(() => new Filter(words)).toThrow(hint);
});

test.each([
  'http://x',
  'https://x',
  'c:/tmp',
  'C:\\tmp',
  's:x',
  'file:///tmp',
  'error: no',
  'is:ok',
  'x:y',
  ':',
  'a:b:c',
])('%s is plain text', (words) => {
  expect(() => new Filter(words)).not.toThrow();
});

test('a wildcard takes no time out of proportion', () => {
  const filter = new Filter(`method:${'*a'.repeat(500)}*b`);
  const long = `>|{"jsonrpc":"2.0","method":"${'a'.repeat(200_000)}"}`;
  const [unit] = new Exchanges().feed(eventsOf(long)[0] as never);
  expect(filter.matches(unit as never)).toBe(false);
});

describe('of HTTP', () => {
  const maker = new HttpTraceMaker();
  const lines: HeaderLine[] = [['X-Secret-Sauce', 'Ketchup']];
  maker.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}');
  maker.stream().ask({ method: 'get', target: '/token?code=1', lines }).answer({ status: 404, body: 'gone' });
  const events = maker.stream(2).ask({ method: 'GET', target: 'http://host/mcp' }).open();
  events.event('{"jsonrpc":"2.0","method":"notifications/message"}').note('x', 'noted').end('server');
  maker.close();

  /** The kinds of the units that fit when they come, with their streams where they have one. */
  function fitting(words: string): string {
    const filter = new Filter(words);
    const exchanges = new Exchanges();
    const all = maker.events.flatMap((event) => exchanges.feed(event).filter((unit) => filter.matches(unit)));
    const named = all.map((unit) => [unit.unit, 's' in unit ? unit.s : '']);
    return named.map((parts) => parts.join(' ').trim()).join(', ');
  }

  test.each([
    ['s:1', 'frame 1, frame 1, exchange, stream 1'],
    ['s:3', 'stream 3, frame 3, connection 3, stream 3'],
    ['c:2', 'connection, stream 3, frame 3, connection 3, stream 3, connection'],
    ['kind:http', 'stream 1, frame 2, stream 2, stream 3, stream 3'],
    ['http:404', 'frame 2, stream 2'],
    ['http:2xx', 'frame 1, exchange, stream 1, stream 3, frame 3, stream 3'],
    ['http:2XX kind:http', 'stream 1, stream 3, stream 3'],
    ['http:get', 'frame 2, stream 2, stream 3, frame 3, stream 3'],
    ['http:POST', 'frame 1, frame 1, exchange, stream 1'],
    ['path:/token', 'frame 2, stream 2'],
    ['path:/mcp kind:http', 'stream 1, stream 3, stream 3'],
    ['path:*o*n http:404 kind:http', 'frame 2, stream 2'],
    ['path:/token?code=1', ''],
    ['ketchup', 'stream 2'],
    ['x-secret-sauce:', 'stream 2'],
    ['noted', 'connection 3'],
    ['kind:stray', ''],
  ])('%s', (words, expected) => {
    expect(fitting(words)).toBe(expected);
  });

  test('streams are asked for', () => {
    const asking = ['kind:http', 'http:404', 's:1', 'path:/x', 'c:1', 'kind:req', 'ketchup'];
    expect(asking.filter((words) => new Filter(words).wantsStreams)).toEqual(['kind:http', 'http:404', 's:1']);
    expect(asking.filter((words) => new Filter(words).isEmpty)).toEqual([]);
  });
});
