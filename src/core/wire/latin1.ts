const atOnce = 8192;

/** Each byte as the character of its number: bytes that are not UTF-8 can be looked through so, and got back. */
export function readLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += atOnce) parts.push(String.fromCharCode(...bytes.subarray(at, at + atOnce)));
  return parts.join('');
}

export const writeLatin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
