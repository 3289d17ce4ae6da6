import { readUtf8 } from '../wire/utf8.ts';

const hex = '0123456789abcdef';
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const hexEscape = (byte: number): Uint8Array => ascii(`\\u00${hex[byte >> 4]}${hex[byte & 15]}`);

/** What stands for each byte below 0xa0 inside a JSON string; nothing where it stands for itself. */
const escapes: readonly (Uint8Array | undefined)[] = Array.from({ length: 0xa0 }, (_, byte) => {
  const short = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' }[byte];
  if (short) return ascii(short);
  return byte < 0x20 || byte >= 0x7f ? hexEscape(byte) : undefined;
});

/** U+0080 to U+009F, which terminals obey, are C2 80 to C2 9F in UTF-8. */
const beginsControlPair = 0xc2;

/** How many bytes stand for each byte, looked at by itself. */
const lengths = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? (escapes[byte]?.length ?? 1) : 1));

/** 1 for each byte that stands for itself whatever follows it. */
const plain = lengths.map((length, byte) => (length === 1 && byte !== beginsControlPair ? 1 : 0));

const isControlPair = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === beginsControlPair && at + 1 < bytes.length && (bytes[at + 1] as number) <= 0x9f;

/** The most that one byte becomes: `\\u0001`. Bytes. */
export const longestEscape = 6;

/** How long `writeEscaped` makes these bytes. */
export const escapedLength = (bytes: Uint8Array): number => measure(bytes, true) as number;

/** The same, but nothing where they are no valid UTF-8. */
export const escapedTextLength = (bytes: Uint8Array): number | undefined => measure(bytes, false);

function measure(bytes: Uint8Array, isSurelyText: boolean): number | undefined {
  let isText = isSurelyText;
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    length += lengths[byte] as number;
    if (byte < 0x80) continue;
    isText ||= readUtf8(bytes) !== undefined;
    if (!isText) return undefined;
    if (byte === beginsControlPair && isControlPair(bytes, at)) length += longestEscape - 2;
  }
  return length;
}

/**
 * Writes valid UTF-8 as the inside of a JSON string (RFC 8259, section 7), control characters escaped, so
 * that a trace can be looked at with `cat`. Returns where it ends.
 */
export function writeEscaped(
  bytes: Uint8Array,
  target: Uint8Array,
  start: number,
  from = 0,
  to = bytes.length,
): number {
  let out = start;
  for (let at = from; at < to; at++) {
    let byte = bytes[at] as number;
    while (plain[byte] === 1) {
      target[out++] = byte;
      if (++at === to) return out;
      byte = bytes[at] as number;
    }
    const escape = byte < 0x80 ? escapes[byte] : isControlPair(bytes, at) ? escapes[bytes[++at] as number] : undefined;
    if (!escape) target[out++] = byte;
    else for (let letter = 0; letter < escape.length; letter++) target[out++] = escape[letter] as number;
  }
  return out;
}
