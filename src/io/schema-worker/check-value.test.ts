import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { checkValue, type Verdict } from './check-value.ts';
import { planSchema } from './plan-schema.ts';

const check = (schema: unknown, value: unknown): Verdict => {
  const plan = planSchema(schema);
  return 'unchecked' in plan ? plan : checkValue(plan, value);
};

const errorsOf = (schema: unknown, value: unknown): string[] => {
  const verdict = check(schema, value);
  return 'errors' in verdict ? verdict.errors.map(({ path, message }) => `${path} ${message}`.trim()) : [];
};

const draft7 = (schema: object): object => ({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema });

describe('a value that fits', () => {
  test.each<[unknown, unknown]>([
    [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, { a: 1 }],
    [true, null],
    [{ format: 'email', type: 'string' }, 'no address'],
    [{ properties: { email: { format: 'email' }, n: { format: 'int32' } } }, { email: 'x', n: 1.5 }],
    [{ const: null }, null],
    [
      { $ref: '#/$defs/tree', $defs: { tree: { properties: { next: { $ref: '#/$defs/tree' } } } } },
      { next: { next: {} } },
    ],
    [{ $ref: '#/x/y', x: { y: { type: 'null' } } }, null],
    [draft7({ items: [{ type: 'string' }], additionalItems: { type: 'number' } }), ['a', 1]],
    [draft7({ properties: { a: { $ref: '#/definitions/n', type: 'string' } }, definitions: { n: {} } }), { a: 1 }],
    [{ anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }],
    [{ dependencies: { a: ['b'] } }, { a: 1 }],
  ])('%j takes %j', (schema, value) => {
    expect(check(schema, value)).toEqual({ ok: true });
  });
});

describe('what is told of a value that does not fit', () => {
  const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x', 'y'] };
  const circle = {
    type: 'object',
    properties: { kind: { const: 'circle' }, r: { type: 'number' } },
    required: ['kind'],
  };
  const square = {
    type: 'object',
    properties: { kind: { const: 'square' }, w: { type: 'number' } },
    required: ['kind'],
  };
  test.each<[unknown, unknown, string[]]>([
    [{ type: 'string' }, 5, ['expected text, got 5']],
    [{ type: ['integer', 'null'] }, 'x', ['expected a whole number or null, got "x"']],
    [point, { x: 'a' }, ['/y is missing: expected a number', '/x expected a number, got "a"']],
    [{ required: ['a"b'] }, {}, ['/a"b is missing']],
    [{ required: ['a/b', '__proto__'] }, {}, ['/a~1b is missing', '/__proto__ is missing']],
    [{ properties: { 'a b/%': { type: 'null' } } }, { 'a b/%': 1 }, ['/a b~1% expected null, got 1']],
    [{ const: { a: 1 } }, {}, ['expected an object, got {}']],
    [{ enum: ['x', 'y'] }, 'z', ['expected one of "x", "y", got "z"']],
    [{ minimum: 1 }, 0, ['expected at least 1, got 0']],
    [{ exclusiveMaximum: 1 }, 1, ['expected less than 1, got 1']],
    [{ multipleOf: 0.01 }, 0.005, ['expected a multiple of 0.01, got 0.005']],
    [{ minLength: 3 }, 'é😀', ['expected text of at least 3 characters, got "é😀" (it has 2)']],
    [{ maxLength: 1 }, 'ab', ['expected text of at most 1 character, got "ab" (it has 2)']],
    [{ pattern: '^a$' }, 'b', ['expected text that matches "^a$", got "b"']],
    [{ minItems: 2 }, [1], ['expected at least 2 items, got 1 item']],
    [{ maxProperties: 0 }, { a: 1 }, ['expected at most 0 members, got 1 member']],
    [{ uniqueItems: true }, [1, 2, 1], ['expected items that all differ, but 0 and 2 are the same']],
    [{ items: { type: 'number' } }, [1, 'a', 'b'], ['/1 expected a number, got "a"', '/2 expected a number, got "b"']],
    [{ prefixItems: [{}], items: false }, [1, 2], ['/1 is not allowed here']],
    [false, 1, ['is not allowed here']],
    [
      { properties: { a: {}, b: {} }, additionalProperties: false },
      { c: 1 },
      ['/c is not known here: expected one of "a", "b"'],
    ],
    [{ additionalProperties: { type: 'string' } }, { c: 1 }, ['/c expected text, got 1']],
    [{ unevaluatedProperties: false, properties: { a: {} } }, { c: 1 }, ['/c is not known here: expected "a"']],
    [
      { propertyNames: { maxLength: 2 } },
      { abc: 1, a: 1, defg: 1 },
      [
        'has a member with a wrong name: expected text of at most 2 characters, got "abc" (it has 3)',
        'has a member with a wrong name: expected text of at most 2 characters, got "defg" (it has 4)',
      ],
    ],
    [{ not: { type: 'string' } }, 'x', ['expected anything but text, got "x"']],
    [{ not: { required: ['a'], allOf: [{}] } }, { a: 1 }, ['expected anything but an object, got an object']],
    [{ contains: { type: 'string' } }, [1, 2], ['has no item of the kind that it should have']],
    [{ contains: { type: 'string' }, minContains: 2 }, [1, 'a'], ['expected at least 2 items of a certain kind']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['has "a", and so should have "b"']],
    [
      draft7({ dependencies: { a: ['b'], c: { required: ['d'] } } }),
      { a: 1, c: 1 },
      ['has "a", and so should have "b"', '/d is missing'],
    ],
    // oxlint-disable-next-line unicorn/no-thenable -- it is called so
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, ['/b is missing']],
    [{ $ref: '#/$defs/p', $defs: { p: { allOf: [point] } } }, { x: 1 }, ['/y is missing: expected a number']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, ['expected text or null, got 5']],
    [
      { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }], $defs: { n: { type: 'number' } } },
      'x',
      ['expected a number or null, got "x"'],
    ],
    [{ anyOf: [point, { type: 'null' }] }, { x: 1 }, ['/y is missing: expected a number']],
    [{ oneOf: [circle, square] }, { kind: 'circle', r: 'x' }, ['/r expected a number, got "x"']],
    [
      { oneOf: [circle, square] },
      { kind: 'oval' },
      ['fits none of 2 forms: /kind expected "circle", got "oval"; or /kind expected "square", got "oval"'],
    ],
    [{ oneOf: [{ type: 'number' }, { minimum: 0 }] }, 5, ['fits 2 of 2 forms, and should fit exactly one']],
    [
      { items: { anyOf: [{ type: 'string' }, { minimum: 3 }] } },
      [1, 2],
      ['/0 expected at least 3, got 1', '/1 expected at least 3, got 2'],
    ],
    [{ type: 'string' }, 'x'.repeat(100).split(''), ['expected text, got an array']],
  ])('%j of %j', (schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors);
  });

  test('no more than 50 errors', () => {
    expect(errorsOf({ items: { type: 'null' } }, new Array(1000).fill(1))).toHaveLength(50);
  });

  test('of more errors than can be handed on, the first', () => {
    expect(errorsOf({ items: { items: { type: 'null' } } }, [new Array(200_000).fill(1)])).toEqual([
      '/0/0 expected null, got 1',
    ]);
  });
});

