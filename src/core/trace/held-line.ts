import { joinBytes } from '../wire/line-framer.ts';
import { blockSize, type Staging } from './staging.ts';

/** What the first block holds where there may be thousands of lines at once; each further one holds four times as much. Bytes. */
const smallBlock = 1024;

/** The beginning of a line whose end has not come: kept in blocks of the staging, which it can be handed to whole. */
export class HeldLine {
  length = 0;
  private blocks: Uint8Array[] = [];
  private inLast = 0;
  private readonly staging: Staging;

  private readonly isOneOfMany: boolean;

  /** @param isOneOfMany it begins small: there may be thousands at once */
  constructor(staging: Staging, isOneOfMany = false) {
    this.staging = staging;
    this.isOneOfMany = isOneOfMany;
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      let last = this.blocks.at(-1);
      if (!last || this.inLast === last.length) {
        last = this.nextBlock(last?.length);
        this.blocks.push(last);
        this.inLast = 0;
      }
      const count = Math.min(to - at, last.length - this.inLast);
      last.set(bytes.subarray(at, at + count), this.inLast);
      this.inLast += count;
      this.length += count;
      at += count;
    }
  }

  private nextBlock(before = smallBlock / 4): Uint8Array {
    return this.isOneOfMany && before * 4 < blockSize ? new Uint8Array(before * 4) : this.staging.takeBlock();
  }

  /** The bytes in one piece; good until they are cleared. */
  view(): Uint8Array {
    return joinBytes(this.pieces(this.length));
  }

  /** The last byte but `back` others. */
  byteFromEnd(back: number): number | undefined {
    let index = this.length - 1 - back;
    for (const piece of this.pieces(this.length)) {
      if (index < piece.length) return piece[index];
      index -= piece.length;
    }
    return undefined;
  }

  /** Gives the blocks of the first `length` bytes away and begins anew. */
  takeBlocks(length: number): Uint8Array[] {
    const taken = this.pieces(length);
    this.forget();
    return taken;
  }

  /** Begins anew with the bytes from `from` on. */
  keepFrom(from: number): void {
    const rest = this.view().slice(from);
    this.clear();
    this.add(rest, 0, rest.length);
  }

  /** Begins anew; the blocks can be used again. */
  clear(): void {
    for (const block of this.blocks) this.staging.recycle(block);
    this.forget();
  }

  private forget(): void {
    this.blocks = [];
    this.inLast = 0;
    this.length = 0;
  }

  private pieces(length: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let left = length;
    for (const block of this.blocks) {
      if (left <= 0) break;
      pieces.push(block.subarray(0, Math.min(left, block.length)));
      left -= block.length;
    }
    return pieces;
  }
}
