import type { Sum } from './format.ts';

/** Makes a SHA-256 as bytes come. The core has no digests of its own: the edge hands this in. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** The digest of all bytes so far, hexadecimal; more may follow. */
  digest(): string;
}

/** Bytes that are collected. */
const usualBatch = 64 * 1024;

/** The sum of a stream, taken as its bytes pass. Small chunks are collected, since a digest costs by the call. */
export class RunningSum {
  private readonly hasher: Hasher;
  private readonly collected: Uint8Array;
  private length = 0;
  private total = 0;

  /** @param batch how many bytes are collected: fewer where there are many sums */
  constructor(hasher: Hasher, batch = usualBatch) {
    this.collected = new Uint8Array(batch);
    this.hasher = hasher;
  }

  get bytes(): number {
    return this.total;
  }

  add(bytes: Uint8Array, length = bytes.length): void {
    this.total += length;
    const batch = this.collected.length;
    if (this.length + length > batch) this.flush();
    if (length > batch / 2) {
      this.flush();
      this.hasher.update(length === bytes.length ? bytes : bytes.subarray(0, length));
      return;
    }
    this.collected.set(length === bytes.length ? bytes : bytes.subarray(0, length), this.length);
    this.length += length;
  }

  sum(): Sum {
    this.flush();
    return { bytes: this.total, sha256: this.hasher.digest() };
  }

  private flush(): void {
    if (this.length > 0) this.hasher.update(this.collected.subarray(0, this.length));
    this.length = 0;
  }
}
