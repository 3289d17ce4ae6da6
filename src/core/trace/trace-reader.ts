import type { Machine } from '../machine.ts';
import { LineFramer } from '../wire/line-framer.ts';
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

const newline = 0x0a;

/**
 * Reads a trace file from its bytes, cut anywhere. A line that is damaged, or torn at the end, is said and
 * the rest is still read.
 *
 * @throws WireproofError `trace-unreadable`, from `feed` or `end`, where it is no trace that can be read.
 */
export class TraceReader implements Machine<Uint8Array, TraceItem> {
  private readonly framer = new LineFramer();
  private line = 0;

  feed(chunk: Uint8Array): TraceItem[] {
    return this.framer.feed(chunk).map((line) => this.read(line));
  }

  end(): TraceItem[] {
    const items = this.framer.end().map((line) => this.read(line));
    if (this.line === 0) readHeader(undefined);
    return items;
  }

  private read(line: Uint8Array): TraceItem {
    this.line++;
    const isTorn = line.at(-1) !== newline;
    const body = isTorn ? line : line.subarray(0, -1);
    if (this.line === 1) return { header: readHeader(parseObject(body)) };
    const event = isTorn ? undefined : readRecord(body);
    if (event) return { event };
    const where = { line: this.line, bytes: line.length };
    return isTorn ? { torn: where } : { damaged: where };
  }
}
