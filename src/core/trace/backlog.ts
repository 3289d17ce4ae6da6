import type { StreamName } from './format.ts';

/** So many chunks wait at most: making their records must not take long either. */
const mostChunks = 16;
/** A chunk of so many bytes is not worth copying. */
const large = 32 * 1024;

type Passed = (from: StreamName, bytes: Uint8Array, length: number, at: number) => void;

interface Chunk {
  from: StreamName;
  at: number;
  /** Where it ends in the bytes that wait; it begins where the one before it ends. */
  end: number;
}

/**
 * What has passed and has no records yet: a copy of each chunk waits here, so that the traffic does not wait for
 * records to be made. They are made when `flush` says so, or when there is no more room.
 */
export class Backlog {
  private readonly bytes: Uint8Array;
  private readonly chunks: Chunk[] = [];
  private count = 0;
  private length = 0;
  private readonly passed: Passed;

  /** @param room Where the bytes wait. */
  constructor(room: Uint8Array, passed: Passed) {
    this.bytes = room;
    this.passed = passed;
  }

  add(from: StreamName, bytes: Uint8Array, length: number, at: number): void {
    const isLarge = length >= Math.min(large, this.bytes.length);
    if (isLarge || this.length + length > this.bytes.length) this.flush();
    if (isLarge) {
      this.passed(from, bytes, length, at);
      return;
    }
    this.bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length), this.length);
    this.length += length;
    this.append(from, at);
    if (this.count === mostChunks) this.flush();
  }

  /** Hands on everything that waits, in the order in which it passed. */
  flush(): void {
    let start = 0;
    for (let index = 0; index < this.count; index++) {
      const { from, at, end } = this.chunks[index] as Chunk;
      this.passed(from, this.bytes.subarray(start, end), end - start, at);
      start = end;
    }
    this.count = 0;
    this.length = 0;
  }

  /** The entries are used again: a million small chunks make no garbage. */
  private append(from: StreamName, at: number): void {
    const chunk = (this.chunks[this.count++] ??= { from, at, end: 0 });
    chunk.from = from;
    chunk.at = at;
    chunk.end = this.length;
  }
}
