/** Bytes that look random and are the same for the same seed. */
export function seededBytes(seed, length) {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = seed + 0x9e3779b9;
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, length);
}
