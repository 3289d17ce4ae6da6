import { JsonScanner, type Outline } from '../wire/json-scanner.ts';
import { joinBytes } from '../wire/line-framer.ts';
import type { FrameEvent, HeldEvent } from './format.ts';
import type { Line } from './read-frame.ts';

/** Longest line, body or event that is put together and read; of a longer one the beginning is kept. Bytes. */
export const longestReadLine = 16 * 1024 * 1024;
const keptOfLonger = 64 * 1024;
/** A beginning that is no longer than this is looked at for being JSON as it stands. Bytes. */
export const quickLook = 64 * 1024;

/** A line, a body or an event that comes in pieces. */
export class Pieces {
  nextPart = 1;
  lacksPart = false;
  private readonly place: Omit<Line, 'bytes' | 'eol' | 'records' | 'size' | 'n' | 'at'>;
  private readonly records: number[] = [];
  private readonly redacted = new Set<string>();
  private n: number;
  private at: number;
  private length = 0;
  private kept: Uint8Array[] = [];
  /** Reads it as it passes, once it is too long to keep. */
  private scanner: JsonScanner | undefined;

  constructor({ c, n, at, from, ...rest }: FrameEvent | HeldEvent) {
    const since = rest.kind === 'frame' ? (rest.since ?? at) : at;
    this.place = { c, from, since };
    this.n = n;
    this.at = at;
  }

  /** How long it is so far. */
  get size(): number {
    return this.length;
  }

  /** What is kept of it. */
  get bytes(): Uint8Array {
    if (this.kept.length > 1) this.kept = [joinBytes(this.kept)];
    return this.kept[0] ?? new Uint8Array();
  }

  get line(): Omit<Line, 'bytes' | 'eol'> {
    const { place, n, at, records, length, redacted } = this;
    return { ...place, n, at, records, size: length, ...(redacted.size > 0 ? { redacted: [...redacted] } : {}) };
  }

  /** When it is whole: the messages in what was too long to keep; nothing where it was not. */
  outlines(): readonly Outline[] | undefined {
    if (!this.scanner) return undefined;
    return this.scanner.end() ? this.scanner.outlines.slice(0, this.scanner.messageCount) : [];
  }

  add({ n, at, redacted }: FrameEvent | HeldEvent, bytes: Uint8Array): void {
    if (this.records.at(-1) !== n) this.records.push(n);
    for (const place of redacted ?? []) this.redacted.add(place);
    this.n = n;
    this.at = at;
    this.length += bytes.length;
    if (!this.scanner && this.length > longestReadLine) {
      this.scanner = new JsonScanner();
      this.scanner.reset();
      for (const earlier of this.kept) this.scanner.feed(earlier, 0, earlier.length);
      this.kept = [joinBytes(this.kept).slice(0, keptOfLonger)];
    }
    if (this.scanner) this.scanner.feed(bytes, 0, bytes.length);
    else this.kept.push(bytes);
  }
}
