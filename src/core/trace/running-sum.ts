import type { Sum } from './format.ts';

/** Makes a SHA-256 as bytes come. The core has no digests of its own: the edge hands this in. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** The digest of all bytes so far, hexadecimal; more may follow. */
  digest(): string;
}

/** The SHA-256 of bytes that are all there, hexadecimal. */
export type Digest = (bytes: Uint8Array) => string;

/** Bytes that are collected. */
const usualBatch = 64 * 1024;
const nothing = new Uint8Array();

/** The sum of a stream, taken as its bytes pass. Small chunks are collected, since a digest costs by the call. */
export class RunningSum {
  private readonly hasher: Hasher;
  private readonly batch: number;
  private readonly digest: Digest | undefined;
  private collected = nothing;
  private length = 0;
  private total = 0;

  /**
   * @param batch how many bytes are collected: fewer where there are many sums
   * @param digest does the same as the hasher, and quicker, as long as all is still collected
   */
  constructor(hasher: Hasher, batch = usualBatch, digest?: Digest) {
    this.hasher = hasher;
    this.batch = batch;
    this.digest = digest;
  }

  get bytes(): number {
    return this.total;
  }

  add(bytes: Uint8Array, length = bytes.length): void {
    const added = length === bytes.length ? bytes : bytes.subarray(0, length);
    this.total += length;
    if (this.length + length > this.batch) this.flush();
    if (length >= this.batch) this.hasher.update(added);
    else this.collect(added);
  }

  sum(): Sum {
    const { total, digest } = this;
    if (digest && this.length === total) return { bytes: total, sha256: digest(this.collected.subarray(0, total)) };
    this.flush();
    return { bytes: total, sha256: this.hasher.digest() };
  }

  private collect(bytes: Uint8Array): void {
    if (this.collected === nothing) this.collected = new Uint8Array(this.batch);
    this.collected.set(bytes, this.length);
    this.length += bytes.length;
  }

  private flush(): void {
    if (this.length > 0) this.hasher.update(this.collected.subarray(0, this.length));
    this.length = 0;
  }
}
