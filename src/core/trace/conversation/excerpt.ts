import { findMember } from '../../wire/json-member.ts';
import { lastWholeCharacter, showUtf8 } from '../../wire/utf8.ts';
import { firstInvalidByte } from '../../wire/utf8-fault.ts';
import { visibleText } from '../../wire/visible-text.ts';

/** No excerpt is longer; a row is cut to its place when it is laid out. Characters. */
export const longestExcerpt = 1000;

/** The beginning of a text from the wire, made visible. */
export function excerpt(text: string): string {
  const start = text.slice(0, longestExcerpt).replace(/[\ud800-\udbff]$/, '');
  return visibleText(start) + (start.length < text.length ? '...' : '');
}

/** The same of a text that people read: line breaks and runs of spaces become one space. */
export const flowing = (text: string): string =>
  excerpt(
    text
      .slice(0, 2 * longestExcerpt)
      .replace(/[ \t\r\n]+/g, ' ')
      .trim(),
  );

/** The beginning of bytes from the wire, made visible; a byte that is no UTF-8 stands as `\\x97`. */
export function excerptOfBytes(bytes: Uint8Array): string {
  const to = bytes.length <= longestExcerpt ? bytes.length : lastWholeCharacter(bytes, 0, longestExcerpt);
  return visibleBytes(bytes.subarray(0, to)) + (to < bytes.length ? '...' : '');
}

/** Bytes as text, all of them visible. */
function visibleBytes(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; ;) {
    const rest = bytes.subarray(from);
    const at = firstInvalidByte(rest);
    text += visibleText(showUtf8(rest.subarray(0, at)));
    if (at === undefined) return text;
    text += `\\x${(rest[at] as number).toString(16).padStart(2, '0')}`;
    from += at + 1;
  }
}

/** The beginning of a value in a message as it is spelled there; nothing where there is none. */
export function excerptOfMember(json: Uint8Array, path: readonly string[]): string | undefined {
  const span = findMember(json, path);
  return span && excerptOfBytes(json.subarray(span.from, span.to));
}
