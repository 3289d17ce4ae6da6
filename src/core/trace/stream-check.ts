import type { FrameEvent, Lost, StreamName, Sum, TraceEvent } from './format.ts';
import { counted, grouped } from './amounts.ts';
import { type Hasher, RunningSum } from './running-sum.ts';
import { StreamBytes } from './stream-bytes.ts';
import type { Gap } from './verify.ts';

/** How much of a stream the file gives back, and how much of that its sums prove. Bytes. */
export interface StreamProof {
  bytes: number;
  proven: number;
  lost: number;
}

/** A sum that has not been compared yet. It stands in record `n`, and unchanged up to `until`. */
interface Claim {
  n: number;
  until: number;
  /** The last record of the stream before it. */
  after: number;
  sum: Sum;
}

/** A sum that did not agree when the file had given back so many bytes. */
interface Doubt {
  n: number;
  sum: Sum;
  given: number;
}

/** So many sums can wait for the bytes they cover, or for a later one to show that they are wrong. */
const mostClaims = 10_000;

/**
 * Holds one stream against its sums. A sum covers all that had passed when it was taken, and what of that was
 * still a held line then comes later: so it is compared when as many bytes have come.
 */
export class StreamCheck {
  /** The last record with sums that prove all of the stream up to there. */
  provenAt = 0;

  private readonly from: StreamName;
  private readonly name: string;
  private readonly tell: (gap: Gap) => void;
  private readonly sum: RunningSum;
  private readonly given: StreamBytes;
  /** By the bytes they cover. */
  private due: Claim[] = [];
  /** Sums since the last that agreed that did not. A later one that does shows that these were changed. */
  private doubts: Doubt[] = [];
  private proven: Sum = { bytes: 0, sha256: '' };
  private lost = 0;
  /** Bytes, lost ones too, up to which the last sum that agreed reaches. */
  private covered = 0;
  private lastRecord = 0;
  /** No difference has been told: what follows of one would be told again and again. */
  private isSound = true;

  /** @param options `name` is how gaps call the stream, `batch` how many bytes are collected for a digest */
  constructor(
    from: StreamName,
    hasher: Hasher,
    tell: (gap: Gap) => void,
    { name = from, batch }: { name?: string; batch?: number } = {},
  ) {
    this.from = from;
    this.name = name;
    this.sum = new RunningSum(hasher, batch);
    this.tell = tell;
    this.given = new StreamBytes(from);
  }

  /** A record that holds bytes of this stream, or says that it lost some. */
  feed(event: TraceEvent): void {
    if (event.kind === 'frame' && this.given.isHolding) this.compareHeld(event, this.given.heldBytes());
    for (const bytes of this.given.feed(event)) this.take(bytes);
    if (event.kind === 'lost') this.lose(event.n, event.lost);
    this.lastRecord = event.n;
  }

  claim(n: number, sum: Sum): void {
    if (isSame(sum, this.proven) && sum.bytes === this.position) {
      this.provenAt = n;
      return;
    }
    const last = this.due.at(-1);
    if (last && isSame(sum, last.sum)) last.until = n;
    else this.insert({ n, until: n, after: this.lastRecord, sum });
    this.settle();
  }

  /** @param ending Whether the recording was closed, still goes on, or broke off. */
  end(ending: 'closed' | 'running' | 'cut off'): void {
    for (const bytes of this.given.end()) this.take(bytes);
    this.tellDoubt();
    const changed = this.due.filter(({ n }) => n <= this.provenAt);
    for (const { n } of changed) this.tellChanged(n);
    const missing = this.due.filter(({ n }) => n > this.provenAt).sort((one, other) => one.n - other.n);
    if (missing.length > 0 && ending !== 'running') this.tellMissing(missing[0] as Claim, missing.at(-1) as Claim);
    else if (ending === 'closed' && this.isSound && this.covered < this.position) this.tellUnproven();
  }

  get proof(): StreamProof {
    return { bytes: this.sum.bytes, proven: this.proven.bytes, lost: this.lost };
  }

  private get position(): number {
    return this.sum.bytes + this.lost;
  }

  private insert(claim: Claim): void {
    let at = this.due.length;
    while (at > 0 && (this.due[at - 1] as Claim).sum.bytes > claim.sum.bytes) at--;
    this.due.splice(at, 0, claim);
    if (this.due.length > mostClaims) this.due.shift();
  }

  private take(bytes: Uint8Array): void {
    let rest = bytes;
    for (let next = this.due[0]; next && this.position + rest.length >= next.sum.bytes; next = this.due[0]) {
      const count = next.sum.bytes - this.position;
      this.sum.add(rest.subarray(0, count));
      rest = rest.subarray(count);
      this.settle();
    }
    this.sum.add(rest);
  }

