import { OpenSet } from '../open-set.ts';
import { JsonScanner, type Outline } from '../wire/json-scanner.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import type { Closed, Counts, HttpHeader } from './format.ts';
import { HttpStreamRecorder } from './http-stream-recorder.ts';
import { RecordWriter } from './record-writer.ts';
import { type Digest, type Hasher, RunningSum } from './running-sum.ts';
import { betweenSums, type SideRecorder } from './side-recorder.ts';
import { Staging } from './staging.ts';

/** Bytes of records that may wait for the store; what comes beyond is lost, and said to be. */
const stagingBudget = 16 * 1024 * 1024;

/** So many records wait at most to be made, with so many bytes: making them must not take long. */
const mostWaiting = 128;
const mostWaitingBytes = 128 * 1024;

/** Bytes of a body that are collected for its sum: there may be thousands of bodies at once. */
const collected = 1024;

/**
 * Makes the records of the connections that a reverse proxy passes on. As with stdio it never waits: records gather
 * in `staging`, and what finds no room there is counted, and told in a `lost` record when there is room again.
 */
export class HttpRecorder {
  readonly staging = new Staging(stagingBudget);
  readonly writer = new RecordWriter(this.staging);
  readonly counts: Counts = { messages: 0, errors: 0 };
  lossReason = 'the store is slower than the traffic';
  lostBytes = 0;
  /** @internal For items that have come whole. */
  readonly scanner = new JsonScanner();
  /** @internal */
  readonly digest: Digest;

  private readonly hasher: () => Hasher;
  private readonly keyed: () => Hasher;
  private readonly open = new OpenSet<HttpStreamRecorder>();
  /** Bodies of which something is still to be written when time has passed: few of those that are open. */
  private readonly watched = new OpenSet<SideRecorder>();
  /** Streams that have lost something that is not told yet. */
  private readonly untold = new Set<SideRecorder>();
  private readonly opened = new Set<number>();
  /** What has passed and has no records yet. */
  private waiting: ((at: number) => void)[] = [];
  private waitingSince: number[] = [];
  private waitingBytes = 0;
  private streams = 0;
  private lastCounts = 0;
  private lastCountsAt = 0;

  /**
   * @param options `hasher` makes a SHA-256, `keyed` an HMAC-SHA-256 under the store's key; `digest` is the SHA-256 of
   *   what is all there
   */
  constructor(options: { hasher: () => Hasher; keyed: () => Hasher; digest: Digest }) {
    this.digest = options.digest;
    this.hasher = options.hasher;
    this.keyed = options.keyed;
  }

  /** The first line of the trace. */
  begin(header: HttpHeader): void {
    const line = writeUtf8(`${JSON.stringify(header)}\n`);
    this.staging.makeRoom(line.length);
    this.staging.block.set(line, this.staging.length);
    this.staging.length += line.length;
  }

  /** A request has come: its stream. @param peer who sent it, as far as can be told */
  stream(at: number, c: number, peer: string): HttpStreamRecorder {
    if (!this.opened.has(c)) {
      this.opened.add(c);
      this.writer.event(at, { opened: { peer } }, c);
    }
    const stream = new HttpStreamRecorder(this, c, ++this.streams);
    this.open.add(stream);
    return stream;
  }

  note(at: number, kind: string, text: string): void {
    this.writer.event(at, { note: { kind, text } });
  }

  /**
   * Records are made when the recorder is asked to catch up, or when there are many to make, all in the order in which
   * they are asked for: the traffic does not wait for them, and many at a stroke take half the time.
   *
   * @param bytes how many are kept until then
   */
  later(at: number, make: (at: number) => void, bytes = 0): void {
    this.waiting.push(make);
    this.waitingSince.push(at);
    this.waitingBytes += bytes;
    if (this.waiting.length >= mostWaiting || this.waitingBytes >= mostWaitingBytes) this.catchUp();
  }

  /** Time has passed. True where it should be called again soon even if nothing else happens. */
  tick(at: number): boolean {
    this.catchUp();
    for (const side of this.watched) if (!side.settle(at)) this.watched.delete(side);
    const isTime = at - this.lastCountsAt >= betweenSums && this.staging.hasRecovered;
    if (this.counts.messages > this.lastCounts && isTime) {
      this.lastCounts = this.counts.messages;
      this.lastCountsAt = at;
      this.writer.event(at, { counts: this.counts });
    }
    return this.watched.size > 0 || this.counts.messages > this.lastCounts;
  }

  closed(at: number, closed: Closed): void {
    this.catchUp();
    for (const stream of this.open) stream.breakOff(at, 'wireproof ended');
    for (const side of this.untold) side.tellLoss(at, true);
    this.writer.event(at, { closed, counts: this.counts });
  }

  /** Tells what was lost while there was no room. To be called when the store takes writes again. */
  tellLosses(at: number): void {
    for (const side of this.untold) side.tellLoss(at);
  }

  /** The end of a recording whose store did not take the rest: gives up all records that wait. */
  closedWithLoss(at: number, closed: Closed, isTorn: boolean): void {
    this.staging.discard();
    if (isTorn) this.writer.endTorn();
    this.note(at, 'lost-end', 'the store did not take the last records');
    this.closed(at, closed);
  }

  /** Makes the records that wait. */
  catchUp(): void {
    const { waiting, waitingSince } = this;
    this.waiting = [];
    this.waitingSince = [];
    this.waitingBytes = 0;
    for (let index = 0; index < waiting.length; index++) waiting[index]?.(waitingSince[index] as number);
  }

  /** @internal */
  sawMessages(outlines: readonly Outline[], count: number): void {
    for (let index = 0; index < count; index++) {
      const { hasMethod, id, answers, failed } = outlines[index] as Outline;
      // An `error` without an id is also how OAuth says what went wrong.
      if (!hasMethod && (!answers || id === undefined)) continue;
      this.counts.messages++;
      if (failed && !hasMethod) this.counts.errors++;
    }
  }

  /** @internal Time is told to the body until it says that nothing waits, or `unwatch` is called. */
  watch(side: SideRecorder): void {
    this.watched.add(side);
  }

  /** @internal */
  unwatch(side: SideRecorder): void {
    this.watched.delete(side);
  }

  /** @internal */
  lose(side: SideRecorder, bytes: number): void {
    this.untold.add(side);
    this.lostBytes += bytes;
  }

  /** @internal */
  told(side: SideRecorder): void {
    this.untold.delete(side);
  }

  /** @internal */
  over(stream: HttpStreamRecorder): void {
    this.open.delete(stream);
  }

  /** @internal */
  sum(): RunningSum {
    return new RunningSum(this.hasher(), collected, this.digest);
  }

  /** @internal */
  keyedSum(): RunningSum {
    return new RunningSum(this.keyed(), collected);
  }
}
