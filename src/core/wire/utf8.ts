const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The text that the bytes are, a byte-order mark kept, or nothing where they are not valid UTF-8. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text as far as it can be read: U+FFFD stands for what is not UTF-8. To be shown, never to be kept. */
export const showUtf8 = (bytes: Uint8Array): string => lenient.decode(bytes);

export const writeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Writes the text into the target, which has three bytes of room for each of its characters; returns where it ends. */
export const writeUtf8Into = (text: string, target: Uint8Array, start: number): number =>
  start + encoder.encodeInto(text, target.subarray(start)).written;

/** Where the last character that is whole ends, at most `to`: a cut there leaves no half character. */
export function lastWholeCharacter(bytes: Uint8Array, from: number, to: number): number {
  for (let back = 1; back <= 3 && to - back >= from; back++) {
    const byte = bytes[to - back] as number;
    if (byte < 0x80) return to;
    if (byte < 0xc0) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < wanted ? to - back : to;
  }
  return to;
}