describe('schemas and values that mean ill', () => {
  test('a schema that refers to itself without end is given up', () => {
    expect(check({ $ref: '#' }, 1)).toEqual({ unchecked: expect.stringContaining('refers to itself without end') });
  });

  test('__proto__ is a member like others', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}') as unknown;
    expect(errorsOf(schema, {})).toEqual(['/__proto__ is missing: expected text']);
    expect(errorsOf(schema, JSON.parse('{"__proto__":5}'))).toEqual(['/__proto__ expected text, got 5']);
    expect(check(schema, JSON.parse('{"__proto__":"a"}'))).toEqual({ ok: true });
    expect(errorsOf({ additionalProperties: false }, JSON.parse('{"__proto__":"a"}'))).toEqual([
      '/__proto__ is not allowed here',
    ]);
  });

  test("the library's own names are no names of a schema", () => {
    expect(errorsOf({ __absolute_ref__: '#/none', $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, 1)).toEqual([
      'expected null, got 1',
    ]);
  });

  test('a name that is no Unicode is told to be in the way', () => {
    expect(check({ additionalProperties: { type: 'null' } }, { '\ud800': 1 })).toEqual({
      unchecked: expect.stringContaining('could not be checked'),
    });
  });

  test('any value and any schema have a verdict', () => {
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        const verdict = check(schema, value);
        expect('ok' in verdict || 'unchecked' in verdict || verdict.errors.length > 0).toBe(true);
      }),
    );
  });
});

const { schema: schemas } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(true, false, {}, { type: 'string' }, { type: 'integer' }, { minimum: 0 }, { const: 'a' }),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string'),
        properties: fc.dictionary(fc.string({ maxLength: 2 }), tie('schema')),
        additionalProperties: tie('schema'),
        items: tie('schema'),
        contains: tie('schema'),
        minContains: fc.nat(2),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        not: tie('schema'),
        propertyNames: tie('schema'),
        unevaluatedProperties: tie('schema'),
        required: fc.array(fc.string({ maxLength: 2 })),
        enum: fc.array(fc.jsonValue({ maxDepth: 1 })),
      },
      { requiredKeys: [] },
    ),
  ),
}));
