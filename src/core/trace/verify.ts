import { type Closed, type StreamName, streamNames, type TraceEvent, type TraceHeader } from './format.ts';
import { counted } from './amounts.ts';
import { HttpCheck } from './http-check.ts';
import { RecordOrder } from './record-order.ts';
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
    | 'appended'
    | 'damaged'
    | 'cut-off';
  /** The record where it begins or shows, where there is one. */
  n?: number;
  from?: StreamName;
  text: string;
}

export interface Verification {
  header: TraceHeader | undefined;
  streams: Record<StreamName, StreamProof>;
  records: number;
  /** The number of the last record; of the last one up to which everything is proven, and no gap shows. 0 where there is none. */
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
/** So many places up to which everything is proven are remembered; of more, every other one. */
const mostSteps = 10_000;

/**
 * Proves a trace: holds the sums that were taken as bytes passed against what the file gives back, and looks
 * for records that are missing. A sum is no signature: it does not show what somebody changed who also made
 * the sums anew.
 */
export class Verifier {
  private readonly streams: Record<StreamName, StreamCheck>;
  private header: TraceHeader | undefined;
  private records = 0;
  private readonly order = new RecordOrder();
  private lastNumber = 0;
  /** Records up to which all streams are proven, in order. */
  private steps: number[] = [0];
  /** The least record at which a gap shows. */
  private firstGap = Infinity;
  /** Another recording begins inside this one, after record `after`: it is no part of it. */
  private appended: { after: number; lines: number } | undefined;
  /** Lines since the last record that are none: they are told, and so are not missing too. */
  private damagedLines = 0;
  private readonly http: HttpCheck;
  private hasSums = false;
  private closed: Closed | undefined;
  private torn: Gap | undefined;
  private readonly gaps: Gap[] = [];
  private moreGaps = 0;

  constructor(hasher: () => Hasher) {
    const check = (from: StreamName): StreamCheck => new StreamCheck(from, hasher(), (gap) => this.tell(gap));
    this.http = new HttpCheck(hasher, (gap) => this.tell(gap));
    this.streams = { client: check('client'), server: check('server'), stderr: check('stderr') };
  }

  feed(item: TraceItem): void {
    if (this.appended) this.appended.lines++;
    else if ('event' in item) this.event(item.event);
    else if ('header' in item) this.header = item.header;
    else if ('damaged' in item) {
      const { line, bytes } = item.damaged;
      this.damagedLines++;
      this.tell({ kind: 'damaged', text: `line ${line} (${counted(bytes, 'byte')}) is no record` });
    } else {
      const { line, bytes } = item.torn;
      this.torn = { kind: 'cut-off', text: `line ${line} breaks off after ${counted(bytes, 'byte')}` };
    }
  }

  /** @param isRunning The one who writes the trace is still there: that it has no end yet is no gap. */
  end(isRunning = false): Verification {
    const stillRuns = isRunning && !this.closed;
    const ending = this.closed ? 'closed' : stillRuns ? 'running' : 'cut off';
    this.tellOrder();
    const isHttp = this.header?.transport === 'http';
    if (isHttp) this.http.endAll(ending);
    else if (this.closed && !this.hasSums)
      this.tell({ kind: 'unproven', text: 'there are no sums, so nothing is proven' });
    else for (const from of streamNames) this.streams[from].end(ending);
    if (this.torn && !stillRuns) this.tell(this.torn);
    if (ending === 'cut off') this.tellCutOff();
    const proof = (from: StreamName): StreamProof => (isHttp ? this.http.proof(from) : this.streams[from].proof);
    return {
      header: this.header,
      streams: { client: proof('client'), server: proof('server'), stderr: proof('stderr') },
      records: this.records,
      lastRecord: this.lastNumber,
      provenRecord: isHttp ? this.provenHttp(ending) : (this.steps.findLast((step) => step < this.firstGap) ?? 0),
      closed: this.closed,
      isRunning: stillRuns,
      gaps: this.gaps,
      moreGaps: this.moreGaps,
    };
  }

  private event(event: TraceEvent): void {
    if (event.n === 1 && this.lastNumber > 0 && this.damagedLines > 0) {
      this.beginAppended();
      return;
    }
    this.records++;
    this.order.feed(event.n, this.damagedLines, this.closed !== undefined);
    this.lastNumber = event.n;
    this.damagedLines = 0;
    if (this.http.feed(event)) return;
    if (event.kind === 'frame' || event.kind === 'held') this.streams[event.from].feed(event);
    else if (event.kind === 'lost') this.streams[event.lost.from].feed(event);
    else if (event.kind === 'closed') this.closed ??= event.closed;
    else if (event.kind === 'sums') {
      this.hasSums = true;
      for (const from of streamNames) this.streams[from].claim(event.n, event.sums[from]);
    }
    this.noteProven();
  }

  /** Each body has its own sums: what was closed without a gap is proven. */
  private provenHttp(ending: string): number {
    return ending === 'closed' && this.firstGap === Infinity ? this.lastNumber : 0;
  }

  private noteProven(): void {
    const proven = Math.min(...streamNames.map((from) => this.streams[from].provenAt));
    if (proven <= (this.steps.at(-1) as number)) return;
    this.steps.push(proven);
    if (this.steps.length > mostSteps) this.steps = this.steps.filter((_, index) => index % 2 === 0);
  }

  /** The first line of a trace is no record, and the next is number 1. */
  private beginAppended(): void {
    this.appended = { after: this.lastNumber, lines: 2 };
    const last = this.gaps.at(-1);
    if (this.moreGaps > 0) this.moreGaps--;
    else if (last?.kind === 'damaged') this.gaps.pop();
  }

  private tellOrder(): void {
    this.firstGap = Math.min(this.firstGap, this.order.firstWrong);
    for (const gap of this.order.gaps()) this.tell(gap);
    if (!this.appended) return;
    const { after, lines } = this.appended;
    const text = `another recording was appended after record ${after}: ${counted(lines, 'line')} that are no part of this one`;
    this.tell({ kind: 'appended', n: after + 1, text });
  }

  private tellCutOff(): void {
    const where = this.lastNumber === 0 ? 'before the first record' : `after record ${this.lastNumber}`;
    this.tell({ kind: 'cut-off', text: `the recording breaks off ${where}` });
  }

  private tell(gap: Gap): void {
    this.firstGap = Math.min(this.firstGap, gap.n ?? this.lastNumber + 1);
    if (this.gaps.length < mostGaps) this.gaps.push(gap);
    else this.moreGaps++;
  }
}
