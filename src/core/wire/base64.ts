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

/** The bytes that base64 text stands for, or nothing where it is not well-formed. */
export function readBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padded = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padded);
  let out = 0;
  for (let at = 0; at < text.length; at += 4) {
    let four = 0;
    for (let one = 0; one < 4; one++) {
      const isPadding = at + one >= text.length - padded;
      const value = isPadding ? 0 : (values[text.charCodeAt(at + one) & 0xff] as number);
      if (value === 0xff || text.charCodeAt(at + one) > 0xff) return undefined;
      four = (four << 6) | value;
    }
    for (let shift = 16; shift >= 0 && out < bytes.length; shift -= 8) bytes[out++] = (four >> shift) & 0xff;
  }
  return bytes;
}
