const hex = '0123456789abcdef';
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** What stands for each byte below 0x80 inside a JSON string; nothing where it stands for itself. */
const escapes: readonly (Uint8Array | undefined)[] = Array.from({ length: 128 }, (_, byte) => {
  const short = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' }[byte];
  if (short) return ascii(short);
  return byte < 0x20 || byte === 0x7f ? ascii(`\\u00${hex[byte >> 4]}${hex[byte & 15]}`) : undefined;
});

/** U+0080 to U+009F, which terminals obey, are C2 80 to C2 9F in UTF-8. */
const isControlPair = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xc2 && at + 1 < bytes.length && (bytes[at + 1] as number) <= 0x9f;

/** The most that one byte becomes: `\\u0001`. Bytes. */
export const longestEscape = 6;

/** How long `writeEscaped` makes these bytes. */
export function escapedLength(bytes: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x80) length += escapes[byte]?.length ?? 1;
    else if (isControlPair(bytes, at)) {
      length += 6;
      at++;
    } else length++;
  }
  return length;
}

/**
 * Writes valid UTF-8 as the inside of a JSON string (RFC 8259, section 7), control characters escaped, so
 * that a trace can be looked at with `cat`. Returns where it ends.
 */
export function writeEscaped(bytes: Uint8Array, target: Uint8Array, start: number): number {
  let out = start;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const escape = byte < 0x80 ? escapes[byte] : isControlPair(bytes, at) ? c1Escape(bytes[++at] as number) : undefined;
    if (!escape) target[out++] = byte;
    else for (const letter of escape) target[out++] = letter;
  }
  return out;
}

const c1Escape = (byte: number): Uint8Array => ascii(`\\u00${hex[byte >> 4]}${hex[byte & 15]}`);
