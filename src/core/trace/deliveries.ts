import type { FrameUnit } from './unit.ts';

/** So many events of a connection are remembered. */
const mostRemembered = 4096;
/** A longer id is not. */
const longestId = 256;

/** The server-sent events that a client has got, by their ids: to tell those that come again when it resumes a stream. */
export class Deliveries {
  private readonly digests = new Map<string, string>();
  private readonly streams = new Map<string, number>();

  /** Did this event come before? From now on it did. */
  isAgain({ event, content }: FrameUnit): boolean {
    const id = event?.id;
    if (!isRemembered(id) || !content) return false;
    const digest = digestOf(content);
    if (this.digests.get(id) === digest) return true;
    remember(this.digests, id, digest);
    return false;
  }

  /** An event came that belongs to this stream. */
  cameOn(s: number, id: string | undefined): void {
    if (isRemembered(id)) remember(this.streams, id, s);
  }

  /** The stream that the event with this id belongs to. */
  streamOf = (id: string | undefined): number | undefined => (id === undefined ? undefined : this.streams.get(id));
}

const isRemembered = (id: string | undefined): id is string => id !== undefined && id !== '' && id.length <= longestId;

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  if (map.size > mostRemembered) map.delete(map.keys().next().value as string);
}

/** Not for proof: one with the same id that is as long and gives the same number is the same (FNV-1a). */
function digestOf(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length} ${hash}`;
}
