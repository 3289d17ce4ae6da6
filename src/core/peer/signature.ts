import { isObject } from '../protocol/message.ts';
import { visibleText } from '../wire/visible-text.ts';
import { elementSchema, type Form, formsOf, member, propertiesOf } from './schema-forms.ts';

/** How much is told: levels of objects in objects, and of values that are listed. */
interface Detail {
  levels: number;
  values: number;
}

interface Telling extends Detail {
  left: { types: number };
}

/** Types that are told at most: schemas of others can hold each other many times over. */
const mostTypes = 200;

const details: readonly Detail[] = [
  { levels: 2, values: 8 },
  { levels: 1, values: 5 },
  { levels: 0, values: 3 },
];

/**
 * A tool's name and parameters in one line, as people write them: `add(a: number, b?: "x"|"y")`. What is too long tells
 * less of objects and listed values, then no types, then fewer parameters.
 *
 * @param most The most characters that it may have.
 */
export function signature(name: string, inputSchema: unknown, most = 100): string {
  const shownName = visibleText(name);
  for (const amount of details) {
    const detail = { ...amount, left: { types: mostTypes } };
    const { text, isWhole } = parameters(inputSchema, most, (schema) => `: ${typeText(schema, inputSchema, detail)}`);
    if (isWhole && shownName.length + text.length + 2 <= most) return `${shownName}(${text})`;
  }
  const room = Math.max(0, most - shownName.length - 2);
  const text = `${shownName}(${parameters(inputSchema, room, () => '').text})`;
  return text.length <= most ? text : `${cut(text, Math.max(0, most - 1))}…`;
}

/** Not through the middle of a character. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** As many parameters as there is room for. */
function parameters(schema: unknown, room: number, type: (schema: unknown) => string) {
  const forms = formsOf(schema, schema).filter((form) => form.type === 'object');
  const all = forms.flatMap((form) => entriesOf(form, room + 1));
  const parts: string[] = [];
  let length = 0;
  for (const [index, { name, isRequired, schema: inner }] of all.entries()) {
    const part = `${nameText(name)}${isRequired ? '' : '?'}${type(inner)}`;
    length += part.length + (index > 0 ? 2 : 0);
    const isLast = index === all.length - 1;
    if (length + (isLast ? 0 : 3) > room) return { text: [...parts, '…'].join(', '), isWhole: false };
    parts.push(part);
  }
  return { text: parts.join(', '), isWhole: true };
}

interface Parameter {
  name: string;
  isRequired: boolean;
  schema: unknown;
}

function entriesOf(form: Form, most: number): Parameter[] {
  const required = member(form.schema, 'required');
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  const properties = propertiesOf(form);
  return Object.keys(properties)
    .slice(0, most)
    .map((name) => ({ name, isRequired: names.has(name), schema: properties[name] }));
}

const identifier = /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u;

const nameText = (name: string): string => (identifier.test(name) ? visibleText(name) : valueText(name));

const valueText = (value: unknown): string => {
  const text = isObject(value) ? '{…}' : Array.isArray(value) ? '[…]' : (JSON.stringify(value) ?? '');
  return visibleText(text.length > 40 ? `${cut(text, 39)}…` : text);
};

function typeText(schema: unknown, root: unknown, detail: Telling): string {
  if (detail.left.types-- <= 0) return '…';
  const most = detail.values;
  const texts = new Set(formsOf(schema, root).map((form) => formText(form, root, detail)));
  return [...[...texts].slice(0, most), ...(texts.size > most ? ['…'] : [])].join('|');
}

function formText(form: Form, root: unknown, detail: Telling): string {
  if (form.values) return valuesText(form.values, detail.values);
  if (form.type === 'array') return arrayText(form, root, detail);
  return form.type === 'object' ? objectText(form, root, detail) : form.type;
}

function valuesText(values: readonly unknown[], most: number): string {
  const texts = values.slice(0, most).map(valueText);
  return [...texts, ...(values.length > most ? ['…'] : [])].join('|');
}

function arrayText(form: Form, root: unknown, detail: Telling): string {
  if (detail.levels < 0) return 'array';
  const inner = typeText(elementSchema(form, 0), root, { ...detail, levels: detail.levels - 1 });
  return inner.includes('|') ? `(${inner})[]` : `${inner}[]`;
}

function objectText(form: Form, root: unknown, detail: Telling): string {
  const members = entriesOf(form, detail.values + 1);
  if (members.length === 0) return 'object';
  if (detail.levels <= 0) return '{…}';
  const inner = { ...detail, levels: detail.levels - 1 };
  const texts = members
    .slice(0, detail.values)
    .map(
      ({ name, isRequired, schema }) => `${nameText(name)}${isRequired ? '' : '?'}: ${typeText(schema, root, inner)}`,
    );
  return `{${[...texts, ...(members.length > detail.values ? ['…'] : [])].join(', ')}}`;
}
