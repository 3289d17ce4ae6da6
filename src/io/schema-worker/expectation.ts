import { isObject } from '../../core/protocol/message.ts';
import type { PlainSchema } from './plan-schema.ts';

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
};

/** How many values of a list are told, and how long each may be. */
const shown = { values: 8, letters: 40 } as const;

/** What a schema asks for in a few words, as far as a few words can tell. */
export function expectation(schema: unknown, lookup: Record<string, PlainSchema | boolean>): string {
  const found = referred(schema, lookup);
  if (!isObject(found)) return 'something';
  if ('const' in found) return valueText(found['const']);
  if (Array.isArray(found['enum'])) return oneOf(found['enum']);
  if (found['type'] !== undefined) return typeWords(found['type']);
  const parts = found['anyOf'] ?? found['oneOf'];
  if (!Array.isArray(parts)) return 'properties' in found || 'required' in found ? 'an object' : 'something';
  return eitherOf(parts.slice(0, shown.values).map((part) => simple(part, lookup)));
}

/** As above, but of what combines others nothing. */
function simple(schema: unknown, lookup: Record<string, PlainSchema | boolean>): string {
  const found = referred(schema, lookup);
  return isObject(found) && ('anyOf' in found || 'oneOf' in found) ? 'something' : expectation(found, lookup);
}

function referred(schema: unknown, lookup: Record<string, PlainSchema | boolean>): unknown {
  let found = schema;
  for (let step = 0; step < 10 && isObject(found); step++) {
    const place = found['__absolute_ref__'];
    if (typeof place !== 'string') return found;
    found = lookup[place];
  }
  return found;
}

export function typeWords(type: unknown): string {
  const words = [type].flat().map((one) => nouns[String(one)] ?? 'something');
  return eitherOf(words);
}

export function oneOf(values: readonly unknown[]): string {
  const texts = values.slice(0, shown.values).map(valueText);
  const rest = values.length > shown.values ? `, … (${values.length} in all)` : '';
  return values.length === 1 ? (texts[0] as string) : `one of ${texts.join(', ')}${rest}`;
}

/** Alternatives in words, each once. */
export function eitherOf(words: readonly string[]): string {
  const once = [...new Set(words)];
  return once.includes('something') ? 'something else' : once.join(' or ');
}

/** A value in a few words: itself where it is short. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'an array';
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > shown.letters ? `${value.slice(0, shown.letters - 1)}…` : value);
}