  private settle(): void {
    for (let next = this.due[0]; next && next.sum.bytes <= this.position; next = this.due[0]) {
      this.due.shift();
      this.compare(next);
    }
  }

  private compare(claim: Claim): void {
    const { sum, until } = claim;
    const agrees = sum.bytes === this.position && (this.lost > 0 || this.sum.sum().sha256 === sum.sha256);
    if (!agrees) {
      if (this.doubts.length < mostClaims) this.doubts.push({ n: claim.n, sum, given: this.position });
      return;
    }
    for (const { n } of this.doubts) this.tellChanged(n);
    this.doubts = [];
    this.covered = this.position;
    if (this.lost > 0) return;
    this.proven = sum;
    this.provenAt = Math.max(this.provenAt, until);
  }

  /** Sums cover all that passed, so behind a loss they prove no bytes any more, only how many. */
  private lose(n: number, { bytes, why }: Lost): void {
    this.tellDoubt();
    this.lost += bytes;
    this.due = this.due.filter(({ sum }) => sum.bytes >= this.position);
    this.settle();
    const were = bytes === 1 ? 'was' : 'were';
    const text = `${this.name}: ${counted(bytes, 'byte')} ${were} not recorded (${why}), as record ${n} says`;
    this.tell({ kind: 'lost', n, from: this.from, text });
  }

  private compareHeld(event: FrameEvent, held: Uint8Array): void {
    for (let at = 0; at < held.length && at < event.bytes.length; at++) {
      if (held[at] === event.bytes[at]) continue;
      const text = `${this.name}: record ${event.n} gives the line another beginning than record ${this.lastRecord} did`;
      this.tell({ kind: 'differs', n: event.n, from: this.from, text });
      return;
    }
  }

  private tellDoubt(): void {
    const unfit = this.doubts.filter((doubt) => this.isUnfit(doubt));
    for (const { n } of unfit) this.tellUnfit(n);
    const first = this.doubts.find((doubt) => !this.isUnfit(doubt));
    this.doubts = [];
    if (!first) return;
    this.isSound = false;
    const { n, sum, given } = first;
    const where = this.provenAt === 0 ? `before record ${n}` : `between record ${this.provenAt} and record ${n}`;
    const what =
      given > sum.bytes
        ? `the file gives back ${counted(given, 'byte')}, and only ${grouped(sum.bytes)} had passed, ${where}`
        : `${span(this.proven.bytes + 1, sum.bytes)}, ${where}, ${sum.bytes - this.proven.bytes === 1 ? 'is not the one' : 'are not those'} that passed`;
    this.tell({ kind: 'differs', n, from: this.from, text: `${this.name}: ${what}` });
  }

  /** It disagrees with an earlier sum of as many bytes or more, which agreed: so it is not the bytes that are wrong. */
  private isUnfit({ sum }: Doubt): boolean {
    return this.provenAt > 0 && sum.bytes <= this.proven.bytes && !isSame(sum, this.proven);
  }

  private tellUnfit(n: number): void {
    const text = `${this.name}: the sum in record ${n} does not fit the one in record ${this.provenAt}, which agrees`;
    this.tell({ kind: 'sum-changed', n, from: this.from, text });
  }

  private tellChanged(n: number): void {
    const text = `${this.name}: the sum in record ${n} is not the one that was taken; a later one agrees`;
    this.tell({ kind: 'sum-changed', n, from: this.from, text });
  }

  private tellMissing(first: Claim, last: Claim): void {
    const { n, sum } = last;
    const passed = `${this.name}: ${counted(sum.bytes, 'byte')} had passed by record ${n}`;
    const lacking = sum.bytes - this.position;
    const missing = `${grouped(lacking)} of them ${lacking === 1 ? 'is' : 'are'} missing`;
    const after = first.after === 0 || !this.isSound ? '' : `, after record ${first.after}`;
    this.tell({ kind: 'missing', n, from: this.from, text: `${passed}, and ${missing}${after}` });
  }

  private tellUnproven(): void {
    const bytes = counted(this.position - this.covered, 'byte');
    const text = `${this.name}: no sum covers the last ${bytes}, so nothing proves them`;
    this.tell({ kind: 'unproven', n: this.lastRecord, from: this.from, text });
  }
}

const span = (from: number, to: number): string =>
  from === to ? `byte ${grouped(from)}` : `bytes ${grouped(from)} to ${grouped(to)}`;
const isSame = (one: Sum, other: Sum): boolean => one.bytes === other.bytes && one.sha256 === other.sha256;
