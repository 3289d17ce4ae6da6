import { isObject } from '../../core/protocol/message.ts';

/** The dialects that are known, as the library calls them. */
export type Dialect = '7' | '2020-12';

/** What stands under a keyword: schemas, or something that is checked by its looks. */
export type Shape =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'pattern-map'
  | 'schema-or-list'
  | 'dependencies'
  | 'types'
  | 'any'
  | 'values'
  | 'count'
  | 'number'
  | 'positive'
  | 'boolean'
  | 'pattern'
  | 'names'
  | 'names-map';

const common: Readonly<Record<string, Shape>> = {
  type: 'types',
  const: 'any',
  enum: 'values',
  multipleOf: 'positive',
  maximum: 'number',
  exclusiveMaximum: 'number',
  minimum: 'number',
  exclusiveMinimum: 'number',
  maxLength: 'count',
  minLength: 'count',
  pattern: 'pattern',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'boolean',
  maxProperties: 'count',
  minProperties: 'count',
  required: 'names',
  properties: 'schema-map',
  patternProperties: 'pattern-map',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  contains: 'schema',
  allOf: 'schema-list',
  anyOf: 'schema-list',
  oneOf: 'schema-list',
  not: 'schema',
  if: 'schema',
  // oxlint-disable-next-line unicorn/no-thenable -- it is called so
  then: 'schema',
  else: 'schema',
  // Old tools keep what they refer to under the old name in the new dialect, and the other way round.
  $defs: 'schema-map',
  definitions: 'schema-map',
};

/** The keywords of each dialect that decide anything. `format` only remarks, and what is not known says nothing. */
export const keywords: Readonly<Record<Dialect, ReadonlyMap<string, Shape>>> = {
  '7': new Map(
    Object.entries({
      ...common,
      items: 'schema-or-list',
      additionalItems: 'schema',
      dependencies: 'dependencies',
    } satisfies Record<string, Shape>),
  ),
  '2020-12': new Map(
    Object.entries({
      ...common,
      items: 'schema',
      prefixItems: 'schema-list',
      minContains: 'count',
      maxContains: 'count',
      dependentRequired: 'names-map',
      dependentSchemas: 'schema-map',
      unevaluatedItems: 'schema',
      unevaluatedProperties: 'schema',
    } satisfies Record<string, Shape>),
  ),
};

/** The dialect that a document is written in; nothing where it is another one. */
export function dialectOf(schema: unknown): Dialect | undefined {
  const named = isObject(schema) ? schema['$schema'] : undefined;
  if (named === undefined) return '2020-12';
  if (typeof named !== 'string') return undefined;
  const plain = named.replace(/^https?:\/\//, '').replace(/#$/, '');
  if (plain === 'json-schema.org/draft-07/schema') return '7';
  return plain === 'json-schema.org/draft/2020-12/schema' ? '2020-12' : undefined;
}

const types = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');

/** What a shape asks for, and whether a value has it. Those that hold schemas are looked into elsewhere. */
export const shapes: Readonly<Record<Shape, readonly [expected: string, isMet: (value: unknown) => boolean]>> = {
  schema: ['a schema', isSchema],
  'schema-list': ['a list of schemas', (value) => Array.isArray(value) && value.length > 0],
  'schema-map': ['an object of schemas', isObject],
  'pattern-map': ['an object of schemas by regular expression', (value) => isPatterns(value)],
  'schema-or-list': ['a schema or a list of schemas', (value) => isSchema(value) || Array.isArray(value)],
  dependencies: ['an object of schemas or lists of names', isObject],
  types: [
    'a type of JSON, or a list of them',
    (value) => (Array.isArray(value) ? value.length > 0 && value.every((one) => types.has(one)) : types.has(value)),
  ],
  any: ['any value', () => true],
  values: ['a list of values', Array.isArray],
  count: ['a whole number, not below 0', (value) => Number.isInteger(value) && (value as number) >= 0],
  number: ['a number', (value) => typeof value === 'number'],
  positive: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  pattern: ['a regular expression', isPattern],
  names: ['a list of names', isNames],
  'names-map': ['an object of lists of names', (value) => isObject(value) && Object.values(value).every(isNames)],
};

export function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean';
}

function isPatterns(value: unknown): boolean {
  return isObject(value) && Object.keys(value).every(isPattern);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
