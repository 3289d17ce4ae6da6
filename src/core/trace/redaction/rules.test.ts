import { describe, expect, test } from 'vitest';
import { WireproofError } from '../../wireproof-error.ts';
import { compileRules, type RedactionRules } from './rules.ts';

const rules = (more: Partial<RedactionRules>): RedactionRules => ({
  secrets: true,
  keys: [],
  values: [],
  paths: [],
  ...more,
});

test('names are taken in lower case', () => {
  expect([...compileRules(rules({ keys: ['PassWord', 'X-Api-Key'] })).keys]).toEqual(['password', 'x-api-key']);
});

describe('is refused, and says which', () => {
  test.each<[string, Partial<RedactionRules>, RegExp]>([
    ['an empty name', { keys: ['a', ''] }, /name to redact is empty/],
    ['look-around', { values: ['a', '(?=secret)'] }, /^The regular expression \(\?=secret\) cannot be used: .*RE2/],
    ['a back-reference', { values: ['(a)\\1'] }, /^The regular expression \(a\)\\1 cannot be used/],
    [
      'a parenthesis that stays open',
      { values: ['(a'] },
      /^The regular expression \(a cannot be used: missing closing \)/,
    ],
    ['an expression that is too large', { values: ['(a{0,30}){0,30}'] }, /too large/],
    [
      'an expression that matches nothing',
      { values: ['a*'] },
      /^The regular expression a\* matches where nothing is\. Use \+/,
    ],
    ['an empty expression', { values: [''] }, /^The regular expression "" matches where nothing is/],
    [
      'a path without its beginning',
      { paths: ['params.token'] },
      /^The path params\.token cannot be used: a JSONPath begins with \$/,
    ],
    ['an empty path', { paths: [''] }, /begins with \$/],
    [
      'a path that stays open',
      { paths: ['$.a['] },
      /^The path \$\.a\[ cannot be used: unclosed bracketed selection\.$/,
    ],
    ['a function that there is not', { paths: ['$[?secret(@)]'] }, /no such function 'secret'/],
    ['a path that goes down too often', { paths: ['$..a..b..c..d'] }, /more than 3 times/],
    [
      'a filter that looks at everything each time',
      { paths: ['$..[?count($..a) > 1]'] },
      /inside a filter, \$ may only lead to one value/,
    ],
    ['the same, far inside', { paths: ['$[?@[?length(@) > 1 && !($.a[*])]]'] }, /inside a filter/],
  ])('%s', (_, more, message) => {
    expect(() => compileRules(rules(more))).toThrow(WireproofError);
    expect(() => compileRules(rules(more))).toThrow(expect.objectContaining({ code: 'bad-usage' }) as Error);
    expect(() => compileRules(rules(more))).toThrow(message);
  });
});

test.each(['$', '$.a', '$..a', '$..a..b', '$[?@.a == $.b]', "$[?match(@.a, 'x.*')]", '$[0:2]["a b"]'])(
  '%s is a path',
  (path) => {
    expect(compileRules(rules({ paths: [path] })).paths.length).toBe(1);
  },
);
