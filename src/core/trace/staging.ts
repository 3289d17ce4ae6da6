/** Of the common blocks. Bytes. */
export const blockSize = 256 * 1024;
/** Blocks kept to be used again: more are seldom under way while traffic waits for the store. */
const sparesKept = 8;

/**
 * Where records wait for the store: a queue of blocks with a fixed budget. Small records are written one
 * behind the other into a block; a large one brings its own.
 */
export class Staging {
  /** The block being filled; records are written into it at `length`, after `makeRoom`. */
  block: Uint8Array = new Uint8Array(blockSize);
  length = 0;

  private full: Uint8Array[] = [];
  private spares: Uint8Array[] = [];
  private fullBytes = 0;
  private takenBytes = 0;
  private readonly budget: number;

  /** @param budget Bytes that may wait here or be under way to the store, all together. */
  constructor(budget: number) {
    this.budget = budget;
  }

  /** Bytes that wait and that have not been taken yet. */
  get waiting(): number {
    return this.fullBytes + this.length;
  }

  /** There was no room, and now there is enough to begin again. */
  get hasRecovered(): boolean {
    return this.held < this.budget / 2;
  }

  /** Bytes that wait or are under way. */
  get held(): number {
    return this.waiting + this.takenBytes;
  }

  fits(bytes: number): boolean {
    return this.held + bytes <= this.budget;
  }

  /** Makes `bytes` of room in the block at hand; false, and nothing done, where that is over the budget. */
  makeRoom(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.reserve(bytes);
    return true;
  }

  /** Makes room whatever the budget says: for the few small records that must not be missing. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.block.length) return;
    this.closeBlock();
    this.block = bytes > blockSize ? new Uint8Array(bytes) : this.takeBlock();
  }

  /** Queues a block that is already full, without a copy: it is the queue's from now on. */
  append(block: Uint8Array): void {
    this.closeBlock();
    this.block = this.takeBlock();
    this.push(block);
  }

  /** An empty block of the common size. */
  takeBlock(): Uint8Array {
    return this.spares.pop() ?? new Uint8Array(blockSize);
  }

  /** All that waits, to be written in this order and given back with `written`. */
  take(): Uint8Array[] {
    this.closeBlock();
    this.block = this.takeBlock();
    const taken = this.full;
    this.full = [];
    this.takenBytes += this.fullBytes;
    this.fullBytes = 0;
    return taken;
  }

  /** Blocks that `take` gave are stored, or given up. */
  written(blocks: readonly Uint8Array[]): void {
    for (const block of blocks) {
      this.takenBytes -= block.length;
      this.recycle(block);
    }
  }

  /** Gives up all that waits or is under way. */
  discard(): void {
    this.full = [];
    this.fullBytes = 0;
    this.takenBytes = 0;
    this.block = new Uint8Array(blockSize);
    this.length = 0;
  }

  /** The first bytes of a block are stored, and the block will come back so much shorter. */
  shorten(bytes: number): void {
    this.takenBytes -= bytes;
  }

  /** Uses a block again that nothing refers to any more. */
  recycle(block: Uint8Array): void {
    const whole = block.buffer as ArrayBuffer;
    if (whole.byteLength !== blockSize || this.spares.length >= sparesKept) return;
    this.spares.push(new Uint8Array(whole));
  }

  private closeBlock(): void {
    if (this.length > 0) this.push(this.block.subarray(0, this.length));
    else this.recycle(this.block);
    this.length = 0;
  }

  private push(block: Uint8Array): void {
    this.full.push(block);
    this.fullBytes += block.length;
  }
}
