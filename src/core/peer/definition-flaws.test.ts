import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../protocol/message.ts';
import { definitionFlaws } from './definition-flaws.ts';

const object = { type: 'object' };
const tool = (more: object): JsonObject => ({ name: 't', inputSchema: object, ...more });

describe('definitions that are legal are not remarked on', () => {
  test.each([
    [tool({})],
    [tool({ inputSchema: { ...object, additionalProperties: false } })],
    [
      tool({
        inputSchema: {
          ...object,
          properties: { a: { $ref: '#/$defs/a' } },
          $defs: { a: { type: ['string', 'null'] } },
        },
      }),
    ],
    [tool({ inputSchema: { ...object, $schema: 'http://json-schema.org/draft-07/schema#' } })],
    [
      tool({
        inputSchema: {
          ...object,
          $defs: { a: { $id: 'https://a.example/a' } },
          items: { $ref: 'https://a.example/a#/x' },
        },
      }),
    ],
    [tool({ inputSchema: { ...object, default: { $ref: 'https://a.example/' } } })],
    [tool({ inputSchema: { ...object, properties: { $ref: { type: 'string' } } } })],
    [tool({ outputSchema: object })],
  ])('%j', (item) => {
    expect(definitionFlaws('tools', [item], '2025-11-25')).toEqual([]);
  });

  test('names differ by their case; an output schema may be any from 2026-07-28 on', () => {
    const tools = [tool({ name: 'search' }), tool({ name: 'Search', outputSchema: { type: 'array' } })];
    expect(definitionFlaws('tools', tools, '2026-07-28')).toEqual([]);
  });
});

test.each<[object, string]>([
  [{ name: undefined }, 'tool 1 has no name'],
  [{ name: '' }, 'tool 1 has a name that is ""'],
  [{ name: 5 }, 'tool 1 has a name that is 5'],
  [{ inputSchema: undefined }, 'the tool "t" has no inputSchema'],
  [{ inputSchema: null }, 'the tool "t" has an inputSchema that is null'],
  [{ inputSchema: true }, 'the tool "t" has an inputSchema that is true'],
  [{ inputSchema: {} }, 'the tool "t" has an inputSchema without "type": "object"'],
  [{ outputSchema: { type: 'array' } }, 'the tool "t" has an outputSchema without "type": "object"'],
  [{ outputSchema: [] }, 'the tool "t" has an outputSchema that is []'],
  [
    { inputSchema: { ...object, properties: { a: { $ref: 'http://127.0.0.1:1/a.json' } } } },
    'the tool "t" has an inputSchema that refers to "http://127.0.0.1:1/a.json"',
  ],
])('a tool with %j is remarked on', (more, flaw) => {
  expect(definitionFlaws('tools', [tool(more)], '2025-11-25')).toEqual([expect.stringContaining(flaw)]);
});

test.each([
  ['tools', [tool({}), tool({})], '2 tools have the name "t"'],
  ['resources', [{ uri: 'a:b' }, { uri: 'a:b' }], '2 resources have the uri "a:b"'],
  ['resourceTemplates', [{}], 'template 1 has no uriTemplate'],
  ['prompts', [{ name: 'p', arguments: {} }], 'the prompt "p" has arguments that are {}'],
] as const)('of %s', (member, items, flaw) => {
  expect(definitionFlaws(member, items, '2025-11-25')).toEqual([expect.stringContaining(flaw)]);
});

test('of many flaws some are told, and how many more there are', () => {
  const flaws = definitionFlaws(
    'prompts',
    Array.from({ length: 100 }, () => ({})),
    '2025-11-25',
  );
  expect(flaws).toHaveLength(21);
  expect(flaws.at(-1)).toContain('80 more');
});
