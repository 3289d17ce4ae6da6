import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchemaThread } from '../../../test/schema-thread.ts';
import { SchemaChecker } from './schema-checker.ts';

let file = '';
let checker: SchemaChecker;

beforeAll(async () => {
  file = await buildSchemaThread();
  checker = new SchemaChecker({ file });
});

afterAll(() => checker.close());

const isNamed = { properties: { name: { pattern: '^[a-z]+$' } } };
const slow = { pattern: '^(a+)+$' };
const slowText = `${'a'.repeat(40)}!`;
const tooExpensive = { unchecked: 'this schema is too expensive to check' };

/** Each schema refers to the next one twice: 2^40 ways lead to the last. */
const bomb = {
  $ref: '#/$defs/0',
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/${index + 1}` };
      return [index, { allOf: [next, next] }] as const;
    }),
    [40, {}],
  ]),
};

describe('in the thread', () => {
  test('values are checked, one after the other', async () => {
    checker.warm();
    const verdicts = ['abc', '5', 'x'].map((name) => checker.check(isNamed, { name }));
    expect(await Promise.all(verdicts)).toEqual([
      { ok: true },
      { errors: [{ path: '/name', message: 'expected text that matches "^[a-z]+$", got "5"' }] },
      { ok: true },
    ]);
  });

  test('a tree is checked', async () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' }, n: { type: 'number' } } };
    expect(await checker.check(tree, { next: { next: { n: 'x' } } })).toEqual({
      errors: [{ path: '/next/next/n', message: 'expected a number, got "x"' }],
    });
  });

  test('__proto__ comes through', async () => {
    const schema = JSON.parse('{"pattern":"a","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
    expect(await checker.check(schema, JSON.parse('{"__proto__":5}'))).toEqual({
      errors: [{ path: '/__proto__', message: 'expected text, got 5' }],
    });
    expect(await checker.check(schema, {})).toEqual({
      errors: [{ path: '/__proto__', message: 'is missing: expected text' }],
    });
  });

  test.each<[string, unknown, unknown]>([
    ['a regular expression', slow, slowText],
    ['references that double', bomb, 1],
    ['items that are compared', { uniqueItems: true }, Array.from({ length: 200_000 }, (_, index) => index)],
  ])('%s that takes too long is ended, and the next value has a thread', async (_, schema, value) => {
    const verdicts = [checker.check(schema, value, 100), checker.check(isNamed, { name: 'abc' })];
    expect(await Promise.all(verdicts)).toEqual([tooExpensive, { ok: true }]);
  });

  test('a thread that needs too much memory is ended', async () => {
    const long = { pattern: 'a', items: { enum: new Array(2000).fill('x'.repeat(1000)) } };
    expect(await checker.check(long, new Array(100_000).fill('y'), 30_000)).toEqual(tooExpensive);
  });

  test('what refers to itself without end is told', async () => {
    const verdict = await checker.check({ $ref: '#' }, 1, 30_000);
    expect(verdict).toEqual({ unchecked: expect.stringContaining('refers to itself without end') });
  });

  test('a value that is nested too deeply has a verdict', async () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = [value];
    expect(await checker.check({ items: { $ref: '#' } }, value, 30_000)).toHaveProperty('unchecked');
    expect(await checker.check({ items: { uniqueItems: true } }, [1])).toEqual({ ok: true });
  });
});

describe('a checker', () => {
  test('has no need of a thread for what most schemas ask', async () => {
    const alone = new SchemaChecker({ file: '/nowhere' });
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    expect(await alone.check(schema, { a: 1 })).toEqual({ ok: true });
    expect(await alone.check({ $ref: 'https://example.com' }, 1)).toHaveProperty('unchecked');
    alone.close();
  });

  test('says so where there is no thread', async () => {
    const lost = new SchemaChecker({ file: '/nowhere.cjs' });
    expect(await lost.check(slow, 'a')).toEqual({ unchecked: expect.stringContaining('the thread that checks') });
    lost.close();
  });

  test('gives up what it was asked when it is closed', async () => {
    const closed = new SchemaChecker({ file });
    const verdicts = [closed.check(slow, slowText, 30_000), closed.check(slow, 'a')];
    setTimeout(() => closed.close(), 10);
    expect(await Promise.all(verdicts)).toEqual([
      { unchecked: 'the check was given up' },
      { unchecked: 'the value was not checked: there is no thread to do it in' },
    ]);
    closed.close();
  });
});
