import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { placedStrings } from './json-strings.ts';

function placed(text: string): [path: string, raw: string][] {
  const found: [string, string][] = [];
  for (const { path, from, to } of placedStrings(text)) found.push([JSON.stringify(path), text.slice(from, to)]);
  return found;
}

test.each<[string, string, [string, string][]]>([
  ['a member', '{"a":"x"}', [['["a"]', 'x']]],
  ['a lone string', ' "x" ', [['[]', 'x']]],
  [
    'elements',
    '["x",1,"y"]',
    [
      ['[0]', 'x'],
      ['[2]', 'y'],
    ],
  ],
  ['an element behind an empty array', '[[],{},"x"]', [['[2]', 'x']]],
  [
    'a member behind other values',
    '{"a":{"b":[1,"x"]},"c":"y"}',
    [
      ['["a","b",1]', 'x'],
      ['["c"]', 'y'],
    ],
  ],
  [
    'a name that stands twice',
    '{"a":"x","a":"y"}',
    [
      ['["a"]', 'x'],
      ['["a"]', 'y'],
    ],
  ],
  ['a name spelled with escapes', '{"\\u0061\\"":"x"}', [['["a\\""]', 'x']]],
  [
    'a string with quotes and backslashes',
    '{"a":"\\"}\\\\","b":"\\\\"}',
    [
      ['["a"]', '\\"}\\\\'],
      ['["b"]', '\\\\'],
    ],
  ],
  [
    'white space anywhere',
    ' {\n"a" :\t"x" , "b": [ "y" ] } ',
    [
      ['["a"]', 'x'],
      ['["b",0]', 'y'],
    ],
  ],
  [
    'an object in an array',
    '[{"a":"x"},{"a":"y"}]',
    [
      ['[0,"a"]', 'x'],
      ['[1,"a"]', 'y'],
    ],
  ],
  ['an empty string', '{"":""}', [['[""]', '']]],
  ['a byte-order mark', '\ufeff{"a":"x"}', [['["a"]', 'x']]],
  ['none', '{"a":[1,true,null,{}]}', []],
])('%s', (_, text, strings) => {
  expect(placed(text)).toEqual(strings);
});

test('finds every string where it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(2), (value, indent) => {
      const found = placed(JSON.stringify(value, undefined, indent));
      expect(found.map(([path, raw]) => [path, JSON.parse(`"${raw}"`) as unknown])).toEqual(stringsIn(value, []));
    }),
  );
});

function stringsIn(value: unknown, path: (string | number)[]): unknown[] {
  if (typeof value === 'string') return [[JSON.stringify(path), value]];
  if (Array.isArray(value)) return value.flatMap((element, at) => stringsIn(element, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsIn(member, [...path, name]));
}

test('deep nesting does not make it slow', () => {
  const levels = 100_000;
  let count = 0;
  for (const _ of placedStrings(`${'["x",'.repeat(levels)}1${']'.repeat(levels)}`)) count++;
  expect(count).toBe(levels);
});
