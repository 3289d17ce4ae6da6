const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));
const values = new Uint8Array(256).fill(0xff);
letters.forEach((letter, value) => (values[letter] = value));
const padding = 0x3d;

export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Writes `from` to `to` of the bytes as base64 (RFC 4648, section 4) into the target; returns where it ends. */
export function writeBase64(bytes: Uint8Array, from: number, to: number, target: Uint8Array, start: number): number {
  let out = start;
  for (let at = from; at < to; at += 3) {
    const left = to - at;
    const three =
      ((bytes[at] as number) << 16) |
      (left > 1 ? (bytes[at + 1] as number) << 8 : 0) |
      (left > 2 ? (bytes[at + 2] as number) : 0);
    target[out++] = letters[three >> 18] as number;
    target[out++] = letters[(three >> 12) & 63] as number;
    target[out++] = left > 1 ? (letters[(three >> 6) & 63] as number) : padding;
    target[out++] = left > 2 ? (letters[three & 63] as number) : padding;
  }
  return out;
}

/** The bytes that the base64 letters from `from` to `to` stand for, or nothing where they are not well-formed. */
export function readBase64(text: Uint8Array, from = 0, to = text.length): Uint8Array | undefined {
  if ((to - from) % 4 !== 0) return undefined;
  const padded = to === from || text[to - 1] !== padding ? 0 : text[to - 2] === padding ? 2 : 1;
  const bytes = new Uint8Array(((to - from) / 4) * 3 - padded);
  const whole = padded === 0 ? to : to - 4;
  let out = 0;
  for (let at = from; at < whole; at += 4) {
    const [a, b, c, d] = [value(text, at), value(text, at + 1), value(text, at + 2), value(text, at + 3)];
    if ((a | b | c | d) > 63) return undefined;
    bytes[out++] = (a << 2) | (b >> 4);
    bytes[out++] = ((b << 4) | (c >> 2)) & 0xff;
    bytes[out++] = ((c << 6) | d) & 0xff;
  }
  return padded === 0 || readPadded(text, whole, padded, bytes, out) ? bytes : undefined;
}

/** The last four letters, of which one or two are padding. */
function readPadded(text: Uint8Array, at: number, padded: number, bytes: Uint8Array, out: number): boolean {
  const [a, b] = [value(text, at), value(text, at + 1)];
  const c = padded === 1 ? value(text, at + 2) : 0;
  if ((a | b | c) > 63) return false;
  bytes[out] = (a << 2) | (b >> 4);
  if (padded === 1) bytes[out + 1] = ((b << 4) | (c >> 2)) & 0xff;
  return true;
}

const value = (text: Uint8Array, at: number): number => values[text[at] as number] as number;
