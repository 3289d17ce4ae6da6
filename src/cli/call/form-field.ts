import { isObject, type JsonObject } from '../../core/protocol/message.ts';

/** What was typed as the field wants it. */
export function readField(typed: string, field: JsonObject): { value: unknown } | { wrong: string } {
  const text = typed.trim();
  const choices = choicesOf(field);
  switch (field['type']) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return { value: true };
      return /^(n|no|false)$/i.test(text) ? { value: false } : { wrong: 'Type yes or no.' };
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (text === '' || !Number.isFinite(value)) return { wrong: 'Type a number.' };
      if (field['type'] === 'integer' && !Number.isInteger(value)) return { wrong: 'Type a whole number.' };
      return outOfRange(value, field) ?? { value };
    }
    case 'array': {
      const values = text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');
      const strange = values.find((one) => choices && !choices.includes(one));
      return strange === undefined
        ? { value: values }
        : { wrong: `"${strange}" is none of them. Separate several by commas.` };
    }
    default:
      if (choices && !choices.includes(text)) return { wrong: `Type one of ${choices.join(', ')}.` };
      return tooLong(text, field) ?? { value: text };
  }
}

function outOfRange(value: number, { minimum, maximum }: JsonObject): { wrong: string } | undefined {
  if (typeof minimum === 'number' && value < minimum) return { wrong: `It has to be ${minimum} at least.` };
  if (typeof maximum === 'number' && value > maximum) return { wrong: `It has to be ${maximum} at most.` };
  return undefined;
}

function tooLong(text: string, { minLength, maxLength }: JsonObject): { wrong: string } | undefined {
  const length = Array.from(text).length;
  if (typeof minLength === 'number' && length < minLength)
    return { wrong: `It has to have ${minLength} characters at least.` };
  if (typeof maxLength === 'number' && length > maxLength)
    return { wrong: `It has to have ${maxLength} characters at most.` };
  return undefined;
}

/** What may be chosen from, where the field has that. */
export function choicesOf(field: JsonObject): string[] | undefined {
  const options =
    field['enum'] ??
    field['oneOf'] ??
    (isObject(field['items']) ? (field['items']['enum'] ?? field['items']['anyOf']) : undefined);
  if (!Array.isArray(options)) return field['type'] === 'boolean' ? ['yes', 'no'] : undefined;
  return options.map((option) => (isObject(option) ? String(option['const']) : String(option)));
}
