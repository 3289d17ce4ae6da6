import { type Closed, type StreamName, streamNames, type TraceEvent, type TraceHeader } from './format.ts';
import type { Hasher } from './running-sum.ts';
import { StreamCheck, type StreamProof } from './stream-check.ts';
import type { TraceItem } from './trace-reader.ts';

/** A place where a trace does not hold what passed, or cannot prove that it does. */
export interface Gap {
  kind:
    | 'lost'
    | 'differs'
    | 'missing'
    | 'unproven'
    | 'sum-changed'
    | 'record-missing'
    | 'record-out-of-place'
    | 'damaged'
    | 'cut-off';
  /** The record at which it shows, where there is one. */
  n?: number;
  from?: StreamName;
  text: string;
}

export interface Verification {
  header: TraceHeader | undefined;
  streams: Record<StreamName, StreamProof>;
  records: number;
  /** The number of the last record; of the last one up to which everything is proven. 0 where there is none. */
  lastRecord: number;
  provenRecord: number;
  /** Its closing record, where it has one. */
  closed: Closed | undefined;
  /** It has none because the recording still goes on. */
  isRunning: boolean;
  gaps: Gap[];
  /** Gaps beyond those. */
  moreGaps: number;
}

/** Gaps that are told one by one; more are counted. */
const mostGaps = 100;

/**
 * Proves a trace: holds the sums that were taken as bytes passed against what the file gives back, and looks
 * for records that are missing. A sum is no signature: it does not show what somebody changed who also made
 * the sums anew.
 */
export class Verifier {
  private readonly streams: Record<StreamName, StreamCheck>;
  private header: TraceHeader | undefined;
  private records = 0;
  private lastNumber = 0;
  /** Lines since the last record that are none: they are told, and so are not missing too. */
  private damagedLines = 0;
  private hasSums = false;
  private closed: Closed | undefined;
  private torn: Gap | undefined;
  private readonly gaps: Gap[] = [];
  private moreGaps = 0;

  constructor(hasher: () => Hasher) {
    const check = (from: StreamName): StreamCheck => new StreamCheck(from, hasher(), (gap) => this.tell(gap));
    this.streams = { client: check('client'), server: check('server'), stderr: check('stderr') };
  }

  feed(item: TraceItem): void {
    if ('event' in item) this.event(item.event);
    else if ('header' in item) this.header = item.header;
    else if ('damaged' in item) {
      const { line, bytes } = item.damaged;
      this.damagedLines++;
      this.tell({ kind: 'damaged', text: `line ${line} (${bytes} bytes) is no record` });
    } else {
      const { line, bytes } = item.torn;
      this.torn = { kind: 'cut-off', text: `line ${line} breaks off after ${bytes} bytes` };
    }
  }

  /** @param isRunning The one who writes the trace is still there: that it has no end yet is no gap. */
  end(isRunning = false): Verification {
    const stillRuns = isRunning && !this.closed;
    const ending = this.closed ? 'closed' : stillRuns ? 'running' : 'cut off';
    if (this.closed && !this.hasSums) this.tell({ kind: 'unproven', text: 'there are no sums, so nothing is proven' });
    else for (const from of streamNames) this.streams[from].end(ending);
    if (this.torn && !stillRuns) this.tell(this.torn);
    if (ending === 'cut off') this.tellCutOff();
    const proof = (from: StreamName): StreamProof => this.streams[from].proof;
    return {
      header: this.header,
      streams: { client: proof('client'), server: proof('server'), stderr: proof('stderr') },
      records: this.records,
      lastRecord: this.lastNumber,
      provenRecord: Math.min(...streamNames.map((from) => this.streams[from].provenAt)),
      closed: this.closed,
      isRunning: stillRuns,
      gaps: this.gaps,
      moreGaps: this.moreGaps,
    };
  }

  private event(event: TraceEvent): void {
    this.records++;
    this.number(event.n);
    if (event.kind === 'frame' || event.kind === 'held') this.streams[event.from].feed(event);
    else if (event.kind === 'lost') this.streams[event.lost.from].feed(event);
    else if (event.kind === 'closed') this.closed ??= event.closed;
    else if (event.kind === 'sums') {
      this.hasSums = true;
      for (const from of streamNames) this.streams[from].claim(event.n, event.sums[from]);
    }
  }

  /** Records are numbered from 1 without a gap, and the closing record is the last. */
  private number(n: number): void {
    const missing = n - this.lastNumber - 1;
    if (missing < 0) this.tellOutOfPlace(n, `behind record ${this.lastNumber}`);
    else if (missing > 0 && missing !== this.damagedLines) this.tellMissing(n, missing);
    else if (this.closed) this.tellOutOfPlace(n, 'behind the closing record');
    this.lastNumber = n;
    this.damagedLines = 0;
  }

  private tellOutOfPlace(n: number, where: string): void {
    this.tell({ kind: 'record-out-of-place', n, text: `record ${n} stands ${where}` });
  }

  private tellMissing(n: number, missing: number): void {
    const which = missing === 1 ? `record ${n - 1} is missing` : `records ${n - missing} to ${n - 1} are missing`;
    this.tell({ kind: 'record-missing', n, text: which });
  }

  private tellCutOff(): void {
    const where = this.lastNumber === 0 ? 'before the first record' : `after record ${this.lastNumber}`;
    this.tell({ kind: 'cut-off', text: `the recording breaks off ${where}` });
  }

  private tell(gap: Gap): void {
    if (this.gaps.length < mostGaps) this.gaps.push(gap);
    else this.moreGaps++;
  }
}
