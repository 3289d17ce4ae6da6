import type { Machine } from '../machine.ts';
import { cutLines, joinBytes } from '../wire/line-framer.ts';
import type { TraceEvent, TraceHeader } from './format.ts';
import { parseObject, readRecord } from './read-record.ts';
import { readHeader } from './upgrade.ts';

/** What a trace file holds, in order. */
export type TraceItem =
  | { header: TraceHeader }
  | { event: TraceEvent }
  /** A line that is no record: `line` counts from 1. */
  | { damaged: { line: number; bytes: number } }
  /** The last line has no newline: the writer was cut off in it, or is writing it now. */
  | { torn: { line: number; bytes: number } };

/** No record is longer; a line that is, is damaged and not kept while it is read. Bytes. */
const longestLine = 64 * 1024 * 1024;

/**
 * Reads a trace file from its bytes, cut anywhere. A line that is damaged, or torn at the end, is said and
 * the rest is still read. A chunk belongs to the reader from then on.
 *
 * @throws WireproofError `trace-unreadable`, from `feed` or `end`, where it is no trace that can be read.
 */
export class TraceReader implements Machine<Uint8Array, TraceItem> {
  private readonly readRecord: (line: Uint8Array) => TraceEvent | undefined;
  private held: Uint8Array[] = [];
  private length = 0;
  private line = 0;

  constructor(read = readRecord) {
    this.readRecord = read;
  }

  feed(chunk: Uint8Array): TraceItem[] {
    const items: TraceItem[] = [];
    cutLines(chunk, chunk.length, (bytes, from, to, ends) => {
      if (!ends) this.hold(part(bytes, from, to));
      else if (this.length === 0) items.push(this.read(part(bytes, from, to - 1), to - from));
      else {
        this.hold(part(bytes, from, to));
        items.push(this.read(this.takeHeld()?.subarray(0, -1), this.length));
        this.length = 0;
      }
    });
    return items;
  }

  end(): TraceItem[] {
    if (this.length > 0) return [this.readTorn(this.takeHeld())];
    if (this.line === 0) readHeader(undefined);
    return [];
  }

  private hold(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.length <= longestLine) this.held.push(piece);
    else this.held = [];
  }

  /** Nothing where the line was too long to be held. */
  private takeHeld(): Uint8Array | undefined {
    const { held } = this;
    this.held = [];
    return this.length > longestLine ? undefined : joinBytes(held);
  }

  /** @param bytes How long the line is, its newline included. */
  private read(line: Uint8Array | undefined, bytes: number): TraceItem {
    if (++this.line === 1) return { header: readHeader(line && parseObject(line)) };
    const event = line && this.readRecord(line);
    return event ? { event } : { damaged: { line: this.line, bytes } };
  }

  private readTorn(line: Uint8Array | undefined): TraceItem {
    if (++this.line === 1) return { header: readHeader(line && parseObject(line)) };
    return { torn: { line: this.line, bytes: this.length } };
  }
}

/** Part of an array, never a Node buffer even where that is one: those take several times as long to be cut up further. */
const part = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
