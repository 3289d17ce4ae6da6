import type { Span } from './json-member.ts';

/** A string that is a value in JSON: where its inside stands, between the quotes, and what leads to it. */
export interface PlacedString extends Span {
  /** Names of members, as they read, and places in arrays, from the outside in. Changes when the next one is asked for. */
  path: readonly (string | number)[];
}

/**
 * The strings that are values, in order, those of members that stand twice included.
 *
 * @param text Known to be valid JSON.
 */
export function* placedStrings(text: string): Generator<PlacedString> {
  const path: (string | number)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      const from = at + 1;
      at = closingQuote(text, from);
      if (isName) path[path.length - 1] = JSON.parse(text.slice(from - 1, at + 1)) as string;
      else yield { path, from, to: at };
    } else if (letter === '{' || letter === '[') {
      isName = letter === '{';
      path.push(isName ? '' : 0);
    } else if (letter === '}' || letter === ']') {
      path.pop();
      isName = false;
    } else if (letter === ',') {
      const step = path.at(-1);
      isName = typeof step === 'string';
      if (typeof step === 'number') path[path.length - 1] = step + 1;
    } else if (letter === ':') isName = false;
  }
}

function closingQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
