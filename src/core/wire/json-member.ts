const quote = 0x22;
const backslash = 0x5c;

/** From where to where something stands in bytes. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Where the value of a member stands in JSON that is known to be valid, found without parsing it: for values
 * whose exact bytes matter. The last one counts where a name stands twice, as it does for `JSON.parse`.
 *
 * @param path Member names from the outside in; they are compared as they are spelled, escapes not undone.
 */
export function findMember(bytes: Uint8Array, path: readonly string[], within?: Span): Span | undefined {
  let span: Span | undefined = within ?? { from: 0, to: bytes.length };
  for (const name of path) {
    span = findOne(bytes, name, span);
    if (!span) return undefined;
  }
  return span;
}

function findOne(bytes: Uint8Array, name: string, within: Span): Span | undefined {
  let at = skipSpace(bytes, within.from);
  if (bytes[at] !== 0x7b) return undefined;
  let found: Span | undefined;
  at = skipSpace(bytes, at + 1);
  while (at < within.to && bytes[at] === quote) {
    const keyEnd = skipString(bytes, at);
    const isWanted = spells(bytes, at + 1, keyEnd - 1, name);
    const from = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    const to = skipValue(bytes, from);
    if (isWanted) found = { from, to };
    at = skipSpace(bytes, to);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
  }
  return found;
}

function skipValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === quote) return skipString(bytes, from);
  if (first !== 0x7b && first !== 0x5b) return skipScalar(bytes, from);
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = skipString(bytes, at);
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth++;
    if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return at + 1;
    at++;
  }
  return at;
}

function skipScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isSpace(bytes[at]) && bytes[at] !== 0x2c && bytes[at] !== 0x7d && bytes[at] !== 0x5d)
    at++;
  return at;
}

function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

function spells(bytes: Uint8Array, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
  return true;
}
