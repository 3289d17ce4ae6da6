import { expect, test } from 'vitest';
import { readJsonc } from './jsonc.ts';

test.each<[string, string, unknown]>([
  [
    'plain JSON with a comment',
    ' {"a":[1,-2.5e3,true,null,"\\u0041\\n"],"b":{}}//',
    { a: [1, -2500, true, null, 'A\n'], b: {} },
  ],
  ['plain JSON', ' {"a":[1,-2.5e3,true,null,"\\u0041\\n"],"b":{}} ', { a: [1, -2500, true, null, 'A\n'], b: {} }],
  ['a byte-order mark', '\ufeff{}', {}],
  ['comments', '// one\n{ /* two\n */ "a": 1 // three\n}\n// four', { a: 1 }],
  ['trailing commas', '{"a":[1,2,],}', { a: [1, 2] }],
  ['comments in a text are text', '{"a":"// b /* c */"}', { a: '// b /* c */' }],
  ['quotes and backslashes', '{"a\\"":"C:\\\\x\\\\"}', { 'a"': 'C:\\x\\' }],
  ['the last of two', '{"a":1,"a":2}', { a: 2 }],
])('reads %s', (_, text, value) => {
  expect(readJsonc(text)).toEqual({ value });
});

test.each(['', '// with a comment'])('a member that is called __proto__ is one like any other %s', (comment) => {
  const read = readJsonc(`{"__proto__":{"x":1}}${comment}`) as { value: object };
  expect(Object.keys(read.value)).toEqual(['__proto__']);
  expect('x' in read.value).toBe(false);
});

test.each<[string, string, number, number]>([
  ['', 'the file is empty', 1, 1],
  ['{"a":1\n  "b":2}', 'expected "," or "}"', 2, 3],
  ['{"a" 1}', 'expected ":"', 1, 6],
  ["{'a':1}", 'expected a name in double quotes', 1, 2],
  ['{"é😀":,}', 'expected a value', 1, 7],
  ['{"a":b}', 'expected a value: text stands in double quotes', 1, 6],
  ['{"a":[1,2', 'the file ends where "," or "]" is expected', 1, 10],
  ['{\r\n"a":"b\n"}', 'this text in quotes has no end', 2, 5],
  ['{"a":"\\x"}', 'this text in quotes is no JSON: a character or an escape in it is wrong', 1, 6],
  ['{} x', 'expected the end of the file', 1, 4],
  ['{} /* ', 'this comment has no end', 1, 4],
  ['['.repeat(300), 'nested deeper than 200', 1, 202],
])('tells what is wrong with %j', (text, what, line, column) => {
  expect(readJsonc(text)).toEqual({ fault: { what, line, column } });
});

test('cut anywhere, it is read as nothing else', () => {
  const text = '{"a":[1,{"b":"c"}],/*d*/"e":true}';
  for (let end = 0; end < text.length; end++) expect(readJsonc(text.slice(0, end))).toHaveProperty('fault');
});
