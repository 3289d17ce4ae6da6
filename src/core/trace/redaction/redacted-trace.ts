import type { Machine } from '../../machine.ts';
import { writeUtf8 } from '../../wire/utf8.ts';
import { counted } from '../amounts.ts';
import { redactedNote, type TraceHeader } from '../format.ts';
import { RecordWriter } from '../record-writer.ts';
import { Staging } from '../staging.ts';
import type { TraceItem } from '../trace-reader.ts';
import { type Gap, type Verification, Verifier } from '../verify.ts';
import { RedactedRecords, type Redaction, redactionWords } from './redacted-records.ts';

/** The kind of the note in a copy that says what the recording cannot prove. */
const incompleteNote = 'incomplete';
/** So many bytes are handed on at once. */
const handedOn = 256 * 1024;

/** What became of a recording that was copied. */
export interface Copied {
  /** Records in which something was replaced. */
  replaced: number;
  isClosed: boolean;
  /** Why the recording cannot be proven, beside that something was lost in it, or that it breaks off. */
  gaps: readonly Gap[];
}

/**
 * Makes a redacted copy of a recording, as the bytes of a trace. Its sums are made anew, over what it gives back. Where
 * those of the recording do not agree the copy says so and lacks a number: it proves no more than the recording did.
 */
export class RedactedTrace implements Machine<TraceItem, Uint8Array> {
  private readonly verifier: Verifier;
  private readonly staging = new Staging(Infinity);
  private readonly writer = new RecordWriter(this.staging);
  private readonly records: RedactedRecords;
  private readonly ownNote: string;
  private hasBegun = false;
  private gaps: readonly Gap[] = [];

  constructor(redaction: Redaction) {
    this.verifier = new Verifier(redaction.hasher);
    this.ownNote = `a copy: ${redactionWords(redaction.rules)}; the sums are its own`;
    this.records = new RedactedRecords({ ...redaction, writer: this.writer, ownNote: this.ownNote });
  }

  feed(item: TraceItem): Uint8Array[] {
    this.verifier.feed(item);
    if ('header' in item) this.begin(item.header);
    else if ('damaged' in item) this.records.damaged();
    else if ('event' in item) this.records.feed(item.event);
    return this.staging.waiting < handedOn ? [] : this.staging.take();
  }

  end(): Uint8Array[] {
    if (this.hasBegun) this.finish();
    return this.staging.take();
  }

  /** To be asked at the end. */
  get copied(): Copied {
    const { replaced, isClosed } = this.records;
    return { replaced, isClosed, gaps: this.gaps };
  }

  private begin(header: TraceHeader): void {
    this.hasBegun = true;
    const bytes = writeUtf8(`${JSON.stringify(this.records.begin(header))}\n`);
    this.staging.reserve(bytes.length);
    this.staging.block.set(bytes, this.staging.length);
    this.staging.length += bytes.length;
    this.writer.event(0, { note: { kind: redactedNote, text: this.ownNote } });
  }

  private finish(): void {
    this.records.finish();
    const verification = this.verifier.end();
    this.gaps = verification.gaps.filter((gap) => isHidden(gap, this.records.isClosed));
    this.noteGaps(verification);
    this.records.close();
  }

  private noteGaps({ moreGaps }: Verification): void {
    const [first] = this.gaps;
    if (!first) return;
    const others = this.gaps.length - 1 + moreGaps;
    const more = others > 0 ? `, and ${counted(others, 'more gap')}` : '';
    const text = `the recording that this is a copy of is not complete: ${first.text}${more}`;
    this.writer.skip();
    this.writer.event(this.records.last.at, { note: { kind: incompleteNote, text } });
  }
}

/** The copy does not show it by itself. */
const isHidden = ({ kind }: Gap, isClosed: boolean): boolean =>
  kind !== 'lost' && kind !== 'cut-off' && (kind !== 'missing' || isClosed);
