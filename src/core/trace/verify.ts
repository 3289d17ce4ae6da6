import { type StreamName, streamNames, type Sum, type TraceEvent, type TraceHeader } from './format.ts';
import type { Hasher } from './running-sum.ts';
import { StreamBytes } from './stream-bytes.ts';
import type { TraceItem } from './trace-reader.ts';

/** A place where a trace does not hold what passed. */
export interface Gap {
  kind: 'lost' | 'differs' | 'missing-record' | 'damaged' | 'cut-off';
  /** The record at which it shows, where there is one. */
  n?: number;
  from?: StreamName;
  text: string;
}

export interface Verification {
  header: TraceHeader | undefined;
  /** Bytes of each stream that the file gives back, and how many of them its sums prove. */
  streams: Record<StreamName, { bytes: number; proven: number; lost: number }>;
  records: number;
  /** It has its closing record. */
  isClosed: boolean;
  gaps: Gap[];
}

/** Gaps that are told one by one; more are counted. */
const mostGaps = 100;

/** Proves a trace: recomputes the sums that were taken as bytes passed from what the file gives back. */
export class Verifier {
  private readonly streams: Record<StreamName, StreamCheck>;
  private header: TraceHeader | undefined;
  private records = 0;
  private lastNumber = 0;
  private isClosed = false;
  private readonly gaps: Gap[] = [];
  private moreGaps = 0;

  constructor(hasher: () => Hasher) {
    const check = (from: StreamName): StreamCheck => new StreamCheck(from, hasher(), (gap) => this.tell(gap));
    this.streams = { client: check('client'), server: check('server'), stderr: check('stderr') };
  }

  feed(item: TraceItem): void {
    if ('header' in item) this.header = item.header;
    else if ('event' in item) this.event(item.event);
    else if ('damaged' in item) {
      const { line, bytes } = item.damaged;
      this.tell({ kind: 'damaged', text: `line ${line} (${bytes} bytes) is no record` });
    } else {
      const { line, bytes } = item.torn;
      this.tell({ kind: 'cut-off', text: `line ${line} breaks off after ${bytes} bytes` });
    }
  }

  end(): Verification {
    for (const from of streamNames) this.streams[from].end();
    if (!this.isClosed) {
      this.tell({
        kind: 'cut-off',
        text: `there is no closing record: the recording breaks off after record ${this.lastNumber}`,
      });
    }
    if (this.moreGaps > 0) this.gaps.push({ kind: 'differs', text: `and ${this.moreGaps} more` });
    const result = (from: StreamName): Verification['streams'][StreamName] => this.streams[from].result();
    return {
      header: this.header,
      streams: { client: result('client'), server: result('server'), stderr: result('stderr') },
      records: this.records,
      isClosed: this.isClosed,
      gaps: this.gaps,
    };
  }

  private event(event: TraceEvent): void {
    this.records++;
    if (event.n !== this.lastNumber + 1) {
      const missing = event.n - this.lastNumber - 1;
      const what =
        missing === 1
          ? `record ${event.n - 1} is missing`
          : `records ${this.lastNumber + 1} to ${event.n - 1} are missing`;
      this.tell({
        kind: 'missing-record',
        n: event.n,
        text: missing > 0 ? what : `record ${event.n} stands behind record ${this.lastNumber}`,
      });
    }
    this.lastNumber = event.n;
    for (const from of streamNames) this.streams[from].feed(event);
    if (event.kind === 'closed') this.isClosed = true;
  }

  private tell(gap: Gap): void {
    if (this.gaps.length < mostGaps) this.gaps.push(gap);
    else this.moreGaps++;
  }
}

/** One stream: sums say how many bytes had passed, and may say so before the records of the last of them come. */
class StreamCheck {
  private readonly from: StreamName;
  private readonly hasher: Hasher;
  private readonly tell: (gap: Gap) => void;
  private readonly given: StreamBytes;
  private due: { n: number; sum: Sum }[] = [];
  private bytes = 0;
  private proven = 0;
  private provenAt = 0;
  private lost = 0;
  private isHopeless = false;
  private lastFrame = 0;

  constructor(from: StreamName, hasher: Hasher, tell: (gap: Gap) => void) {
    this.from = from;
    this.hasher = hasher;
    this.tell = tell;
    this.given = new StreamBytes(from);
  }

  feed(event: TraceEvent): void {
    for (const bytes of this.given.feed(event)) this.take(bytes);
    if (event.kind === 'frame' && event.from === this.from) this.lastFrame = event.n;
    if (event.kind === 'sums') {
      this.due.push({ n: event.n, sum: event.sums[this.from] });
      this.compareDue();
    }
    if (event.kind === 'lost' && event.lost.from === this.from) this.loss(event.n, event.lost.bytes, event.lost.why);
  }

  end(): void {
    for (const bytes of this.given.end()) this.take(bytes);
    const last = this.due.at(-1);
    if (!last || this.isHopeless) return;
    const missing = last.sum.bytes - this.bytes;
    this.tell({
      kind: 'differs',
      n: last.n,
      from: this.from,
      text: `${this.from}: ${last.sum.bytes} bytes had passed by record ${last.n}, and the file gives back ${this.bytes}: ${missing} are missing after record ${this.lastFrame}`,
    });
  }

  result(): { bytes: number; proven: number; lost: number } {
    return { bytes: this.bytes, proven: this.proven, lost: this.lost };
  }

  private take(bytes: Uint8Array): void {
    let rest = bytes;
    for (let next = this.due[0]; next && this.bytes + rest.length >= next.sum.bytes; next = this.due[0]) {
      const count = next.sum.bytes - this.bytes;
      this.add(rest.subarray(0, count));
      rest = rest.subarray(count);
      this.compareDue();
    }
    this.add(rest);
  }

  private add(bytes: Uint8Array): void {
    if (bytes.length > 0) this.hasher.update(bytes);
    this.bytes += bytes.length;
  }

  private compareDue(): void {
    while (this.due[0] && this.due[0].sum.bytes <= this.bytes) {
      const { n, sum } = this.due.shift() as { n: number; sum: Sum };
      if (this.isHopeless) continue;
      if (sum.bytes === this.bytes && sum.sha256 === this.hasher.digest()) {
        this.proven = this.bytes;
        this.provenAt = n;
      } else this.differs(n, sum);
    }
  }

  private differs(n: number, sum: Sum): void {
    this.isHopeless = true;
    const where = this.provenAt === 0 ? `before record ${n}` : `between records ${this.provenAt} and ${n}`;
    const what =
      sum.bytes === this.bytes
        ? `bytes ${this.proven} to ${sum.bytes} are not those that passed`
        : `${sum.bytes} bytes had passed and the file gives back ${this.bytes}`;
    this.tell({ kind: 'differs', n, from: this.from, text: `${this.from}: ${where} ${what}` });
  }

  /** From here on the sums, which cover all that passed, can prove nothing. */
  private loss(n: number, bytes: number, why: string): void {
    this.isHopeless = true;
    this.lost += bytes;
    this.due = [];
    this.tell({
      kind: 'lost',
      n,
      from: this.from,
      text: `${this.from}: ${bytes} bytes were not recorded (${why}), see record ${n}`,
    });
  }
}
