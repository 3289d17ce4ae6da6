import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { signature } from './signature.ts';

const tool = (properties: object, required: string[] = [], rest: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...rest,
});

const point = tool({ x: { type: 'number' }, y: { type: 'number' } }, ['x']);

describe('what a tool takes', () => {
  test.each<[string, unknown]>([
    ['t(a: number, b?: string)', tool({ a: { type: 'number' }, b: { type: 'string' } }, ['a'])],
    ['t(a?: "x"|"y")', tool({ a: { enum: ['x', 'y'] } })],
    ['t(a?: "x")', tool({ a: { const: 'x' } })],
    ['t(a?: string[])', tool({ a: { type: 'array', items: { type: 'string' } } })],
    ['t(a?: (string|number)[])', tool({ a: { type: 'array', items: { type: ['string', 'number'] } } })],
    ['t(a?: any[])', tool({ a: { type: 'array' } })],
    ['t(a?: integer|null)', tool({ a: { anyOf: [{ type: 'integer' }, { type: 'null' }] } })],
    ['t(a?: {x: number, y?: number})', tool({ a: point })],
    ['t(a?: {x: number, y?: number}[])', tool({ a: { type: 'array', items: point } })],
    ['t(a?: object)', tool({ a: { type: 'object' } })],
    ['t(a?: {x: number, y?: number})', tool({ a: { $ref: '#/$defs/point' } }, [], { $defs: { point } })],
    ['t(a?: any, b?: any)', tool({ a: {}, b: true })],
    ['t("a b"?: any)', tool({ 'a b': {} })],
    ['t(a?: 1|2|3|4|5|6|7|8|…)', tool({ a: { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } })],
    ['t()', tool({})],
    ['t()', undefined],
    ['t()', 5],
  ])('%s', (text, schema) => {
    expect(signature('t', schema)).toBe(text);
  });

  test('what would act on a terminal is made visible', () => {
    const text = signature('t\u001b[2J', tool({ a: { enum: ['\u202e'] }, '\u200b': {} }));
    expect(text).toBe('t\\e[2J(a?: "\\u202e", "\\u200b"?: any)');
  });
});

describe('what is too long is shortened', () => {
  const schema = tool({ from: point, kind: { enum: ['one', 'two', 'three', 'four'] }, to: { type: 'string' } }, [
    'from',
  ]);
  test.each([
    [90, 'go(from: {x: number, y?: number}, kind?: "one"|"two"|"three"|"four", to?: string)'],
    [70, 'go(from: {…}, kind?: "one"|"two"|"three"|…, to?: string)'],
    [30, 'go(from, kind?, to?)'],
    [16, 'go(from, …)'],
    [8, 'go(…)'],
    [3, 'go…'],
  ])('to %d characters', (most, text) => {
    expect(signature('go', schema, most)).toBe(text);
  });

  test('it is never longer than asked for', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 60 }),
        (name, properties, most) => {
          expect(signature(name, { properties }, most).length).toBeLessThanOrEqual(most);
        },
      ),
    );
  });

  test('schemas that hold themselves many times over end soon', () => {
    const self = { type: 'array', items: { anyOf: Array.from({ length: 100 }, () => ({ $ref: '#/properties/a' })) } };
    const wide = tool(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { $ref: '#' }])));
    expect(signature('t', tool({ a: self }))).toMatch(/^t\(a/);
    expect(signature('t', wide)).toMatch(/^t\(p0\?, p1\?, .*, …\)$/);
  });
});
