import type { FrameUnit } from './unit.ts';

/** So many events of a connection are remembered. */
const mostRemembered = 4096;
/** A longer id is not. */
const longestId = 256;

/** The server-sent events that a client has got, by their ids: to tell those that come again when it resumes a stream. */
export class Deliveries {
  private readonly digests = new Map<string, string>();

  /** Did this event come before? From now on it did. */
  isAgain({ event, content }: FrameUnit): boolean {
    const id = event?.id;
    if (id === undefined || id === '' || id.length > longestId || !content) return false;
    const digest = digestOf(content);
    if (this.digests.get(id) === digest) return true;
    this.digests.delete(id);
    this.digests.set(id, digest);
    if (this.digests.size > mostRemembered) this.digests.delete(this.digests.keys().next().value as string);
    return false;
  }
}

/** Not for proof: one with the same id that is as long and gives the same number is the same (FNV-1a). */
function digestOf(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length} ${hash}`;
}
