import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { visibleText } from '../../core/wire/visible-text.ts';

/** One of what may be chosen. */
export interface Choice {
  value: string;
  /** What a person reads, where that is something else. */
  title: string;
}

export type FieldAnswer = { value: unknown } | { wrong: string };

/** What was typed as the field of a form wants it (client/elicitation, requested schema). */
export function readField(typed: string, field: JsonObject): FieldAnswer {
  const text = typed.trim();
  switch (field['type']) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return { value: true };
      return /^(n|no|false)$/i.test(text) ? { value: false } : { wrong: 'Type yes or no.' };
    case 'number':
    case 'integer':
      return readNumber(text, field);
    case 'array':
      return readSeveral(text, field);
    default: {
      const choices = choicesOf(field);
      if (!choices) return wrongText(text, field) ?? { value: text };
      const chosen = choose(text, choices);
      return chosen === undefined ? { wrong: `Type one of: ${namesOf(choices)}.` } : { value: chosen };
    }
  }
}

/** What may be chosen from, where the field has that: with titles or without, in the ways of all revisions. */
export function choicesOf(field: JsonObject): Choice[] | undefined {
  const { items } = field;
  const from = isObject(items) ? items : field;
  const options = from['enum'] ?? from['oneOf'] ?? from['anyOf'];
  if (!Array.isArray(options)) return undefined;
  const titles = Array.isArray(from['enumNames']) ? from['enumNames'] : [];
  return options.map((option, index) => {
    const value = String(isObject(option) ? option['const'] : option);
    const title: unknown = isObject(option) ? option['title'] : titles[index];
    return { value, title: typeof title === 'string' ? title : value };
  });
}

/** By its value, its title, or its place in the list, in this order. */
function choose(text: string, choices: readonly Choice[]): string | undefined {
  const wanted = text.toLowerCase();
  const found =
    choices.find(({ value }) => value === text) ??
    choices.find(({ title }) => title === text) ??
    choices.find(({ value, title }) => value.toLowerCase() === wanted || title.toLowerCase() === wanted) ??
    (/^[1-9]\d{0,5}$/.test(text) ? choices[Number(text) - 1] : undefined);
  return found?.value;
}

const namesOf = (choices: readonly Choice[]): string => choices.map(({ value }) => visibleText(value)).join(', ');

function readNumber(text: string, field: JsonObject): FieldAnswer {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return { wrong: 'Type a number.' };
  const value = Number(text);
  if (!Number.isFinite(value)) return { wrong: 'The number is too large.' };
  if (field['type'] === 'integer') {
    if (!Number.isInteger(value)) return { wrong: 'Type a whole number.' };
    if (!Number.isSafeInteger(value)) return { wrong: 'The number is too large to be sent as it is.' };
  }
  const { minimum, maximum } = field;
  if (typeof minimum === 'number' && value < minimum) return { wrong: `It has to be ${minimum} or more.` };
  if (typeof maximum === 'number' && value > maximum) return { wrong: `It has to be ${maximum} or less.` };
  return { value };
}

function readSeveral(text: string, field: JsonObject): FieldAnswer {
  const { minItems, maxItems } = field;
  const choices = choicesOf(field);
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const values: string[] = [];
  for (const word of words) {
    const value = choices ? choose(word, choices) : word;
    if (value === undefined) {
      return { wrong: `"${visibleText(word)}" is none of: ${namesOf(choices ?? [])}. Put commas between several.` };
    }
    if (!values.includes(value)) values.push(value);
  }
  if (typeof minItems === 'number' && values.length < minItems) return { wrong: `Choose ${minItems} or more.` };
  if (typeof maxItems === 'number' && values.length > maxItems) return { wrong: `Choose ${maxItems} at most.` };
  return { value: values };
}

function wrongText(text: string, { minLength, maxLength, format }: JsonObject): { wrong: string } | undefined {
  const length = Array.from(text).length;
  if (typeof minLength === 'number' && length < minLength)
    return { wrong: `It is too short: ${minLength} characters or more, and it has ${length}.` };
  if (typeof maxLength === 'number' && length > maxLength)
    return { wrong: `It is too long: ${maxLength} characters at most, and it has ${length}.` };
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  return known && !known.fits(text) ? { wrong: `Type ${known.what}.` } : undefined;
}

interface Format {
  what: string;
  fits(text: string): boolean;
}

/** The formats that a form may ask for. */
const formats: Readonly<Record<string, Format>> = {
  email: {
    what: 'an e-mail address, as in name@host.example',
    fits: (text) => text.length <= 320 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  },
  uri: {
    what: 'an address with its scheme, as in https://host.example/page',
    fits: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text),
  },
  date: { what: 'a date, as in 2026-07-28', fits: isDate },
  'date-time': { what: 'a date and a time with its zone, as in 2026-07-28T09:30:00Z', fits: isDateTime },
};

/** RFC 3339, full-date: one that there is. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339, date-time. */
function isDateTime(text: string): boolean {
  const found = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/.exec(text);
  if (!found) return false;
  const [, date = '', hour, minute, second, zoneHour = '0', zoneMinute = '0'] = found;
  const fits = (part: string | undefined, most: number): boolean => Number(part) <= most;
  return (
    isDate(date) && fits(hour, 23) && fits(minute, 59) && fits(second, 60) && fits(zoneHour, 23) && fits(zoneMinute, 59)
  );
}

/** What stands in brackets behind a field's name, so that a person knows what to type. */
export function fieldHint(field: JsonObject, isRequired: boolean): string[] {
  const { type, default: fallback, format, items } = field;
  const choices = choicesOf(field);
  const kind =
    type === 'boolean'
      ? 'yes | no'
      : choices && !isLong(choices)
        ? choices.map(({ value }) => value).join(' | ')
        : choices
          ? `one of the above, by name or number`
          : typeof format === 'string'
            ? format
            : typeof type === 'string' && type !== 'string'
              ? type
              : 'text';
  const several = type === 'array' || isObject(items) ? ['several, with commas between'] : [];
  const bounds = boundsOf(field);
  return [
    kind,
    ...several,
    ...(bounds === '' ? [] : [bounds]),
    fallback === undefined ? (isRequired ? 'required' : 'optional') : `Enter for ${fallbackText(fallback)}`,
  ].map(visibleText);
}

/** They are listed on lines of their own. */
export const isLong = (choices: readonly Choice[]): boolean =>
  choices.length > 6 || choices.some(({ value, title }) => value !== title);

function fallbackText(fallback: unknown): string {
  if (typeof fallback === 'boolean') return fallback ? 'yes' : 'no';
  if (Array.isArray(fallback)) return fallback.map(fallbackText).join(', ') || 'none';
  return typeof fallback === 'string' ? fallback || 'an empty text' : JSON.stringify(fallback);
}

function boundsOf({ type, minimum, maximum, minItems, maxItems, minLength, maxLength }: JsonObject): string {
  const [least, most, unit] =
    type === 'array'
      ? [minItems, maxItems, '']
      : type === 'number' || type === 'integer'
        ? [minimum, maximum, '']
        : [minLength, maxLength, ' characters'];
  const [from, to] = [typeof least === 'number' ? least : undefined, typeof most === 'number' ? most : undefined];
  if (from !== undefined && to !== undefined) return from === to ? `${from}${unit}` : `${from} to ${to}${unit}`;
  if (from !== undefined) return from > 0 || unit === '' ? `${from}${unit} or more` : '';
  return to === undefined ? '' : `${to}${unit} at most`;
}
