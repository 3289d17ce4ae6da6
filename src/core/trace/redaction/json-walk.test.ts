import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/properties.ts';
import { JsonString, JsonWalk } from './json-walk.ts';

function walked(text: string): string[] {
  const walk = new JsonWalk(text);
  const found: string[] = [];
  while (walk.next()) found.push(`${walk.names.slice(0, walk.depth).join('.')}=${text.slice(walk.from, walk.to)}`);
  return found;
}

describe('finds the values of', () => {
  test.each<[string, string, string[]]>([
    ['a lone one', ' 1 ', ['=1']],
    ['an object', '{"a":1,"b" : {"c":"x"} , "d":null}', ['={', 'a=1', 'b={', 'b.c="x"', 'd=null']],
    ['an array', '[1,[2,3],{}, "a"]', ['=[', '0=1', '1=[', '1.0=2', '1.1=3', '2={', '3="a"']],
    ['an object in which names stand twice', '{"a":1,"a":2}', ['={', 'a=1', 'a=2']],
    ['names with escapes', '{"\\u0061\\n":1}', ['={', 'a\n=1']],
    ['text with a byte-order mark', '\ufeff{"a":1}', ['={', 'a=1']],
    ['one that is cut off in a string', '{"a":"x', ['={', 'a="x']],
    ['one that is cut off in an escape', '{"a":"x\\', ['={', 'a="x\\']],
    ['one that is cut off in a name', '{"a', ['={', '="a']],
    ['one without a comma', '{"a":1 "b":2}', ['={', 'a=1', 'b=2']],
    ['one with words', '{"a":abc, "b":tru', ['={', 'a=abc', 'b=tru']],
    ['one with too many ends', ']}{"a":1}}]1', ['={', 'a=1', '=1']],
    ['no JSON', '<a href="x">', ['=<a', '=href=', '="x"', '=>']],
    ['nothing', '', []],
  ])('%s', (_, text, expected) => {
    expect(walked(text)).toEqual(expected);
  });
});

test('any text is walked through to its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ a1u0'.split('')) }), (text) => {
      const walk = new JsonWalk(text);
      let to = 0;
      while (walk.next()) {
        expect(walk.from).toBeGreaterThanOrEqual(to);
        expect(walk.to).toBeGreaterThan(walk.from);
        expect(walk.to).toBeLessThanOrEqual(text.length);
        to = walk.to;
        if (walk.kind === '"')
          expect(new JsonString(text.slice(walk.from, walk.to)).text.length).toBeLessThan(text.length);
      }
    }),
  );
});

test('any JSON has the values that it has', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isLaidOut) => {
      const text = JSON.stringify(value, undefined, isLaidOut ? 2 : undefined);
      const walk = new JsonWalk(text);
      while (walk.next()) {
        let at: unknown = JSON.parse(text);
        for (const name of walk.names.slice(0, walk.depth)) at = (at as Record<string, unknown>)[name];
        if (walk.kind === '"') expect(new JsonString(text.slice(walk.from, walk.to)).text).toBe(at);
        if (walk.kind === '0') expect(JSON.parse(text.slice(walk.from, walk.to))).toBe(at);
      }
      expect(walk.count).toBeGreaterThan(0);
    }),
  );
});

test('what a string says, and where each unit of it stands', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'é', '😀', '\\n', '\\u00e9', '\\ud83d\\ude00', '\\\\', '\\"', '\\/')),
      (parts) => {
        const spelled = `"${parts.join('')}"`;
        const string = new JsonString(spelled);
        expect(string.isClosed).toBe(true);
        expect(string.text).toBe(JSON.parse(spelled));
        for (let cut = 0; cut <= string.text.length; cut++) {
          const [before, after] = [spelled.slice(1, string.start(cut)), spelled.slice(string.start(cut), -1)];
          expect(JSON.parse(`"${before}"`) + JSON.parse(`"${after}"`)).toBe(string.text);
        }
      },
    ),
  );
});
