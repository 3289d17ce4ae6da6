import { expect, test } from 'vitest';
import { elementTexts, prettyLines, withoutUnseen } from './json-text.ts';

test.each([
  ['an empty object stays on its line', '{}', ['{}']],
  ['an empty array in an object', '{"a":[ ]}', ['{', '  "a": []', '}']],
  [
    'numbers keep their spelling',
    '[1.0,1e400,9007199254740993,-0]',
    ['[', '  1.0,', '  1e400,', '  9007199254740993,', '  -0', ']'],
  ],
  ['a name that stands twice stands twice', '{"a":1,"a":2}', ['{', '  "a": 1,', '  "a": 2', '}']],
  ['punctuation in strings is text', '{"a{[:,":"}]\\",\\\\"}', ['{', '  "a{[:,": "}]\\",\\\\"', '}']],
  ['white space of its own is laid aside', ' { "a" :\ttrue }\r', ['{', '  "a": true', '}']],
  ['a lone scalar', ' null ', ['null']],
])('%s', (_, json, lines) => {
  expect([...prettyLines(json)]).toEqual(lines);
});

test('deep nesting is laid out without growing with its square', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const lines = [...prettyLines(deep)];
  expect(lines.length).toBe(39_999);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100);
});

test.each([
  ['[]', []],
  ['[1]', ['1']],
  [' [ {"id":1.0 , "a":[1,2]} ,"x,]", 2 ] ', ['{"id":1.0 , "a":[1,2]}', '"x,]"', '2']],
  ['[[],[[]]]', ['[]', '[[]]']],
])('the elements of %s', (json, elements) => {
  expect(elementTexts(json)).toEqual(elements);
});

test.each([
  ['nothing unseen, nothing changed', '{"a": "é漢😀\\u001b"}', '{"a": "é漢😀\\u001b"}'],
  [
    'controls, bidi, zero-width and tags in strings',
    '{"a":"\u007f\u009b\u202e\u200b\u{e0041}"}',
    '{"a":"\\u007f\\u009b\\u202e\\u200b\\udb40\\udc41"}',
  ],
  ['tabs between tokens', '{\t"a":\r1}', '{ "a": 1}'],
])('%s', (_, json, safe) => {
  expect(withoutUnseen(json)).toBe(safe);
  expect(JSON.parse(safe)).toEqual(JSON.parse(json));
});
