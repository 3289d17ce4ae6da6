import { createInterface } from 'node:readline/promises';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { choicesOf, readField } from './form-field.ts';

/** Asks the person at the terminal, on stderr, so that what is printed stays apart. */
async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

const print = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * A form that a server asks for (client/elicitation, form mode): a question a property, defaults taken by Enter.
 *
 * @returns the content, or what the person did instead
 */
export async function askForm(message: string, schema: JsonObject): Promise<JsonObject | 'decline' | 'cancel'> {
  print(`\nThe server asks: ${visibleText(message)}`);
  print('(an empty line takes the default or leaves the field out; "!" declines, Ctrl-D cancels)');
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const content: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const field = isObject(property) ? property : {};
    const answer = await askField(name, field, required.includes(name));
    if (answer === 'cancel' || answer === 'decline') return answer;
    if (answer.value !== undefined) content[name] = answer.value;
  }
  if (Object.keys(properties).length > 0) return content;
  const sure = await ask('Accept? [y/N] ');
  if (sure === undefined) return 'cancel';
  return /^y(es)?$/i.test(sure.trim()) ? content : 'decline';
}

/** Asks until what is typed fits the field, or the person gives up. */
async function askField(
  name: string,
  field: JsonObject,
  isRequired: boolean,
): Promise<{ value: unknown } | 'decline' | 'cancel'> {
  const hint = [choicesOf(field)?.join(' | ') ?? textOr(field['type'], 'string'), isRequired ? 'required' : 'optional'];
  const fallback = field['default'];
  if (fallback !== undefined) hint.push(`default ${JSON.stringify(fallback)}`);
  const about = typeof field['description'] === 'string' ? `  ${visibleText(field['description'])}\n` : '';
  for (;;) {
    const typed = await ask(`${about}  ${visibleText(name)} (${hint.map(visibleText).join(', ')}): `);
    if (typed === undefined) return 'cancel';
    if (typed.trim() === '!') return 'decline';
    if (typed.trim() === '' && (fallback !== undefined || !isRequired)) return { value: fallback };
    const read = readField(typed, field);
    if ('value' in read) return read;
    print(`  ${read.wrong}`);
  }
}

/** A URL that a server wants to be visited (client/elicitation, URL mode): it is shown, never opened without a yes. */
export async function askUrl(message: string, url: string): Promise<'accept' | 'decline' | 'cancel'> {
  print(`\nThe server asks you to visit a page: ${visibleText(message)}`);
  print(`  ${visibleText(url)}`);
  const answer = await ask('Will you open it yourself? [y/N] ');
  if (answer === undefined) return 'cancel';
  return /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline';
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
