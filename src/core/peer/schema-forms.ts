import { isObject, type JsonObject } from '../protocol/message.ts';
import { fragmentPointer, pointerNames, valueAt } from './schema-reference.ts';

export type FormType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object' | 'any';

/** One of the forms that a value may take by its schema. */
export interface Form {
  type: FormType;
  /** Where the schema says more of the form. */
  schema: JsonObject;
  /** All that the value may be, where that is listed. */
  values?: readonly unknown[];
}

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/** How far a schema is followed through references and combinations, and how much of it is looked at. */
const most = { depth: 16, forms: 32, looks: 300 } as const;

/**
 * The forms that a value may take, in the order of the schema: references within the document, `anyOf`, `oneOf` and
 * lists of types are followed. Of `allOf` those of its parts. A schema is somebody else's: nothing in it is believed.
 *
 * @param root The document that `$ref` refers to.
 */
export function formsOf(schema: unknown, root: unknown): Form[] {
  const found = { forms: [] as Form[], looks: 0 };
  collect(schema, root, found, 0);
  return found.forms.length > 0 ? found.forms.slice(0, most.forms) : [{ type: 'any', schema: {} }];
}

function collect(schema: unknown, root: unknown, found: { forms: Form[]; looks: number }, depth: number): void {
  const { forms } = found;
  if (!isObject(schema) || depth > most.depth || forms.length >= most.forms || found.looks++ > most.looks) return;
  const own = ownForms(schema);
  const before = forms.length;
  const isOpen = own.every(({ type }) => type === 'any');
  if (isOpen) for (const part of partsOf(schema, root)) collect(part, root, found, depth + 1);
  if (forms.length === before) forms.push(...own);
}

function partsOf(schema: JsonObject, root: unknown): unknown[] {
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => {
    const list = member(schema, name);
    return Array.isArray(list) ? (list as unknown[]).slice(0, most.forms) : [];
  });
  const reference = member(schema, '$ref');
  return typeof reference === 'string' ? [referred(reference, root), ...parts] : parts;
}

/** What a reference within the document refers to. Others are not followed. */
function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  const names = pointerNames(fragmentPointer(reference.slice(1)) ?? '#');
  return names && valueAt(root, names);
}

/** The forms that a schema names itself. */
function ownForms(schema: JsonObject): Form[] {
  const values = listed(schema);
  const named = [member(schema, 'type')].flat().filter((type) => types.has(type)) as FormType[];
  const found = named.length > 0 ? named : guessed(schema, values !== undefined);
  return found.map((type) => (values ? { type, schema, values } : { type, schema }));
}

/** What a schema without a type is about. */
function guessed(schema: JsonObject, isListed: boolean): FormType[] {
  if (isObject(member(schema, 'properties'))) return ['object'];
  if (['items', 'prefixItems'].some((name) => Object.hasOwn(schema, name))) return ['array'];
  if (['pattern', 'minLength', 'maxLength', 'format'].some((name) => Object.hasOwn(schema, name))) return ['string'];
  if (isListed) return ['any'];
  return partNames.some((name) => Object.hasOwn(schema, name)) ? [] : ['any'];
}

const partNames = ['$ref', 'anyOf', 'oneOf', 'allOf'];

function listed(schema: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  const list = member(schema, 'enum');
  return Array.isArray(list) ? (list as unknown[]) : undefined;
}

/** An own member. */
export const member = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The members that a form of an object names; empty where it names none. */
export function propertiesOf(form: Form): JsonObject {
  const properties = member(form.schema, 'properties');
  return isObject(properties) ? properties : {};
}

/** The schema of an element of an array. */
export function elementSchema(form: Form, index: number): unknown {
  const items = member(form.schema, 'items');
  const first = Array.isArray(items) ? items : member(form.schema, 'prefixItems');
  if (Array.isArray(first) && index < first.length) return first[index] as unknown;
  return Array.isArray(items) ? member(form.schema, 'additionalItems') : items;
}
