import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import type { TraceEvent } from './format.ts';
import { readRecord, readUnprovenRecord } from './read-record.ts';
import { readWrittenFrame } from './written-frame.ts';

const read = (line: string): TraceEvent | undefined => readRecord(Buffer.from(line));

/** The bytes that a record gives back, as text. */
function givenBack(line: string): string | undefined {
  const event = read(line);
  return event && 'bytes' in event ? Buffer.from(event.bytes).toString() : undefined;
}

describe('a message stands as it came', () => {
  test.each([
    ['plain', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['odd spaces', ' { "id" : 1 ,\t"method":"ping" } '],
    ['duplicate keys', '{"id":1,"id":2,"id":1}'],
    ['numbers that other spellings have', '{"id":1.0,"a":1e2,"b":-0,"c":1.50}'],
    ['escapes where none are needed', '{"\\u0069d":"\\/\\u0041"}'],
    ['a member called msg', '{"msg":{"msg":1},"x":"\\"msg\\":"}'],
    ['braces in strings', '{"a":"}}{","b":"\\\\"}'],
    ['an array', '[1, 2]'],
    ['a number', '7'],
    ['a string', '"}"'],
    ['null', 'null'],
    ['characters of several bytes', '{"é":"€😀\u2028"}'],
    ['a lone surrogate as an escape', '{"a":"\\ud800"}'],
  ])('%s', (_, json) => {
    const line = `{"n":2,"at":1.207,"c":1,"from":"client","msg":${json}}`;
    expect(givenBack(line)).toBe(`${json}\n`);
    expect(readWrittenFrame(Buffer.from(line))).toEqual(read(line));
    expect(givenBack(` ${line.replace(',"c"', ', "c"')} `)).toBe(`${json}\n`);
  });

  test('a member after it is none of it', () => {
    expect(givenBack('{"n":2,"at":1.207,"c":1,"from":"client","msg":{"a": 1} ,"mine":{"b":2}}')).toBe('{"a": 1}\n');
    expect(givenBack('{"n":2,"at":1,"c":1,"from":"client","msg":[1],"mine":"}"}')).toBe('[1]\n');
  });
});

test.each<[string, string, object]>([
  ['the usual delimiter', '"from":"server","msg":1', { form: 'msg', eol: '\n', text: '1\n' }],
  [
    'carriage return and newline',
    '"from":"server","eol":"\\r\\n","msg":1',
    { form: 'msg', eol: '\r\n', text: '1\r\n' },
  ],
  ['no delimiter', '"from":"server","eol":"","msg":1', { form: 'msg', eol: '', text: '1' }],
  [
    'text',
    '"from":"stderr","text":"a\\"b\\\\ \\u001b[0m\\u0085é"',
    { form: 'text', eol: '\n', text: 'a"b\\ \u001b[0m\u0085é\n' },
  ],
  ['text without escapes', '"from":"stderr","text":"ready"', { form: 'text', eol: '\n', text: 'ready\n' }],
  ['empty text', '"from":"stderr","text":""', { form: 'text', eol: '\n', text: '\n' }],
  ['text with a byte-order mark', '"from":"server","text":"\ufeff{}"', { form: 'text', eol: '\n', text: '\ufeff{}\n' }],
  ['base64', '"from":"server","b64":"aGk="', { form: 'b64', eol: '\n', text: 'hi\n' }],
  ['empty base64', '"from":"server","eol":"","b64":""', { form: 'b64', eol: '', text: '' }],
  ['a part', '"from":"server","part":1,"text":"ab"', { form: 'text', eol: '', text: 'ab', part: 1 }],
  [
    'the last part',
    '"from":"server","part":2,"last":true,"text":"c"',
    { form: 'text', eol: '\n', text: 'c\n', part: 2, last: true },
  ],
  [
    'a last part with a delimiter of its own',
    '"from":"server","eol":"\\r\\n","part":2,"last":true,"text":"c"',
    { form: 'text', eol: '\r\n', text: 'c\r\n', part: 2, last: true },
  ],
])('a frame: %s', (_, members, expected) => {
  const base = { kind: 'frame', n: 7, at: 12.01, c: 1, from: /"from":"(\w+)"/.exec(members)?.[1] };
  const { text, ...rest } = expected as { text: string };
  const bytes = Uint8Array.from(Buffer.from(text));
  const line = `{"n":7,"at":12.010,"c":1,${members}}`;
  expect(read(line)).toEqual({ ...base, ...rest, bytes });
  expect(readWrittenFrame(Buffer.from(line))).toEqual(read(line));
  const since = `{"n":7,"at":12.010,"since":9.007,"c":1,${members}}`;
  expect(read(since)).toEqual({ ...base, ...rest, bytes, since: 9.007 });
  // Written by other hands: the same event, though it has to be parsed for it.
  const other = Buffer.from(`{"at":12.01,"c":1,"n":7,${members}}`);
  expect(readWrittenFrame(other)).toBeUndefined();
  expect(readRecord(other)).toEqual(read(line));
});

test.each<[string, object]>([
  ['"opened":{"pid":4711}', { kind: 'opened', pid: 4711 }],
  ['"opened":{}', { kind: 'opened', pid: undefined }],
  ['"ended":"client"', { kind: 'ended', from: 'client' }],
  ['"note":{"kind":"signal","text":"SIGTERM sent"}', { kind: 'note', note: 'signal', text: 'SIGTERM sent' }],
  [
    '"lost":{"from":"stderr","bytes":9,"why":"store full"}',
    { kind: 'lost', lost: { from: 'stderr', bytes: 9, why: 'store full' } },
  ],
  ['"closed":{"exit":0,"why":"x","more":1}', { kind: 'closed', closed: { exit: 0, why: 'x' } }],
  ['"closed":{}', { kind: 'closed', closed: {} }],
  [
    '"from":"server","held":3,"text":"de"',
    { kind: 'held', from: 'server', offset: 3, bytes: Uint8Array.from([100, 101]) },
  ],
  ['"from":"server","held":0,"b64":"/w=="', { kind: 'held', from: 'server', offset: 0, bytes: Uint8Array.from([255]) }],
])('an event: %s', (members, expected) => {
  expect(read(`{"n":1,"at":0.5,"c":1,${members}}`)).toEqual({ n: 1, at: 0.5, c: 1, ...expected });
});

test('sums', () => {
  const sums = {
    client: { bytes: 1, sha256: 'a' },
    server: { bytes: 2, sha256: 'b' },
    stderr: { bytes: 0, sha256: 'c' },
  };
  const line = (counts: string): string => `{"n":1,"at":1,"c":1,"sums":${JSON.stringify(sums)}${counts}}`;
  const base = { kind: 'sums', n: 1, at: 1, c: 1, sums };
  expect(read(line(',"counts":{"messages":3,"errors":1}'))).toEqual({ ...base, counts: { messages: 3, errors: 1 } });
  expect(read(line(''))).toEqual({ ...base, counts: undefined });
});

test.each([
  '"from":"nobody","text":"a"',
  '"from":"server","text":1',
  '"from":"server","b64":"%"',
  '"lost":{"from":"stderr","bytes":-1,"why":""}',
  '"lost":{"from":"stderr","bytes":0.5,"why":""}',
  '"sums":{"client":{"bytes":1.5,"sha256":""},"server":{"bytes":0,"sha256":""},"stderr":{"bytes":0,"sha256":""}}',
  '"sums":{"client":{"bytes":1,"sha256":""}}',
  '"closed":1',
  '"something":"new"',
])('a record of a kind that is not known: %s', (members) => {
  expect(read(`{"n":1,"at":1,"c":1,${members}}`)?.kind).toBe('unknown');
});

test.each([
  ['nothing', ''],
  ['no JSON', '{"n":1,"at":1,"c":1,"ended":"client"'],
  ['two values', '{"n":1,"at":1,"c":1,"ended":"client"}{}'],
  ['no object', '[1]'],
  ['no number', '{"at":1,"c":1,"ended":"client"}'],
  ['a number that is text', '{"n":"1","at":1,"c":1,"ended":"client"}'],
  ['a message that is no JSON', '{"n":1,"at":1.000,"c":1,"from":"client","msg":{"a":}}'],
  ['a message that is two', '{"n":1,"at":1.000,"c":1,"from":"client","msg":1 2}'],
  ['text with a raw control character', '{"n":1,"at":1.000,"c":1,"from":"client","text":"\t"}'],
  ['text with an end too early', '{"n":1,"at":1.000,"c":1,"from":"client","text":"a"b"}'],
  ['a number with a nought before it', '{"n":01,"at":1.000,"c":1,"from":"client","msg":1}'],
])('no record: %s', (_, line) => {
  expect(read(line)).toBeUndefined();
});

test('no record: bytes that are not UTF-8', () => {
  const line = Buffer.from('{"n":1,"at":1.000,"c":1,"from":"client","msg":"?"}');
  line[line.indexOf('?')] = 0xff;
  expect(readRecord(line)).toBeUndefined();
});

test('what is read without parsing is what parsing would give', () => {
  const record = fc.record({
    n: fc.nat(),
    at: fc.nat(10 ** 9).map((thousandths) => (thousandths / 1000).toFixed(3)),
    since: fc.option(fc.nat(10 ** 6).map((thousandths) => (thousandths / 1000).toFixed(3))),
    from: fc.constantFrom('client', 'server', 'stderr'),
    extra: fc.constantFrom(
      '',
      ',"eol":"\\r\\n"',
      ',"eol":""',
      ',"part":3',
      ',"part":3,"last":true',
      ',"held":17',
      ',"odd":1',
    ),
    payload: fc.oneof(
      fc.json({ maxDepth: 2 }).map((json) => `"msg":${json}`),
      fc.string({ unit: 'binary' }).map((text) => `"text":${JSON.stringify(text)}`),
      fc.uint8Array().map((bytes) => `"b64":"${Buffer.from(bytes).toString('base64')}"`),
    ),
  });
  fc.assert(
    fc.property(record, ({ n, at, since, from, extra, payload }) => {
      const middle = since === null ? '' : `,"since":${since}`;
      const line = `{"n":${n},"at":${at}${middle},"c":1,"from":"${from}"${extra},${payload}}`;
      const quick = readWrittenFrame(Buffer.from(line));
      expect(quick === undefined).toBe(extra === ',"odd":1');
      // A space that the recorder does not write makes it take the other way.
      const parsed = readRecord(Buffer.from(line.replace('{"n":', '{ "n":')));
      if (quick) expect(quick).toEqual(parsed);
    }),
    { numRuns: 500 },
  );
});

test('who proves the bytes need not look whether a message is JSON', () => {
  const line = Buffer.from('{"n":1,"at":1.000,"c":1,"from":"client","msg":{"a":}}');
  expect(readUnprovenRecord(line)).toMatchObject({ kind: 'frame', bytes: Uint8Array.from(Buffer.from('{"a":}\n')) });
  for (const payload of ['"text":"a"b"', '"text":"ab"', '"b64":"%"', '"b64":"aGk="']) {
    const other = Buffer.from(`{"n":1,"at":1.000,"c":1,"from":"client",${payload}}`);
    expect(readUnprovenRecord(other)).toEqual(readRecord(other));
  }
});
