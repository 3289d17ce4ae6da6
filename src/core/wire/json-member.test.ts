import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { findMember } from './json-member.ts';

function found(text: string, path: readonly string[]): string | undefined {
  const bytes = Buffer.from(text);
  const span = findMember(bytes, path);
  return span && bytes.subarray(span.from, span.to).toString();
}

test.each<[string, string, string[], string | undefined]>([
  ['a number', '{"a":1.0}', ['a'], '1.0'],
  ['a string', '{"a":"x"}', ['a'], '"x"'],
  ['a string with a quote', '{"a":"x\\"}","b":1}', ['a'], '"x\\"}"'],
  ['a string that ends with a backslash', '{"a":"x\\\\","b":2}', ['b'], '2'],
  ['an object', '{"a":{"b":[1,{"c":"}"}]},"d":1}', ['a'], '{"b":[1,{"c":"}"}]}'],
  ['an array', '{"a":[[],"]",[1]],"b":0}', ['a'], '[[],"]",[1]]'],
  ['a literal at the end', '{"a":1,"b":null}', ['b'], 'null'],
  ['white space around it', ' { "a" :\t1 , "b"\n: [ 2 ] } ', ['b'], '[ 2 ]'],
  ['none there', '{"a":1}', ['b'], undefined],
  ['nothing at all', '{}', ['a'], undefined],
  ['in no object', '[{"a":1}]', ['a'], undefined],
  ['a scalar', '1', ['a'], undefined],
  ['further in', '{"a":{"b":{"c":7}}}', ['a', 'b', 'c'], '7'],
  ['further in, where there is no object', '{"a":[{"b":1}]}', ['a', 'b'], undefined],
  ['twice: the last one counts', '{"a":1,"a":2}', ['a'], '2'],
  ['twice: in the last outer one', '{"a":{"b":1},"a":{"b":2,"c":3}}', ['a', 'b'], '2'],
  ['twice: the last outer one has none', '{"a":{"b":1},"a":{}}', ['a', 'b'], undefined],
  ['deeper down it is another one', '{"x":{"a":1},"a":2}', ['a'], '2'],
  ['its name as a value', '{"x":"a","a":2}', ['a'], '2'],
  ['a longer name', '{"ab":1}', ['a'], undefined],
  ['an empty name', '{"":1}', [''], '1'],
  ['a name spelled with an escape is not looked for', '{"\\u0061":1}', ['a'], undefined],
  ['characters of several bytes before it', '{"é":"€😀","a":"é"}', ['a'], '"é"'],
])('%s', (_, text, path, expected) => {
  expect(found(text, path)).toBe(expected);
});

test('finds each member of any object, exactly as it stands', () => {
  const name = fc.stringMatching(/^[a-z ]{0,3}$/);
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }), (object) => {
      const text = JSON.stringify(object, undefined, 1);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      for (const [key, value] of Object.entries(parsed))
        expect(JSON.parse(found(text, [key]) as string)).toEqual(value);
      expect(found(text, ['zzzz'])).toBeUndefined();
    }),
  );
});
