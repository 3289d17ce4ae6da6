import type { Sink } from './sink.ts';
import type { Source } from './source.ts';

/** What this process says itself, as a source. */
export class InnerSource implements Source {
  private chunk: ((bytes: Uint8Array, length: number) => boolean) | undefined;
  private ended: () => void = () => undefined;
  private waiting: Uint8Array[] = [];
  private isHeld = false;
  private isOver = false;

  start(chunk: (bytes: Uint8Array, length: number) => boolean, ended: () => void): void {
    this.chunk = chunk;
    this.ended = ended;
    this.resume();
  }

  push(bytes: Uint8Array): void {
    this.waiting.push(bytes);
    if (!this.isHeld) this.resume();
  }

  /** Nothing more is said. */
  end(): void {
    this.isOver = true;
    if (this.waiting.length === 0) this.ended();
  }

  resume(): void {
    const { chunk } = this;
    if (!chunk) return;
    this.isHeld = false;
    while (this.waiting.length > 0 && !this.isHeld) {
      const bytes = this.waiting.shift() as Uint8Array;
      if (!chunk(bytes, bytes.length)) this.isHeld = true;
    }
    if (this.isOver && this.waiting.length === 0) this.ended();
  }

  close(): void {
    this.chunk = undefined;
    this.waiting = [];
  }
}

/** Takes everything at once. @param take is given a copy that is its own */
export const innerSink = (take: (bytes: Uint8Array) => void): Sink => ({
  isFull: false,
  isBroken: false,
  write: (bytes, length) => {
    // `slice` of a `Buffer` is no copy, and the source reads into the same array again.
    const own = new Uint8Array(length);
    own.set(length === bytes.length ? bytes : bytes.subarray(0, length));
    take(own);
    return true;
  },
  end: () => undefined,
});
