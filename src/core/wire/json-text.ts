import { visibleText } from './visible-text.ts';

/** Where one token of JSON stands in its text. `kind` is its first character; `0` stands for numbers and words. */
interface Token {
  kind: '{' | '}' | '[' | ']' | ',' | ':' | '"' | '0';
  from: number;
  to: number;
}

/** Deeper levels are not indented any further, so that deep nesting does not make a text grow with its square. */
const deepestIndent = 40;

const isSpace = (letter: string): boolean => letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r';

/** The tokens of JSON text that is known to be valid. */
function* jsonTokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const letter = text[at] as string;
    const from = at;
    if (isSpace(letter)) at++;
    else if (letter === '"') {
      at = endOfString(text, at);
      yield { kind: '"', from, to: at };
    } else if (isPunctuation(letter)) yield { kind: letter, from, to: ++at };
    else {
      at = endOfScalar(text, at);
      yield { kind: '0', from, to: at };
    }
  }
}

const isPunctuation = (letter: string): letter is '{' | '}' | '[' | ']' | ',' | ':' => '{}[],:'.includes(letter);

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfScalar(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !isSpace(text[at] as string) && !isPunctuation(text[at] as string)) at++;
  return at;
}

/** The exact texts of the elements of an array; `text` is known to be a valid one. */
export function elementTexts(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let from = -1;
  let to = -1;
  for (const token of jsonTokens(text)) {
    const closes = token.kind === '}' || token.kind === ']';
    if (closes) depth--;
    if ((closes && depth === 0) || (token.kind === ',' && depth === 1)) {
      if (from >= 0) elements.push(text.slice(from, to));
      from = -1;
    } else if (depth > 0) {
      if (from < 0) from = token.from;
      to = token.to;
    }
    if (token.kind === '{' || token.kind === '[') depth++;
  }
  return elements;
}

/**
 * JSON laid out over lines, every token exactly as it was spelled: `1.0`, `1e400`, numbers beyond 2^53 and
 * names that stand twice survive.
 *
 * @param text Known to be valid JSON.
 */
export function* prettyLines(text: string): Generator<string> {
  let line = '';
  let depth = 0;
  let before: Token['kind'] | undefined;
  const indent = (): string => '  '.repeat(Math.min(depth, deepestIndent));
  for (const { kind, from, to } of jsonTokens(text)) {
    const isEmpty = (kind === '}' && before === '{') || (kind === ']' && before === '[');
    if (kind === '}' || kind === ']') depth--;
    if (before !== undefined && !isEmpty && breaksBefore(kind, before)) {
      yield line;
      line = indent();
    }
    line += text.slice(from, to);
    if (kind === ':') line += ' ';
    if (kind === '{' || kind === '[') depth++;
    before = kind;
  }
  if (line !== '') yield line;
}

const breaksBefore = (kind: Token['kind'], before: Token['kind']): boolean =>
  kind === '}' || kind === ']' || (kind !== ',' && (before === '{' || before === '[' || before === ','));

/**
 * The same JSON with no character in it that a terminal would obey or that cannot be seen: inside strings such
 * characters become `\u` escapes, between tokens white space becomes spaces.
 */
export function withoutUnseen(json: string): string {
  if (visibleText(json) === json) return json;
  let safe = '';
  let done = 0;
  for (const { kind, from, to } of jsonTokens(json)) {
    safe += ' '.repeat(from - done);
    safe += kind === '"' ? escapeUnseen(json.slice(from, to)) : json.slice(from, to);
    done = to;
  }
  return safe;
}

function escapeUnseen(string: string): string {
  if (visibleText(string) === string) return string;
  let escaped = '';
  for (const character of string) {
    if (visibleText(character) === character) escaped += character;
    else for (let unit = 0; unit < character.length; unit++) escaped += escapeUnit(character.charCodeAt(unit));
  }
  return escaped;
}

const escapeUnit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
