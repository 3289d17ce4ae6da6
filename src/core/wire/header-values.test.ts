import { expect, test } from 'vitest';
import { formParameters, queryParameters, resourceMetadataValues } from './header-values.ts';
import { readSpelled } from './origin-spelling.ts';

const metadata = (line: string): string[] =>
  [...resourceMetadataValues(line)].map(({ from, to, spelling }) => readSpelled(line.slice(from, to), spelling));

test.each<[string, string, string[]]>([
  ['a quoted value', 'Bearer resource_metadata="u"', ['u']],
  ['a value that is not quoted', 'Bearer resource_metadata=https://host/x, error=e', ['https://host/x']],
  ['an upper-case name', 'Bearer Resource_Metadata="u"', ['u']],
  ['behind others, without space', 'Bearer realm="r",scope="a b",resource_metadata="u",error="e"', ['u']],
  ['space around the equals sign', 'Bearer resource_metadata \t= "u"', ['u']],
  [
    'each of several challenges',
    'Basic realm="r", Bearer resource_metadata="u", DPoP resource_metadata="v"',
    ['u', 'v'],
  ],
  ['behind a token68', 'Negotiate YWI=, Bearer resource_metadata="u"', ['u']],
  ['escapes are undone', 'Bearer resource_metadata="\\u\\"\\\\"', ['u"\\']],
  ['inside another quoted string it is text', 'Bearer realm="x, resource_metadata=\\"u\\", resource_metadata=v"', []],
  ['a quoted string that ends with a backslash', 'Bearer realm="\\\\", resource_metadata="u"', ['u']],
  ['a longer name', 'Bearer x_resource_metadata="u", resource_metadata_2="v", x-resource_metadata="w"', []],
  ['as part of a value that is not quoted', 'Bearer realm=https://h/resource_metadata=u', []],
  ['a quoted string without an end takes all', 'Bearer realm="x, resource_metadata=u', []],
  ['one that ends within an escape', 'Bearer realm="x, resource_metadata=u \\', []],
  ['a quoted value without an end', 'Bearer resource_metadata="u', []],
  ['no value', 'Bearer resource_metadata=, resource_metadata', []],
  ['an empty value', 'Bearer resource_metadata=""', ['']],
  ['nothing', '', []],
])('WWW-Authenticate: %s', (_, line, values) => {
  expect(metadata(line)).toEqual(values);
});

test.each<[string, string, [string, string][]]>([
  ['none', '', []],
  [
    'names and values',
    'a=1&b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  ['values are not decoded, names are', '%61+b=%31+c', [['a b', '%31+c']]],
  ['an equals sign in a value', 'a=b=c', [['a', 'b=c']]],
  [
    'no value, no name, nothing between',
    'a&=b&&c=',
    [
      ['a', ''],
      ['', 'b'],
      ['', ''],
      ['c', ''],
    ],
  ],
  [
    'broken escapes in a name',
    '%zz%=1&%ff=2&%=3',
    [
      ['%zz%', '1'],
      ['\ufffd', '2'],
      ['%', '3'],
    ],
  ],
])('form parameters: %s', (_, text, parameters) => {
  expect([...formParameters(text)].map(({ name, from, to }) => [name, text.slice(from, to)])).toEqual(parameters);
});

test.each<[string, string, [string, string][]]>([
  ['none', '/authorize', []],
  ['an empty query', '/authorize?', []],
  [
    'up to the fragment',
    'app://cb?a=1&b=2#c=3',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  ['a question mark in a fragment', '/x#y?a=1', []],
  ['a question mark in a value', '/x?a=?b=1', [['a', '?b=1']]],
])('query parameters: %s', (_, url, parameters) => {
  expect([...queryParameters(url)].map(({ name, from, to }) => [name, url.slice(from, to)])).toEqual(parameters);
});

test('many parameters without a value do not make it slow', () => {
  expect([...formParameters('a&'.repeat(100_000))].length).toBe(100_000);
});
