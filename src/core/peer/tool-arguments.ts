import { isObject, type JsonObject } from '../protocol/message.ts';
import { type Given, jsonOf, typedValue } from './typed-value.ts';
import { type Form, formsOf, member, propertiesOf } from './schema-forms.ts';
import { memberPointer } from './schema-reference.ts';

/** What is wrong with an argument. `path` is a JSON pointer into the arguments. */
export interface ArgumentError {
  path: string;
  message: string;
}

export type ToolArguments = { arguments: JsonObject } | { errors: ArgumentError[] };

/** What was given for one name, and for the members of it. */
interface Named {
  given: Given[];
  members: Map<string, Named>;
}

/**
 * The arguments of a tool out of words: `name=value`, typed by the tool's schema, and `name:=JSON`. A name that stands
 * several times makes an array, one with dots reaches into objects. Words that begin with `{` are one JSON object.
 *
 * @param schema The tool's `inputSchema`: anything, it is somebody else's.
 */
export function toolArguments(words: readonly string[], schema: unknown): ToolArguments {
  if (words[0]?.trimStart().startsWith('{') === true) return argumentsFromJson(words.join(' '));
  const errors: ArgumentError[] = [];
  const root: Named = { given: [], members: new Map() };
  const forms = formsOf(schema, schema);
  for (const word of words) {
    const equals = word.indexOf('=');
    const isJson = word[equals - 1] === ':';
    const name = word.slice(0, isJson ? equals - 1 : equals);
    if (equals < 1 || name === '') errors.push({ path: '', message: notNamed(word) });
    else place(root, namesIn(name, forms, schema)).given.push({ text: word.slice(equals + 1), isJson });
  }
  const made = membersOf(root, forms, { path: '', schema, errors });
  return errors.length > 0 ? { errors } : { arguments: made };
}

/** The arguments of a tool out of one JSON text. */
export function argumentsFromJson(text: string): ToolArguments {
  const read = jsonOf(text);
  if ('wrong' in read) return { errors: [{ path: '', message: `expected a JSON object: ${read.wrong}` }] };
  if (isObject(read.value)) return { arguments: read.value };
  return { errors: [{ path: '', message: 'expected a JSON object, got other JSON' }] };
}

const notNamed = (word: string): string =>
  `expected name=value, name:=JSON or one JSON object, got ${JSON.stringify(shortened(word))}`;

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function place(root: Named, names: readonly string[]): Named {
  let named = root;
  for (const name of names) {
    const next = named.members.get(name) ?? { given: [], members: new Map() };
    named.members.set(name, next);
    named = next;
  }
  return named;
}

/**
 * `a.b` is a member `b` of `a` only where the schema has an `a` and no `a.b`: names with dots in them exist.
 */
function namesIn(name: string, forms: readonly Form[], root: unknown, depth = 0): string[] {
  if (depth > 64 || forms.some((form) => Object.hasOwn(propertiesOf(form), name))) return [name];
  for (let dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const first = name.slice(0, dot);
    const inner = innerForms(forms, first, root);
    if (inner.length > 0 && dot < name.length - 1) {
      return [first, ...namesIn(name.slice(dot + 1), inner, root, depth + 1)];
    }
  }
  return [name];
}

/** The forms of a member that can have members itself. */
function innerForms(forms: readonly Form[], name: string, root: unknown): Form[] {
  const isKnown = forms.some((form) => Object.hasOwn(propertiesOf(form), name));
  const schema = memberSchema(forms, name);
  if (schema === undefined) return [];
  return formsOf(schema, root).filter(({ type }) => type === 'object' || (type === 'any' && isKnown));
}

/** The schema of a member of an object; nothing where the schema does not know it. */
function memberSchema(forms: readonly Form[], name: string): unknown {
  const form = forms.find((one) => Object.hasOwn(propertiesOf(one), name));
  if (form) return propertiesOf(form)[name];
  return forms.map((one) => member(one.schema, 'additionalProperties')).find(isObject);
}

/** Where in the arguments we are, and what has been wrong so far. */
interface Place {
  path: string;
  schema: unknown;
  errors: ArgumentError[];
}

function membersOf(named: Named, forms: readonly Form[], place: Place): JsonObject {
  const made: Record<string, unknown> = {};
  for (const [name, inner] of named.members) {
    const path = memberPointer(place.path, name);
    setMember(made, name, valueOf(inner, formsOf(memberSchema(forms, name), place.schema), { ...place, path }));
  }
  return made;
}

function valueOf(named: Named, forms: readonly Form[], place: Place): unknown {
  const wrong = (message: string): void => void place.errors.push({ path: place.path, message });
  const typed = named.given.length > 0 ? typedValue(named.given, forms, place.schema) : undefined;
  if (typed && 'wrong' in typed) wrong(typed.wrong);
  if (named.members.size === 0) return typed && 'value' in typed ? typed.value : undefined;
  const members = membersOf(named, forms, place);
  if (!typed || 'wrong' in typed) return members;
  if (!isObject(typed.value)) {
    wrong('given both as a value and by its members');
    return undefined;
  }
  const whole: Record<string, unknown> = { ...typed.value };
  for (const [name, value] of Object.entries(members)) setMember(whole, name, value);
  return whole;
}

/** As JSON.parse does it: `__proto__` is a member like others. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
