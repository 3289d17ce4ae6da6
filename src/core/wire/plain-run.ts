/** 1 for each byte that a JSON string may hold as it is and that needs no second look: printable ASCII without `"` and `\`. */
export const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

/** Runs that go on for so long are read in words. Bytes. */
const longRun = 24;

/** Finds the ends of runs of plain bytes. One for each stream: it keeps a view of the memory that the bytes come in. */
export class PlainRun {
  private memory: ArrayBufferLike | undefined;
  private words: Int32Array = new Int32Array(0);

  /** @returns where the run that begins at `from` ends; `to` at most */
  end(bytes: Uint8Array, from: number, to: number): number {
    const near = Math.min(from + longRun, to);
    let at = from;
    while (at < near && plain[bytes[at] as number] === 1) at++;
    return at < near || near === to ? at : this.endOfLong(bytes, at, to);
  }

  /**
   * Eight bytes at a time, as two words: subtracting from each byte sets its highest bit where it is a quote, a
   * backslash, below a space, or has that bit. A borrow may mark a byte wrongly, but never before the first marked rightly.
   */
  private endOfLong(bytes: Uint8Array, from: number, to: number): number {
    if (bytes.buffer !== this.memory) {
      this.memory = bytes.buffer;
      this.words = new Int32Array(this.memory, 0, this.memory.byteLength >> 2);
    }
    const { words } = this;
    const offset = bytes.byteOffset;
    let at = from;
    while (((offset + at) & 3) !== 0 && at < to && plain[bytes[at] as number] === 1) at++;
    if (((offset + at) & 3) === 0) {
      let word = (offset + at) >> 2;
      const last = ((offset + to) >> 2) - 1;
      for (; word < last; word += 2) {
        const one = words[word] as number;
        const two = words[word + 1] as number;
        const marks =
          ((one ^ 0x22222222) - 0x01010101) |
          ((one ^ 0x5c5c5c5c) - 0x01010101) |
          (one - 0x20202020) |
          one |
          ((two ^ 0x22222222) - 0x01010101) |
          ((two ^ 0x5c5c5c5c) - 0x01010101) |
          (two - 0x20202020) |
          two;
        if ((marks & 0x80808080) !== 0) break;
      }
      at = (word << 2) - offset;
    }
    while (at < to && plain[bytes[at] as number] === 1) at++;
    return at;
  }
}
