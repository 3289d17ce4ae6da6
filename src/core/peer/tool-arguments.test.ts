import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { argumentsFromJson, toolArguments } from './tool-arguments.ts';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

const argumentsOf = (words: string[], schema: unknown): unknown => {
  const made = toolArguments(words, schema);
  return 'arguments' in made ? made.arguments : made.errors;
};

const wrong = (message: string, path = '/a') => [{ path, message }];

describe('one value by its schema', () => {
  test.each<[string, object, unknown]>([
    ['a=5', { type: 'string' }, '5'],
    ['a=', { type: 'string' }, ''],
    ['a=x=y', { type: 'string' }, 'x=y'],
    ['a={"b":1}', { type: 'string' }, '{"b":1}'],
    ['a=null', { type: ['string', 'null'] }, 'null'],
    ['a:=null', { type: ['string', 'null'] }, null],
    ['a=5', { type: 'number' }, 5],
    ['a=-1.5e3', { type: 'number' }, -1500],
    ['a=5.0', { type: 'integer' }, 5],
    ['a=true', { type: 'boolean' }, true],
    ['a=null', { type: 'null' }, null],
    ['a={"b":[1]}', { type: 'object' }, { b: [1] }],
    ['a=5', { type: ['integer', 'string'] }, 5],
    ['a=five', { type: ['integer', 'string'] }, 'five'],
    ['a=5', { type: ['string', 'integer'] }, '5'],
    ['a=5', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 5],
    ['a=null', { oneOf: [{ type: 'integer' }, { type: 'null' }] }, null],
    ['a=7', { $ref: '#/$defs/count' }, 7],
    ['a=7', { allOf: [{ $ref: '#/$defs/count' }], default: 1 }, 7],
    ['a=7', { $ref: '#/$defs/a~1b%20c' }, '7'],
    ['a=7', { $ref: 'https://example.com/' }, 7],
    ['a=red', { enum: ['red', 'green'] }, 'red'],
    ['a=1', { enum: ['0', '1'] }, '1'],
    ['a=1', { enum: [0, 1] }, 1],
    ['a=1.0', { enum: [0, 1] }, 1],
    ['a=1', { enum: ['1', 1], type: 'integer' }, 1],
    ['a=x', { const: 'x' }, 'x'],
    ['a=7', { anyOf: [{ const: 'auto' }, { type: 'integer' }] }, 7],
    ['a=7', {}, 7],
    ['a=seven', {}, 'seven'],
    ['a=7', { format: 'zip' }, '7'],
    ['a:="7"', { type: 'number' }, '7'],
    ['a:=[1,{}]', { type: 'string' }, [1, {}]],
  ])('%s of %j is %j', (word, schema, value) => {
    const $defs = { count: { type: 'integer' }, 'a/b c': { type: 'string' } };
    expect(argumentsOf([word], object({ a: schema }, { $defs }))).toEqual({ a: value });
  });

  test.each<[string, object, string]>([
    ['a=five', { type: 'number' }, 'expected a number, got "five"'],
    ['a=0x10', { type: 'number' }, 'expected a number, got "0x10"'],
    ['a=1e999', { type: 'number' }, 'expected a number, got "1e999"'],
    ['a=9007199254740993', { type: 'integer' }, 'expected a whole number, got "9007199254740993"'],
    ['a=1.5', { type: 'integer' }, 'expected a whole number, got "1.5"'],
    ['a=yes', { type: 'boolean' }, 'expected true or false, got "yes"'],
    ['a=x', { type: ['integer', 'null'] }, 'expected a whole number or null, got "x"'],
    ['a=blue', { enum: ['red', 3] }, 'expected one of "red", 3, got "blue"'],
    ['a=y', { const: 'x' }, 'expected "x", got "y"'],
    ['a=x', { type: 'object' }, 'expected a JSON object, got "x"'],
    ['a=x', object({ b: {} }), 'expected a JSON object, got "x"; members can be given one by one, with a dot: ….b='],
    ['a=1,x', { type: 'array', items: { type: 'number' } }, 'expected an array of (a number), got "1,x"'],
  ])('%s of %j: %s', (word, schema, message) => {
    expect(argumentsOf([word], object({ a: schema }))).toEqual(wrong(message));
  });

  test('what is no JSON behind := is told with what the parser says', () => {
    expect(argumentsOf(['a:={'], object({}))).toEqual(
      wrong(expect.stringMatching(/^expected JSON, got "\{": ./) as never),
    );
  });

  test('a list of values that is very long is not told in full', () => {
    const values = Array.from({ length: 100_000 }, (_, index) => `value ${index}`);
    const [error] = argumentsOf(['a=x'], object({ a: { enum: values } })) as { message: string }[];
    expect(error?.message).toMatch(/^expected one of "value 0".*, … \(100000 in all\), got "x"$/);
  });
});

