import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { memberPointer, pointerNames, valueAt } from '../../core/peer/schema-reference.ts';
import { type Dialect, dialectOf, isSchema, keywords, type Shape, shapes } from './keywords.ts';
import { Places } from './places.ts';

/** A schema with nothing in it but keywords that decide. `__absolute_ref__` is where the library looks for `$ref`. */
export interface PlainSchema {
  $ref?: string;
  __absolute_ref__?: string;
  [keyword: string]: unknown;
}

/** A schema made ready: a copy in which every reference is found, and none leads out of it. */
export interface Plan {
  dialect: Dialect;
  root: PlainSchema | boolean;
  /** Schemas by `#` and a JSON pointer. */
  lookup: Record<string, PlainSchema | boolean>;
}

/** Why a schema is not used. */
class Refused extends Error {}

const most = { depth: 64, schemas: 10_000 } as const;

/**
 * Makes somebody else's JSON Schema ready to be used, or says why it is not: it is no schema, or of an unknown dialect,
 * refers to what is not in it, or is larger than anybody needs.
 */
export function planSchema(schema: unknown): Plan | { unchecked: string } {
  const dialect = dialectOf(schema);
  if (!isSchema(schema)) return { unchecked: 'the schema is no schema: it is neither an object nor true or false' };
  if (dialect === undefined) {
    return { unchecked: 'the schema is written in another dialect than JSON Schema 2020-12 or draft-07' };
  }
  try {
    return new Planner(schema, dialect).plan();
  } catch (error) {
    if (error instanceof Refused) return { unchecked: error.message };
    throw error;
  }
}

class Planner {
  private readonly document: unknown;
  private readonly dialect: Dialect;
  private readonly lookup = Object.create(null) as Record<string, PlainSchema | boolean>;
  private readonly places = new Places();
  private readonly references: { from: PlainSchema; reference: string; base: string }[] = [];
  private count = 0;

  constructor(document: unknown, dialect: Dialect) {
    this.document = document;
    this.dialect = dialect;
  }

  plan(): Plan {
    const root = this.plain(this.document, '', '', 0);
    for (let next = this.references.shift(); next; next = this.references.shift()) this.resolve(next);
    return { dialect: this.dialect, root, lookup: this.lookup };
  }

  /** @param base the pointer to the schema around it that has an identifier of its own: references are relative to it */
  private plain(schema: unknown, pointer: string, base: string, depth: number): PlainSchema | boolean {
    if (depth > most.depth) throw new Refused(`the schema is nested more than ${most.depth} levels deep`);
    if (++this.count > most.schemas) throw new Refused(`the schema has more than ${most.schemas} schemas in it`);
    if (!isSchema(schema)) throw notThere(pointer, 'a schema');
    // Told as other things that are not allowed are; see plain-errors.ts.
    const plain: PlainSchema | boolean = schema === false ? { not: {} } : schema === true ? true : {};
    this.lookup[`#${pointer}`] = plain;
    if (!isObject(schema) || plain === true) return plain;
    const inner = this.places.note(schema, pointer, base);
    this.noteReference(schema, plain, pointer, inner);
    for (const [keyword, shape] of keywords[this.dialect]) {
      if (!Object.hasOwn(schema, keyword)) continue;
      const place = memberPointer(pointer, keyword);
      plain[keyword] = this.under(shape, schema[keyword], place, inner, depth + 1);
    }
    return plain;
  }

  private noteReference(schema: JsonObject, plain: PlainSchema, pointer: string, base: string): void {
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (Object.hasOwn(schema, keyword)) throw new Refused(`the schema uses ${keyword}, which is not understood`);
    }
    if (!Object.hasOwn(schema, '$ref')) return;
    const reference = schema['$ref'];
    if (typeof reference !== 'string') throw notThere(memberPointer(pointer, '$ref'), 'a reference');
    this.references.push({ from: plain, reference, base });
  }

  /** What stands under a keyword. */
  private under(shape: Shape, value: unknown, place: string, base: string, depth: number): unknown {
    const [expected, isMet] = shapes[shape];
    if (!isMet(value)) throw notThere(place, expected);
    const inner = (schema: unknown, name: string | number): unknown =>
      this.plain(schema, memberPointer(place, name), base, depth);
    if (shape === 'schema') return this.plain(value, place, base, depth);
    if (shape === 'schema-list' || (shape === 'schema-or-list' && Array.isArray(value))) {
      return (value as unknown[]).map(inner);
    }
    if (shape === 'schema-or-list') return this.plain(value, place, base, depth);
    if (shape === 'schema-map' || shape === 'pattern-map') return mapped(value as JsonObject, inner);
    if (shape !== 'dependencies') return value;
    return mapped(value as JsonObject, (one, name) =>
      Array.isArray(one) ? namesOrThrow(one, place) : inner(one, name),
    );
  }

  private resolve({ from, reference, base }: { from: PlainSchema; reference: string; base: string }): void {
    const pointer = this.places.find(reference, base);
    if (pointer === undefined) {
      throw new Refused(`the schema refers to ${said(reference)}, and only references within it are followed`);
    }
    const key = `#${pointer}`;
    if (this.lookup[key] === undefined) {
      const found = valueAt(this.document, pointerNames(pointer) ?? []);
      if (found === undefined) throw new Refused(`the schema refers to ${said(reference)}, which is not in it`);
      this.plain(found, pointer, base, 0);
    }
    from.$ref = reference;
    from.__absolute_ref__ = key;
  }
}

function mapped(object: JsonObject, make: (value: unknown, name: string) => unknown): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    // A member that is called __proto__ is a member like others.
    Object.defineProperty(made, name, { value: make(value, name), enumerable: true });
  }
  return made;
}

function namesOrThrow(names: unknown[], place: string): unknown[] {
  const [expected, isMet] = shapes.names;
  if (!isMet(names)) throw notThere(place, expected);
  return names;
}

const said = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);

const notThere = (place: string, expected: string): Refused =>
  new Refused(`the schema is no schema: at ${place === '' ? 'its top' : said(place)} it should have ${expected}`);
