import { isJson } from './json-redaction.ts';

/** What ends JSON that is cut off, around a text that takes the place of all that was to come. */
export interface JsonEnding {
  before: string;
  behind: string;
}

/** Fields of an event before the one line of its data. */
const dataOfEvent = /^(?:(?:event|id|retry):[^\r\n]*\r?\n){0,8}data: ?/;

/**
 * How JSON that is cut off, or an event with it as its data, becomes whole again; nothing where it is neither, or is cut
 * off in a number or a word.
 */
export function jsonEnding(text: string): JsonEnding | undefined {
  const [start = ''] = dataOfEvent.exec(text) ?? [];
  const json = text.slice(start.length);
  const ending = endingOf(json);
  if (!ending || !isJson(`${json}${ending.before}x${ending.behind}`)) return undefined;
  return start === '' ? ending : { ...ending, behind: `${ending.behind}\n\n` };
}

/** It is only right where the text is JSON so far. */
function endingOf(text: string): JsonEnding | undefined {
  const closing: string[] = [];
  let isInString = false;
  let isName = false;
  let last = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (isInString) {
      if (letter === '\\') at++;
      else if (letter === '"') isInString = false;
      continue;
    }
    if (letter === '"') {
      isInString = true;
      isName = closing.at(-1) === '}' && (last === '{' || last === ',');
    } else if (letter === '{') closing.push('}');
    else if (letter === '[') closing.push(']');
    else if (letter === '}' || letter === ']') closing.pop();
    if (letter.trim() !== '') last = letter;
  }
  const rest = closing.reverse().join('');
  if (rest === '') return undefined;
  if (isInString) return { before: '', behind: isName ? `":null${rest}` : `"${rest}` };
  if (rest.startsWith('}') && last !== ':') return { before: last === '{' ? '"' : ',"', behind: `":null${rest}` };
  return { before: last === '[' || last === ':' ? '"' : ',"', behind: `"${rest}` };
}
