import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { planSchema } from './plan-schema.ts';
import { isLight } from './work.ts';

const whyNot = (schema: unknown): string | undefined => {
  const plan = planSchema(schema);
  return 'unchecked' in plan ? plan.unchecked : undefined;
};

const nested = (levels: number): object => {
  let schema: object = {};
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
};

const many = (count: number): object => ({ anyOf: Array.from({ length: count }, () => ({ type: 'string' })) });

describe('a schema that is used', () => {
  test.each<[string, unknown]>([
    ['is empty', {}],
    ['is true', true],
    ['is false', false],
    ['is of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{}], dependencies: { a: ['b'] } }],
    ['is of 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] }],
    ['refers to itself', { properties: { next: { $ref: '#' } } }],
    ['refers to a definition', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['refers to anywhere in it', { $ref: '#/components/schemas/a', components: { schemas: { a: { type: 'null' } } } }],
    ['refers to an escaped name', { $ref: '#/$defs/a~1b%20%25', $defs: { 'a/b %': {} } }],
    ['refers to an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here' } } }],
    ['refers to an anchor of draft-07', { $ref: '#here', definitions: { a: { $id: '#here' } } }],
    ['refers to an identifier', { $ref: 'thing#/$defs/b', $defs: { a: { $id: 'thing', $defs: { b: {} } } } }],
    ['has keywords that nobody knows', { 'x-what': 5, format: 5, examples: 'none', $ref2: {} }],
    ['is 64 levels deep', nested(64)],
    ['has 9999 schemas in it', many(9998)],
  ])('%s', (_, schema) => {
    expect(whyNot(schema)).toBeUndefined();
  });
});

describe('a schema that is not used', () => {
  const bad = 'the schema is no schema';
  test.each<[unknown, string]>([
    [5, `${bad}: it is neither`],
    [null, `${bad}: it is neither`],
    [[], `${bad}: it is neither`],
    [undefined, `${bad}: it is neither`],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'another dialect'],
    [{ $schema: 5 }, 'another dialect'],
    [{ type: 'text' }, `${bad}: at "/type" it should have a type of JSON`],
    [{ type: [] }, `${bad}: at "/type"`],
    [{ properties: [] }, `${bad}: at "/properties" it should have an object of schemas`],
    [{ properties: { 'a/b': 5 } }, `${bad}: at "/properties/a~1b" it should have a schema`],
    [{ required: 'a' }, `${bad}: at "/required" it should have a list of names`],
    [{ required: [1] }, `${bad}: at "/required"`],
    [{ enum: 'a' }, `${bad}: at "/enum"`],
    [{ items: [{}] }, `${bad}: at "/items"`],
    [{ minimum: '1' }, `${bad}: at "/minimum" it should have a number`],
    [{ exclusiveMinimum: true }, `${bad}: at "/exclusiveMinimum"`],
    [{ minLength: -1 }, `${bad}: at "/minLength"`],
    [{ multipleOf: 0 }, `${bad}: at "/multipleOf"`],
    [{ pattern: '(' }, `${bad}: at "/pattern" it should have a regular expression`],
    [{ patternProperties: { '[': {} } }, `${bad}: at "/patternProperties"`],
    [{ anyOf: [] }, `${bad}: at "/anyOf"`],
    [{ $defs: { unused: { not: 5 } } }, `${bad}: at "/$defs/unused/not"`],
    [{ $ref: 5 }, `${bad}: at "/$ref"`],
    [{ $ref: 'https://example.com/schema' }, 'refers to "https://example.com/schema", and only references within'],
    [{ $ref: 'file:///etc/passwd#/a' }, 'only references within'],
    [{ $ref: '#/$defs/none' }, 'refers to "#/$defs/none", which is not in it'],
    [{ $ref: '#/type', type: 'string' }, `${bad}: at "/type" it should have a schema`],
    [{ $ref: '#/__proto__' }, 'which is not in it'],
    [{ $ref: '#none' }, 'only references within'],
    [{ $dynamicRef: '#a' }, 'uses $dynamicRef'],
    [{ properties: { a: { $recursiveRef: '#' } } }, 'uses $recursiveRef'],
  ])('%j', (schema, why) => {
    expect(whyNot(schema)).toContain(why);
  });

  test('one that is nested too deeply, or too large', () => {
    expect(whyNot(nested(65))).toContain('nested more than 64 levels deep');
    expect(whyNot(nested(3000))).toContain('nested more than 64 levels deep');
    expect(whyNot(many(10_000))).toContain('more than 10000 schemas');
  });

  test('draft-07 has other keywords', () => {
    expect(whyNot({ $schema: 'http://json-schema.org/draft-07/schema', dependencies: { a: [5] } })).toContain(bad);
    expect(whyNot({ dependencies: 5 })).toBeUndefined();
  });
});

test('any JSON is a schema or is not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (schema) => {
      const plan = planSchema(schema);
      if ('unchecked' in plan) expect(plan.unchecked).toMatch(/^the schema /);
      else expect(isLight(plan, 1)).toBeTypeOf('boolean');
    }),
  );
});

describe('what is checked without a thread', () => {
  const lightness = (schema: unknown, value: unknown = {}): boolean => {
    const plan = planSchema(schema);
    if ('unchecked' in plan) throw new Error(plan.unchecked);
    return isLight(plan, value);
  };
  const fork = (name: number): object => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const forks = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, fork(index + 1)]));

  test.each<[boolean, string, unknown, unknown]>([
    [true, 'two numbers', { properties: { a: { type: 'number' }, b: { type: 'number' } } }, { a: 1, b: 2 }],
    [true, 'alternatives', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    [true, 'a reference', { $ref: '#/$defs/a', $defs: { a: {} } }, null],
    [true, 'a pattern that is not used', { $defs: { a: { pattern: 'a' } } }, null],
    [false, 'a pattern', { properties: { a: { pattern: 'a' } } }, {}],
    [false, 'names by a pattern', { patternProperties: { a: {} } }, {}],
    [false, 'a pattern behind a reference', { $ref: '#/$defs/a', $defs: { a: { pattern: 'a' } } }, {}],
    [false, 'items that all differ', { items: { uniqueItems: true } }, []],
    [false, 'itself', { properties: { next: { $ref: '#' } } }, {}],
    [false, 'only itself', { $ref: '#' }, {}],
    [false, 'a thing that doubles with each reference', { $ref: '#/$defs/0', $defs: { ...forks, 40: {} } }, {}],
    [false, 'a very long list', { enum: Array.from({ length: 200_000 }, (_, index) => index) }, 1],
    [false, 'a value that is very large', { items: { type: 'number' } }, new Array(200_000).fill(1)],
    [false, 'a long list and many values', { items: { enum: new Array(1000).fill('a') } }, new Array(1000).fill('b')],
  ])('%s: %s', (isLight, _, schema, value) => {
    expect(lightness(schema, value)).toBe(isLight);
  });

  test('a chain of references has an end', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9000 }, (_, index) => [index, { $ref: `#/$defs/${index + 1}` }]),
    );
    expect(lightness({ $ref: '#/$defs/0', $defs: { ...chain, 9000: {} } })).toBe(false);
  });
});
