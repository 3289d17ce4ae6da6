import { expect, test } from 'vitest';
import { readToml } from './toml.ts';

test.each<[string, string, unknown]>([
  ['nothing', '\n# only a comment\n', {}],
  ['a byte-order mark and Windows lines', '\ufeffa = 1\r\n[b]\r\nc = "d"\r\n', { a: 1, b: { c: 'd' } }],
  [
    'values',
    'a = true\nb = -1_000.5e2\nc = 0xff\nd = 2026-11-30 10:00:00Z\ne = inf # x',
    {
      a: true,
      b: -100050,
      c: '0xff',
      d: '2026-11-30 10:00:00Z',
      e: 'inf',
    },
  ],
  [
    'tables and dotted names',
    '[a."b.c"]\nd.e = 1\n[a]\nf = 2\n[ a . g ]\n',
    { a: { 'b.c': { d: { e: 1 } }, f: 2, g: {} } },
  ],
  ['arrays of tables', '[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\nb = 3', { a: [{ b: 1, c: { d: 2 } }, { b: 3 }] }],
  ['arrays over lines', 'a = [ # one\n "b", # two\n [1,2],\n]', { a: ['b', [1, 2]] }],
  ['inline tables', 'a = { "b" = "c", d.e = [{}], }', { a: { b: 'c', d: { e: [{}] } } }],
  ['literal text', "a = 'C:\\x'\nb = '''\nq'r\n'''", { a: 'C:\\x', b: "q'r\n" }],
  ['escapes', 'a = "\\t\\"\\\\\\u0041\\U0001F600\\x41"', { a: '\t"\\A😀A' }],
  ['long text', 'a = """\nb \\\n   c\n""d"""""', { a: 'b c\n""d""' }],
])('reads %s', (_, text, value) => {
  expect(readToml(text)).toEqual({ value });
});

test.each<[string, string, number, number]>([
  ['a = 1\nb 2', 'expected "="', 2, 3],
  ['a = b', 'expected a value: text stands in quotes', 1, 5],
  ['a = ', 'the file ends where a value is expected', 1, 5],
  ['a = "b', 'this text in quotes has no end', 1, 5],
  ['a = "b\n"', 'this text in quotes has no end', 1, 5],
  ['a = "\\q"', 'this escape is unknown', 1, 6],
  ['a = "\\UFFFFFFFF"', 'this escape is unknown', 1, 6],
  ['a = 1 b = 2', 'expected a new line', 1, 7],
  ['[a\nb = 1', 'expected "]"', 1, 3],
  ['[]', 'expected a name', 1, 2],
  ['a = [1 2]', 'expected "," or "]"', 1, 8],
  ['a = {b = 1', 'the file ends where "," or "}" is expected', 1, 11],
  [`a = ${'['.repeat(300)}`, 'nested deeper than 200', 1, 206],
  ['a = 1\na = 2', 'this name stands twice', 2, 1],
  ['a = 1\n[a.b]', 'this name stands for something else already', 2, 1],
])('tells what is wrong with %j', (text, what, line, column) => {
  expect(readToml(text)).toEqual({ fault: { what, line, column } });
});

test('a table that is called __proto__ is one like any other', () => {
  const { value } = readToml('[__proto__]\nx = 1') as { value: object };
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect('x' in value).toBe(false);
});
