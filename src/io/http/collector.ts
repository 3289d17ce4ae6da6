/** A message that is longer is not collected. Bytes. */
const most = 4 * 1024 * 1024;

/** Collects a whole message, which may have to be changed before it is passed on. */
export class Collector {
  private chunks: Buffer[] = [];
  private length = 0;

  /** @returns false where it has become longer than 4 MiB: nothing is collected any more */
  add(chunk: Buffer): boolean {
    this.length += chunk.length;
    if (this.length <= most) this.chunks.push(chunk);
    else this.chunks = [];
    return this.length <= most;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
