import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/transcript-events.ts';
import { Exchanges } from './exchanges.ts';
import type { TraceEvent } from './format.ts';
import { headerJson, unitJson } from './unit-json.ts';
import { someHeader } from '../../../test/trace-maker.ts';

function linesOf(events: readonly TraceEvent[]): string[] {
  const machine = new Exchanges();
  return [...events.flatMap((event) => machine.feed(event)), ...machine.end()].map(unitJson);
}

test('messages and ids stand in it exactly as they came', () => {
  const [request, answer, exchange] = linesOf(
    eventsOf(
      '>|{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"add","arguments":{"a":1e400,"a":9007199254740993}}}',
      '<| {"jsonrpc":"2.0","id":1,"result":{}}\r',
    ),
  );
  const asked =
    '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"add","arguments":{"a":1e400,"a":9007199254740993}}}';
  const said = '{"jsonrpc":"2.0","id":1,"result":{}}';
  expect(request).toBe(
    `{"unit":"frame","c":1,"n":1,"at":10,"from":"client","size":118,"messages":[{"kind":"request","method":"tools/call","id":1.0}],"msg":${asked}}`,
  );
  expect(answer).toBe(
    `{"unit":"frame","c":1,"n":2,"at":20,"from":"server","size":39,"eol":"\\r\\n","messages":[{"kind":"response","id":1,"link":{"is":"answer","n":1,"method":"tools/call","tool":"add","id":1.0}}],"msg":${said}}`,
  );
  expect(exchange).toBe(
    `{"unit":"exchange","c":1,"from":"client","method":"tools/call","tool":"add","id":1.0,"status":"ok","duration":10,"request":{"n":1,"at":10,"msg":${asked}},"answer":{"n":2,"at":20,"msg":${said}}}`,
  );
});

test('what cannot be seen is escaped, and nothing is changed by it', () => {
  const text = 'a\u007f\u009b31m\u202e\u200b\u2028\u{e0041}';
  const [frame] = linesOf(eventsOf(`<|{"jsonrpc":"2.0",\t"method":"x","params":{"a":"${text}"}}`)) as [string];
  expect(frame).toMatch(/^[\u0020-\u007e]*$/);
  expect(JSON.parse(frame).msg.params.a).toBe(text);
});

test.each<[string, string, object]>([
  ['a stray line', '<|bann\u001b[2Jer', { stray: { why: 'not JSON' }, text: 'bann\u001b[2Jer' }],
  ['a blank line', '>|  \r', { stray: { why: 'blank' }, text: '  ', eol: '\r\n' }],
  [
    'an unterminated message',
    '<|{"a":1}\\z',
    { stray: { why: 'unterminated', isOpen: false, isJson: true }, text: '{"a":1}', eol: '' },
  ],
  ['a line on stderr', '!log', { from: 'stderr', text: 'log' }],
])('%s', (_, line, expected) => {
  expect(JSON.parse(linesOf(eventsOf(line))[0] as string)).toMatchObject(expected);
});

test('bytes that are no UTF-8 are base64', () => {
  const bytes = Uint8Array.from([0x22, 0x97, 0x22, 0x0a]);
  const event: TraceEvent = { kind: 'frame', n: 1, at: 1, c: 1, from: 'server', bytes, eol: '\n', form: 'b64' };
  expect(JSON.parse(linesOf([event])[0] as string)).toMatchObject({
    stray: { why: 'not UTF-8', offset: 1 },
    b64: 'Ipci',
  });
});

test('the end of a connection tells what was seen of it', () => {
  const last = linesOf(eventsOf('> {"id":1,"method":"ping"}', 'closed')).at(-1) as string;
  expect(JSON.parse(last)).toMatchObject({
    unit: 'connection',
    what: 'closed',
    closed: { exit: 0 },
    facts: { unanswered: 1 },
  });
});

test('a record of an unknown kind, however deep, is no way to fail', () => {
  const json: Record<string, unknown> = {};
  let inner = json;
  for (let depth = 0; depth < 100_000; depth++) inner = inner['a'] = {};
  expect(JSON.parse(linesOf([{ kind: 'unknown', n: 1, at: 1, c: 1, json }])[0] as string)).toMatchObject({
    what: 'unknown',
  });
});

test('a trace that nobody writes names no process', () => {
  expect(JSON.parse(headerJson(someHeader))).toMatchObject({ unit: 'trace', pid: someHeader.pid });
  expect(JSON.parse(headerJson({ ...someHeader, pid: NaN }))).not.toHaveProperty('pid');
});
