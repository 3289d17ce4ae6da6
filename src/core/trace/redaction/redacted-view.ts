import type { Machine } from '../../machine.ts';
import { cutLines } from '../../wire/line-framer.ts';
import type { TraceEvent, TraceHeader } from '../format.ts';
import { Frames } from '../frames.ts';
import { readRecord } from '../read-record.ts';
import { RecordWriter } from '../record-writer.ts';
import { Staging } from '../staging.ts';
import type { TraceItem } from '../trace-reader.ts';
import type { ConnectionUnit } from '../unit.ts';
import { RedactedRecords, type Redaction, redactionWords } from './redacted-records.ts';

/** What a recording holds, redacted; or that something in it has not ended yet, which a copy does not tell. */
export type ViewItem = TraceItem | { unit: ConnectionUnit };

/**
 * What a redacted copy of a recording would hold, item by item as it comes, under the numbers that the records have in
 * the recording. The notes that a copy has of itself are not in it.
 */
export class RedactedView implements Machine<TraceItem, ViewItem> {
  /** By which rules something is replaced, in words. */
  readonly words: string;
  private readonly staging = new Staging(Infinity);
  private readonly records: RedactedRecords;
  /** Of the records that wait in the staging. */
  private numbers: number[] = [];
  private readonly unfinished = new Frames();

  constructor(redaction: Redaction) {
    this.words = redactionWords(redaction.rules);
    const writer = new RecordWriter(this.staging);
    this.records = new RedactedRecords({ ...redaction, writer, numbered: (n) => this.numbers.push(n) });
  }

  /** Records in which something was replaced, so far. */
  get replaced(): number {
    return this.records.replaced;
  }

  feed(item: TraceItem): ViewItem[] {
    if ('event' in item) {
      this.records.feed(item.event);
      return [...this.take(), ...this.held(item.event)];
    }
    // The recording may still go on, so its process stays.
    if ('header' in item) {
      return [{ header: { ...(this.records.begin(item.header) as TraceHeader), pid: item.header.pid } }];
    }
    if ('damaged' in item) this.records.damaged();
    return [item];
  }

  end(): ViewItem[] {
    this.records.finish();
    this.records.close();
    return this.take();
  }

  /** The records that were written, read again. */
  private take(): ViewItem[] {
    const { numbers } = this;
    if (numbers.length === 0) return [];
    this.numbers = [];
    const items: ViewItem[] = [];
    const blocks = this.staging.take();
    let index = 0;
    for (const block of blocks) {
      cutLines(block, block.length, (bytes, from, to) => {
        const event = readRecord(bytes.subarray(from, to - 1));
        const n = numbers[index++] as number;
        if (event) items.push({ event: { ...event, n } });
      });
    }
    // What is read from a record is a copy.
    this.staging.written(blocks);
    return items;
  }

  /** Half a secret can be in what has not ended yet, where no rule would know it: only its length is told. */
  private held(event: TraceEvent): ViewItem[] {
    if (event.kind === 'frame') return [];
    const units = this.unfinished.feed(event);
    return units.flatMap((unit) => (unit.unit === 'connection' && unit.what === 'held' ? [{ unit }] : []));
  }
}
