import { isObject } from '../protocol/message.ts';
import { elementSchema, type Form, formsOf, propertiesOf } from './schema-forms.ts';

/** What somebody wrote for a value. */
export interface Given {
  text: string;
  /** It is to be read as JSON, whatever the schema says. */
  isJson: boolean;
}

/** A value, or what is wrong with what was given for it. */
type Typed = { value: unknown } | { wrong: string };

/** The most levels of arrays in arrays that are followed. */
const deepest = 2;

/** The value that is meant, by the first of the forms that fits. More than one given makes an array. */
export function typedValue(given: readonly Given[], forms: readonly Form[], root: unknown, depth = 0): Typed {
  const [first] = given;
  if (!first) return { wrong: 'given no value' };
  if (given.length === 1 && first.isJson) return read(first.text);
  for (const form of forms) {
    const value = fitting(given, form, root, depth);
    if (value) return value;
  }
  return { wrong: complaint(given, forms, root, depth) };
}

function read(text: string): Typed {
  const json = jsonOf(text);
  return 'wrong' in json ? { wrong: `expected JSON, got ${quoted(text)}: ${json.wrong}` } : json;
}

/** What a JSON text holds, or why it is none. */
export function jsonOf(text: string): Typed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}

/** The value in one form; nothing where it does not fit. */
function fitting(given: readonly Given[], form: Form, root: unknown, depth: number): { value: unknown } | undefined {
  if (form.type === 'array') return listedIn(arrayOf(given, form, root, depth), form);
  const [first] = given;
  if (!first) return undefined;
  if (given.length > 1) return form.type === 'any' && !form.values ? allOf(given.map(freely)) : undefined;
  if (form.values) return amongListed(first.text, form);
  return scalar(first, form);
}

function scalar(given: Given, { type }: Form): { value: unknown } | undefined {
  const { text } = given;
  if (type === 'string') return { value: text };
  if (type === 'number' || type === 'integer') return numberIn(text, type === 'integer');
  if (type === 'boolean') return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
  if (type === 'null') return text === 'null' ? { value: null } : undefined;
  if (type === 'any') return freely(given);
  const json = jsonOf(text);
  return 'value' in json && isObject(json.value) ? json : undefined;
}

/** JSON where it is some, else text. A number that would lose digits stays text. */
function freely({ text, isJson }: Given): { value: unknown } | undefined {
  const json = jsonOf(text);
  if ('wrong' in json) return isJson ? undefined : { value: text };
  return typeof json.value === 'number' && !isJson && !isExact(text, json.value) ? { value: text } : json;
}

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function numberIn(text: string, isWhole: boolean): { value: number } | undefined {
  const value = Number(text);
  if (!numeral.test(text) || !Number.isFinite(value) || !isExact(text, value)) return undefined;
  return isWhole && !Number.isInteger(value) ? undefined : { value };
}

/** A whole number beyond 2^53 is not the number that was written. */
const isExact = (text: string, value: number): boolean => Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(text);

/** One of the values that are listed, by its text. */
function amongListed(text: string, { type, values = [] }: Form): { value: unknown } | undefined {
  const index = values.findIndex((value) => isOfType(value, type) && textOf(value) === text);
  if (index >= 0) return { value: values[index] };
  const json = jsonOf(text);
  const isNumber = 'value' in json && typeof json.value === 'number' && type !== 'string';
  return isNumber && values.includes(json.value) ? json : undefined;
}

function isOfType(value: unknown, type: Form['type']): boolean {
  if (type === 'any') return true;
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value));

/** Of an array that may only be one of some, whether it is. */
function listedIn(made: { value: unknown } | undefined, { values }: Form): { value: unknown } | undefined {
  if (!made || !values) return made;
  const text = textOf(made.value);
  return values.some((value) => Array.isArray(value) && textOf(value) === text) ? made : undefined;
}

/**
 * An array is one JSON text, or an element for each that was given. Where an element fits only if it is taken apart at
 * its commas, it is: so `ids=1,2` are two numbers, and `names=a,b` is one text.
 */
function arrayOf(given: readonly Given[], form: Form, root: unknown, depth: number): { value: unknown[] } | undefined {
  if (depth >= deepest) return undefined;
  const [only] = given;
  if (given.length === 1 && only?.text.trimStart().startsWith('[') === true) {
    const json = jsonOf(only.text);
    if ('value' in json) return { value: json.value as unknown[] };
  }
  const elements: unknown[] = [];
  for (const one of given) {
    const whole = element(one, form, elements.length, root, depth);
    const parts = whole ? [whole] : inParts(one, form, elements.length, root, depth);
    for (const part of parts) {
      if (!part) return undefined;
      elements.push(part.value);
    }
  }
  return { value: elements };
}

/** Ends with nothing where a part does not fit. */
function* inParts(
  { text, isJson }: Given,
  form: Form,
  from: number,
  root: unknown,
  depth: number,
): Generator<{ value: unknown } | undefined> {
  if (isJson || !text.includes(',')) return yield undefined;
  for (const [at, part] of text.split(',').entries()) {
    yield element({ text: part.trim(), isJson }, form, from + at, root, depth);
  }
}

function element(
  given: Given,
  form: Form,
  index: number,
  root: unknown,
  depth: number,
): { value: unknown } | undefined {
  const typed = typedValue([given], formsOf(elementSchema(form, index), root), root, depth + 1);
  return 'value' in typed ? typed : undefined;
}

function allOf(made: readonly ({ value: unknown } | undefined)[]): { value: unknown[] } | undefined {
  return made.includes(undefined) ? undefined : { value: made.map((one) => one?.value) };
}

function complaint(given: readonly Given[], forms: readonly Form[], root: unknown, depth: number): string {
  const expected = [...new Set(forms.map((form) => expectation(form, root, depth)))].slice(0, 5).join(' or ');
  if (given.length > 1 && !forms.some(({ type }) => type === 'array')) {
    return `expected ${expected}, given ${given.length} times`;
  }
  const hint = forms.some(({ type }) => type === 'object') ? objectHint(forms) : '';
  return `expected ${expected}, got ${given
    .map(({ text }) => quoted(text))
    .slice(0, 5)
    .join(', ')}${hint}`;
}

const nouns: Readonly<Record<Form['type'], string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'a JSON object',
  any: 'any value',
};

/** What a form asks for, in words. */
function expectation(form: Form, root: unknown, depth: number): string {
  const { type, values } = form;
  if (values) return oneOf(values);
  if (type !== 'array' || depth >= 2) return nouns[type];
  const elements = formsOf(elementSchema(form, 0), root).map((one) => expectation(one, root, depth + 1));
  return `an array of (${[...new Set(elements)].slice(0, 5).join(' or ')})`;
}

const shown = 8;

function oneOf(values: readonly unknown[]): string {
  const texts = values.slice(0, shown).map((value) => shortened(JSON.stringify(value) ?? ''));
  const rest = values.length > shown ? `, … (${values.length} in all)` : '';
  return texts.length === 1 ? (texts[0] as string) : `one of ${texts.join(', ')}${rest}`;
}

function objectHint(forms: readonly Form[]): string {
  const name = forms.flatMap((form) => Object.keys(propertiesOf(form)).slice(0, 1))[0];
  return name === undefined ? '' : `; members can be given one by one, with a dot: ….${shortened(name)}=`;
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

const quoted = (text: string): string => JSON.stringify(shortened(text));
