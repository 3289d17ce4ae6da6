import { describe, expect, test } from 'vitest';
import { annotationFault, headerText, paramHeaders, standardHeaders } from './param-headers.ts';

const wrapped = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

test.each([
  ['plain', 'plain'],
  ['with inner  blanks\tand tabs', 'with inner  blanks\tand tabs'],
  ['', ''],
  ['x', 'x'],
  [' outer', wrapped(' outer')],
  ['outer\t', wrapped('outer\t')],
  [' ', wrapped(' ')],
  ['Grüße', wrapped('Grüße')],
  ['two\r\nInjected: lines', wrapped('two\r\nInjected: lines')],
  ['ends in a line\n', wrapped('ends in a line\n')],
  ['\u007f', wrapped('\u007f')],
  ['=?base64?literal?=', wrapped('=?base64?literal?=')],
  ['=?BASE64?literal?=', '=?BASE64?literal?='],
])('%j as it stands in a header', (text, expected) => {
  expect(headerText(text)).toBe(expected);
});

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    level: { type: 'integer', 'x-mcp-header': 'Level' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    plain: { type: 'string' },
    place: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
  },
};

describe('the header lines of arguments', () => {
  test.each([
    [
      'all of them',
      { region: 'eu', level: 3, dry: false, plain: 'x', place: { city: 'Köln' } },
      [
        ['Mcp-Param-Region', 'eu'],
        ['Mcp-Param-Level', '3'],
        ['Mcp-Param-Dry-Run', 'false'],
        ['Mcp-Param-City', wrapped('Köln')],
      ],
    ],
    ['an integer that is long', { level: 1e21 }, [['Mcp-Param-Level', '1000000000000000000000']]],
    ['an integer with a sign', { level: -0 }, [['Mcp-Param-Level', '0']]],
    ['none of what is absent, null or of no use', { level: 1.5, dry: null, region: ['eu'], place: 'x' }, []],
    ['none without arguments', undefined, []],
  ])('%s', (_, args, expected) => {
    expect(paramHeaders(schema, args)).toEqual(expected);
  });

  test('what is annotated wrongly has none', () => {
    const properties = {
      a: { type: 'string', 'x-mcp-header': 'A\r\nEvil: yes' },
      b: { type: 'number', 'x-mcp-header': 'B' },
      c: { type: 'string', 'x-mcp-header': 'Same' },
      d: { type: 'string', 'x-mcp-header': 'same' },
      toString: { type: 'string', 'x-mcp-header': 'Inherited' },
    };
    expect(paramHeaders({ properties }, { a: '1', b: 2, c: '3', d: '4' })).toEqual([['Mcp-Param-Same', '3']]);
  });

  test.each([undefined, null, 3, {}, { properties: [] }, { properties: { a: 3 } }])('no lines of %j', (odd) => {
    expect(paramHeaders(odd, { a: 1 })).toEqual([]);
    expect(annotationFault(odd)).toBeUndefined();
  });
});

const one = (annotated: object): object => ({ properties: { a: annotated } });
const string = { type: 'string', 'x-mcp-header': 'A' };

test.each([
  ['nothing', schema, undefined],
  ['a property of that name', { properties: { 'x-mcp-header': { type: 'string' } } }, undefined],
  ['data that looks like one', one({ type: 'object', default: { 'x-mcp-header': 3 } }), undefined],
  [
    'a name that is none',
    one({ type: 'string', 'x-mcp-header': 'a b' }),
    'x-mcp-header of a is no name of a header: "a b"',
  ],
  ['an empty name', one({ type: 'string', 'x-mcp-header': '' }), 'x-mcp-header of a is no name of a header: ""'],
  [
    'a number',
    one({ type: 'number', 'x-mcp-header': 'A' }),
    'x-mcp-header of a is on a property that is no string, integer or boolean',
  ],
  [
    'a name twice',
    { properties: { a: string, b: { ...string, 'x-mcp-header': 'a' } } },
    'x-mcp-header names the same header twice',
  ],
  ['items', one({ type: 'array', items: string }), 'x-mcp-header stands where no argument is sure to be'],
  ['anyOf', one({ anyOf: [string] }), 'x-mcp-header stands where no argument is sure to be'],
  ['the root', { 'x-mcp-header': 'Root' }, 'x-mcp-header stands where no argument is sure to be'],
])('what is wrong with annotations: %s', (_, given, expected) => {
  expect(annotationFault(given)).toBe(expected);
});

test.each([
  [{ method: 'tools/list', params: { name: 'x' } }, [['Mcp-Method', 'tools/list']]],
  [
    { method: 'tools/call', params: { name: 'añadir' } },
    [
      ['Mcp-Method', 'tools/call'],
      ['Mcp-Name', wrapped('añadir')],
    ],
  ],
  [
    { method: 'prompts/get', params: { name: 'p' } },
    [
      ['Mcp-Method', 'prompts/get'],
      ['Mcp-Name', 'p'],
    ],
  ],
  [
    { method: 'resources/read', params: { uri: 'a://b' } },
    [
      ['Mcp-Method', 'resources/read'],
      ['Mcp-Name', 'a://b'],
    ],
  ],
  [
    { method: 'tasks/get', params: { taskId: 't' } },
    [
      ['Mcp-Method', 'tasks/get'],
      ['Mcp-Name', 't'],
    ],
  ],
  [{ method: 'tools/call', params: { name: 3 } }, [['Mcp-Method', 'tools/call']]],
  [{ method: 'constructor', params: {} }, [['Mcp-Method', 'constructor']]],
  [{ id: 1, result: {} }, []],
])('the standard lines of %j', (json, expected) => {
  expect(standardHeaders(json)).toEqual(expected);
});
