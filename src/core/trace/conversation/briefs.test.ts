import { expect, test } from 'vitest';
import { readMessage } from '../../protocol/message.ts';
import type { FramedMessage } from '../unit.ts';
import { byteCount, grouped } from '../amounts.ts';
import { milliseconds } from './message-rows.ts';
import { requestBrief } from './request-brief.ts';
import { answerBrief } from './result-brief.ts';

function framed(json: string): FramedMessage {
  const message = readMessage(JSON.parse(json));
  if (!message) throw new Error(`No message: ${json}`);
  return { message, json: Buffer.from(json), id: '1' };
}

test.each([
  ['{}', ''],
  ['{"_meta":{},"resultType":"complete"}', ''],
  ['{"tools":[]}', '0 tools'],
  ['{"tools":[{},{}],"nextCursor":""}', '2 tools, and more to ask for'],
  ['{"resourceTemplates":[{}]}', '1 resource template'],
  ['{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}', 's 1, speaks 2025-06-18'],
  ['{"protocolVersion":"2025-06-18"}', 'a server without a name, speaks 2025-06-18'],
  [
    '{"supportedVersions":["2026-07-28"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}',
    's, speaks 2026-07-28',
  ],
  ['{"content":[{"type":"text","text":"a\\n  b\\u001b[2J"}]}', 'a b\\e[2J'],
  ['{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}', 'a (and 1 more block)'],
  ['{"content":[{"type":"image","mimeType":"image/png","data":"AAAAAAAA"}]}', 'image/png, 6 bytes'],
  ['{"content":[{"type":"resource_link","uri":"file:///a"}]}', 'file:///a'],
  ['{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"hello"}}]}', 'hello'],
  ['{"content":[],"structuredContent":{"id":9007199254740993,"x":1.0}}', '{"id":9007199254740993,"x":1.0}'],
  ['{"isError":true,"content":[{"type":"text","text":"no"}]}', 'isError no'],
  ['{"isError":true}', 'isError {"isError":true}'],
  ['{"contents":[{"uri":"a","text":"one"},{"uri":"b","blob":""}]}', 'one (and 1 more)'],
  ['{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}', '1 message: hi'],
  ['{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}', 'hi'],
  ['{"completion":{"values":["a","b"]}}', '["a","b"]'],
  ['{"action":"accept","content":{"name":"Kim"}}', 'accept {"name":"Kim"}'],
  ['{"action":"decline"}', 'decline'],
  ['{"task":{"taskId":"t","status":"working"}}', 'task t is working'],
  [
    '{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create"}}}',
    'input required: name (elicitation/create)',
  ],
  ['{"something":1e400}', '{"something":1e400}'],
  ['[1.0]', '[1.0]'],
  ['null', 'null'],
])('the result %s in brief', (result, brief) => {
  expect(answerBrief(framed(`{"jsonrpc":"2.0","id":1,"result":${result}}`))).toBe(brief);
});

test.each([
  ['"error":{"code":-32601,"message":"not\\nfound"}', '-32601 not found'],
  ['"error":{"code":1.0,"message":"x"},"result":{}', '1.0 x (and a result beside it)'],
  ['"error":{"message":"x"}', 'no code x'],
  ['"error":"just text"', '"just text"'],
  ['"id":2', 'neither result nor error'],
])('the response {%s} in brief', (members, brief) => {
  expect(answerBrief(framed(`{"jsonrpc":"2.0","id":1,${members}}`))).toBe(brief);
});

test.each([
  ['tools/call', '{"name":"add","arguments":{"a":1.0}}', 'tools/call add', '{"a":1.0}'],
  ['tools/call', '{"name":"ok\\n[ERROR]"}', 'tools/call ok\\n[ERROR]', ''],
  ['tools/call', '[1]', 'tools/call', '[1]'],
  ['initialize', '{"protocolVersion":"x"}', 'initialize', ''],
  ['resources/read', '{"uri":"file:///a"}', 'resources/read file:///a', ''],
  ['prompts/get', '{"name":"p","arguments":{"x":"y"}}', 'prompts/get p', '{"x":"y"}'],
  ['completion/complete', '{"ref":{"name":"p"},"argument":{"name":"x"}}', 'completion/complete p', '{"name":"x"}'],
  ['tools/list', '{"cursor":"abc"}', 'tools/list', 'cursor "abc"'],
  ['tools/list', '{"_meta":{"x":1}}', 'tools/list', ''],
  ['elicitation/create', '{"message":"Name?"}', 'elicitation/create', 'Name?'],
  ['sampling/createMessage', '{"messages":[{"content":{"text":"hi"}}]}', 'sampling/createMessage', 'hi'],
  ['notifications/message', '{"level":"info","data":{"a":1.0}}', 'notifications/message', 'info: {"a":1.0}'],
  ['notifications/progress', '{"progress":1.50,"total":3}', 'notifications/progress', '1.50/3'],
  ['vendor/x', '{"deep":[1.0]}', 'vendor/x', '{"deep":[1.0]}'],
])('%s %s in brief', (method, params, subject, detail) => {
  const json = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  expect(requestBrief(framed(json))).toEqual({ subject, detail });
});

test('a very long text is cut', () => {
  const brief = answerBrief(framed(`{"id":1,"result":{"content":[{"type":"text","text":"${'x'.repeat(100_000)}"}]}}`));
  expect(brief.length).toBeLessThan(1100);
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [2.5e9, '2.5 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteCount(bytes)).toBe(text);
});

test('times and counts', () => {
  expect([0.04, 8.64, 99.94, 100, 1204.4, 9999, 61_234, 3_600_000].map(milliseconds)).toEqual([
    '0.0 ms',
    '8.6 ms',
    '99.9 ms',
    '100 ms',
    '1,204 ms',
    '9,999 ms',
    '61 s',
    '3,600 s',
  ]);
  expect([0, 999, 1000, 1234567].map(grouped)).toEqual(['0', '999', '1,000', '1,234,567']);
});
