import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Ink } from '../text/ink.ts';
import { choicesOf, fieldHint, isLong, readField } from './form-field.ts';
import type { Questions } from './questions.ts';

type Refused = 'decline' | 'cancel';

/** What asks: a terminal, and how text looks there. */
export interface Asking {
  questions: Pick<Questions, 'ask' | 'say'>;
  ink: Ink;
  /** Whether a value fits the schema of its field, where that is not told at once. @returns what is wrong */
  misfit(field: JsonObject, value: unknown): Promise<string | undefined>;
}

/**
 * A form that a server asks for (client/elicitation, form mode): a question a property, defaults taken by Enter.
 *
 * @returns the content, or what the person did instead
 */
export async function askForm(asking: Asking, message: string, schema: JsonObject): Promise<JsonObject | Refused> {
  const { questions, ink } = asking;
  questions.say(`\n${ink.bold('The server asks:')} ${shownText(message)}`);
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  if (properties.length === 0) return confirmed(asking, 'Accept?', {});
  questions.say(ink.dim('Enter skips a field or takes its default; ! declines; Ctrl-D cancels.'));
  const content: Record<string, unknown> = {};
  for (const [name, property] of properties) {
    const field = isObject(property) ? property : {};
    const answer = await askField(asking, name, field, required.includes(name));
    if (answer === 'cancel' || answer === 'decline') return answer;
    if (answer.value !== undefined) content[name] = answer.value;
  }
  return content;
}

/** Asks until what is typed fits the field, or the person gives up. */
async function askField(
  asking: Asking,
  name: string,
  field: JsonObject,
  isRequired: boolean,
): Promise<{ value: unknown } | Refused> {
  const { questions, ink } = asking;
  for (const line of aboutField(name, field, ink)) questions.say(line);
  const prompt = `${ink.bold(visibleText(name))} ${ink.dim(`[${fieldHint(field, isRequired).join('; ')}]`)}: `;
  const fallback = field['default'];
  for (;;) {
    const typed = await questions.ask(prompt);
    if (typed === undefined) return 'cancel';
    if (typed.trim() === '!') return 'decline';
    if (typed.trim() === '') {
      if (fallback !== undefined || !isRequired) return { value: fallback };
      questions.say(ink.yellow('  It is required. Type something, or ! to decline.'));
      continue;
    }
    const read = readField(typed, field);
    const wrong = 'wrong' in read ? read.wrong : await asking.misfit(field, read.value);
    if (wrong === undefined && 'value' in read) return read;
    questions.say(ink.yellow(`  ${visibleText(wrong ?? '')}`));
  }
}

/** Servers have to ask for these in another way (client/elicitation, safe URL and form handling). */
const secretName = /passw|passphrase|secret|token|api.?key|credential|card.?number|\bpin\b|cvv/i;

function aboutField(name: string, field: JsonObject, ink: Ink): string[] {
  const { title, description } = field;
  const about = [title, description].filter((text) => typeof text === 'string' && text !== '' && text !== name);
  const choices = choicesOf(field) ?? [];
  const asksSecret = [name, title, description].some((text) => typeof text === 'string' && secretName.test(text));
  return [
    ...(about.length > 0 ? [`\n${about.map((text) => shownText(String(text))).join(': ')}`] : ['']),
    ...(asksSecret
      ? [ink.red('This may be a secret: a server must not ask for one in a form, and what you type is recorded.')]
      : []),
    ...(isLong(choices)
      ? choices.map(({ value, title: name }, index) => {
          const more = value === name ? '' : `  ${ink.dim(visibleText(name))}`;
          return `  ${String(index + 1).padStart(2)}  ${ink.cyan(visibleText(value))}${more}`;
        })
      : []),
  ];
}

/**
 * A URL that a server wants to be visited (client/elicitation, URL mode): it is shown whole, with its host apart, and never
 * opened from here.
 */
export async function askUrl(asking: Asking, message: string, url: string): Promise<'accept' | Refused> {
  const { questions, ink } = asking;
  questions.say(`\n${ink.bold('The server asks you to visit a page:')} ${shownText(message)}`);
  questions.say(`  ${ink.cyan(visibleText(url))}`);
  if (URL.canParse(url)) {
    const { protocol, host } = new URL(url);
    // As a browser would go there: a name that only looks like another stands in its true letters.
    questions.say(`  ${ink.dim(`it is on ${visibleText(host) || 'no host'}`)}`);
    if (protocol !== 'https:') questions.say(ink.red(`  It is not HTTPS (${visibleText(protocol)}).`));
  } else questions.say(ink.red('  It is no address that a browser could open.'));
  const answer = await confirmed(asking, 'Will you open it yourself?', {});
  return typeof answer === 'string' ? answer : 'accept';
}

async function confirmed({ questions }: Asking, question: string, content: JsonObject): Promise<JsonObject | Refused> {
  const sure = await questions.ask(`${question} [y/N] `);
  if (sure === undefined) return 'cancel';
  return /^y(es)?$/i.test(sure.trim()) ? content : 'decline';
}

/** Text of the server, on lines as it has them. */
const shownText = (text: string): string => text.trim().split(/\r?\n/).map(visibleText).join('\n  ');