describe('arrays', () => {
  const texts = { type: 'array', items: { type: 'string' } };
  const numbers = { type: 'array', items: { type: 'number' } };
  test.each<[string[], object, unknown]>([
    [['a=x'], texts, ['x']],
    [['a=x', 'a=y'], texts, ['x', 'y']],
    [['a=x,y'], texts, ['x,y']],
    [['a=["x","y"]'], texts, ['x', 'y']],
    [['a=[draft]'], texts, ['[draft]']],
    [['a:=[]'], texts, []],
    [['a=1'], numbers, [1]],
    [['a=1,2, 3'], numbers, [1, 2, 3]],
    [['a=1', 'a=2,3'], numbers, [1, 2, 3]],
    [['a=red,green'], { type: 'array', items: { enum: ['red', 'green'] } }, ['red', 'green']],
    [['a=1', 'a=x'], { type: 'array' }, [1, 'x']],
    [['a=x', 'a:=5'], texts, ['x', 5]],
    [['a=x', 'a=y'], { anyOf: [{ type: 'string' }, texts] }, ['x', 'y']],
    [['a=x'], { anyOf: [texts, { type: 'null' }] }, ['x']],
    [['a={"x":1}', 'a={"x":2}'], { type: 'array', items: object({}) }, [{ x: 1 }, { x: 2 }]],
    [['a=[1,2]', 'a=[3]'], { type: 'array', items: numbers }, [[1, 2], [3]]],
    [['a=1', 'a=1'], { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, ['1', 1]],
    [['b=1', 'b=x'], {}, undefined],
  ])('%j of %j is %j', (words, schema, value) => {
    const expected = value === undefined ? { b: [1, 'x'] } : { a: value };
    expect(argumentsOf(words, object({ a: schema }))).toEqual(expected);
  });

  test('what takes one value is not given twice', () => {
    expect(argumentsOf(['a=1', 'a=2'], object({ a: { type: 'integer' } }))).toEqual(
      wrong('expected a whole number, given 2 times'),
    );
  });
});

describe('members of objects', () => {
  const point = object({ x: { type: 'number' }, 'y.z': { type: 'string' }, in: object({ deep: { type: 'boolean' } }) });
  test.each<[string[], object, unknown]>([
    [['a.x=1'], { a: point }, { a: { x: 1 } }],
    [['a.x=1', 'a.in.deep=true'], { a: point }, { a: { x: 1, in: { deep: true } } }],
    [['a.y.z=1'], { a: point }, { a: { 'y.z': '1' } }],
    [['a.other=1'], { a: point }, { a: { other: 1 } }],
    [['a={"x":1,"q":2}', 'a.x=5'], { a: point }, { a: { x: 5, q: 2 } }],
    [['a.x=1'], { 'a.x': { type: 'string' }, a: point }, { 'a.x': '1' }],
    [['a.b.c=1'], { 'a.b': point }, { 'a.b': { c: 1 } }],
    [['b.c=1'], { a: point }, { 'b.c': 1 }],
    [['a.b=1'], { a: { type: 'string' } }, { 'a.b': 1 }],
    [['a.Accept=5'], { a: { type: 'object', additionalProperties: { type: 'string' } } }, { a: { Accept: '5' } }],
    [['a.b=1'], { a: {} }, { a: { b: 1 } }],
  ])('%j of %j is %j', (words, properties, value) => {
    expect(argumentsOf(words, object(properties))).toEqual(value);
  });

  test('a value that is no object has no members', () => {
    const schema = object({ a: { anyOf: [{ type: 'integer' }, point] } });
    expect(argumentsOf(['a=1', 'a.x=1'], schema)).toEqual(wrong('given both as a value and by its members'));
  });
});

describe('all of the words', () => {
  test('every fault is told', () => {
    const schema = object({ n: { type: 'integer' }, o: object({ 'x/y': { type: 'boolean' } }) });
    expect(argumentsOf(['n=x', 'o.x/y=1', 'word', '=5', ':=5'], schema)).toEqual([
      ...['word', '=5', ':=5'].map((word) => ({
        path: '',
        message: `expected name=value, name:=JSON or one JSON object, got "${word}"`,
      })),
      { path: '/n', message: 'expected a whole number, got "x"' },
      { path: '/o/x~1y', message: 'expected true or false, got "1"' },
    ]);
  });

  test('words that begin with { are one JSON object', () => {
    expect(argumentsOf(['{"a":', '"5"}'], object({ a: { type: 'number' } }))).toEqual({ a: '5' });
    expect(argumentsOf(['{a}'], {})).toEqual(wrong(expect.stringContaining('expected a JSON object: ') as never, ''));
    expect(argumentsFromJson('[1]')).toEqual({ errors: wrong('expected a JSON object, got other JSON', '') });
  });

  test.each([[undefined], [null], [5], [[]], [true], [{ properties: 5 }], [{ properties: { a: 7 } }]])(
    'a schema that is %j says nothing',
    (schema) => {
      expect(argumentsOf(['a=1', 'b=x'], schema)).toEqual({ a: 1, b: 'x' });
    },
  );
});

describe('schemas that mean ill', () => {
  test('__proto__ is a name like others', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as unknown;
    expect(JSON.stringify(argumentsOf(['__proto__=5', 'constructor=1', 'toString.x=1'], schema))).toBe(
      '{"__proto__":"5","constructor":1,"toString.x":1}',
    );
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(JSON.stringify(argumentsOf(['a.__proto__.x=5'], object({ a: { additionalProperties: object({}) } })))).toBe(
      '{"a":{"__proto__":{"x":5}}}',
    );
  });

  const self = { type: 'array', items: { anyOf: Array.from({ length: 100 }, () => ({ $ref: '#/$defs/self' })) } };
  const bomb = { allOf: Array.from({ length: 100 }, () => ({ $ref: '#/$defs/bomb' })) };
  let deep: object = { type: 'integer' };
  for (let level = 0; level < 3000; level++) deep = { anyOf: [deep] };
  test.each([
    ['refers to itself', { $ref: '#/properties/a' }],
    ['holds itself many times', { $ref: '#/$defs/self' }],
    ['refers to itself many times', { $ref: '#/$defs/bomb' }],
    ['is nested deeply', deep],
  ])('one that %s ends soon', (_, a) => {
    const made = toolArguments(['a=x,y,z', 'a.b.c=5', 'a=[1'], object({ a }, { $defs: { self, bomb } }));
    expect(Object.keys(made)).toHaveLength(1);
  });
});

test('what is written as JSON comes back, whatever the schema', () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[=:.]/.test(text) && !text.trimStart().startsWith('{'));
  fc.assert(
    fc.property(name, fc.jsonValue(), fc.jsonValue(), (name, value, schema) => {
      const text = JSON.stringify(value);
      const made = toolArguments([`${name}:=${text}`], { properties: { [name]: schema } });
      expect(JSON.stringify(made)).toBe(`{"arguments":{${JSON.stringify(name)}:${JSON.stringify(JSON.parse(text))}}}`);
    }),
  );
});

test('any words and any schema make arguments or errors', () => {
  const word = fc.oneof(
    fc.string(),
    fc.tuple(fc.string(), fc.string()).map(([name, value]) => `${name}=${value}`),
  );
  fc.assert(
    fc.property(fc.array(word), fc.jsonValue(), fc.jsonValue(), (words, first, second) => {
      const made = toolArguments(words, { properties: { a: first }, additionalProperties: second });
      expect('arguments' in made || made.errors.length > 0).toBe(true);
    }),
  );
});
