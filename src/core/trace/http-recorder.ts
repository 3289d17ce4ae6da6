import type { Side } from '../protocol/message.ts';
import type { Outline } from '../wire/json-scanner.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import { type BodyRecorder, bodyRecorder, EventStreamRecorder, type Redaction } from './body-recorder.ts';
import type { Closed, Counts, Head, HeaderLine, HttpHeader, HttpPlace, Leg } from './format.ts';
import type { ItemOwner } from './item-recorder.ts';
import { RecordWriter } from './record-writer.ts';
import { type Hasher, RunningSum } from './running-sum.ts';
import { Staging } from './staging.ts';

/** Bytes of records that may wait for the store; what comes beyond is lost, and said to be. */
const stagingBudget = 16 * 1024 * 1024;

/** Bytes of a body that are collected for its sum: there may be thousands of bodies at once. */
const collected = 1024;

/** How often the sums of a body that goes on are written. Milliseconds. */
const betweenSums = 1000;

/** A body as its head describes it. */
export interface BodyForm {
  isEventStream: boolean;
  /** Replaces what must not be kept; none where nothing can have to be. */
  redact?: Redaction['redact'] | undefined;
}

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

  private readonly hasher: () => Hasher;
  private readonly keyed: () => Hasher;
  private readonly open = new Set<HttpStreamRecorder>();
  /** Streams that have lost something that is not told yet. */
  private readonly untold = new Set<SideRecorder>();
  private readonly opened = new Set<number>();
  private streams = 0;
  private lastCounts = 0;
  private lastCountsAt = 0;

  /** @param options `hasher` makes a SHA-256, `keyed` an HMAC-SHA-256 under the store's key */
  constructor(options: { hasher: () => Hasher; keyed: () => Hasher }) {
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

  /** Time has passed. True where it should be called again soon even if nothing else happens. */
  tick(at: number): boolean {
    let restless = false;
    for (const stream of this.open) if (stream.settle(at)) restless = true;
    const isTime = at - this.lastCountsAt >= betweenSums && this.staging.hasRecovered;
    if (this.counts.messages > this.lastCounts && isTime) {
      this.lastCounts = this.counts.messages;
      this.lastCountsAt = at;
      this.writer.event(at, { counts: this.counts });
    }
    return restless || this.counts.messages > this.lastCounts;
  }

  closed(at: number, closed: Closed): void {
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

  /** @internal */
  readonly sawMessages = (outlines: readonly Outline[], count: number): void => {
    for (let index = 0; index < count; index++) {
      const { hasMethod, id, answers, failed } = outlines[index] as Outline;
      // An `error` without an id is also how OAuth says what went wrong.
      if (!hasMethod && (!answers || id === undefined)) continue;
      this.counts.messages++;
      if (failed && !hasMethod) this.counts.errors++;
    }
  };

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
    return new RunningSum(this.hasher(), collected);
  }

  /** @internal */
  keyedSum(): RunningSum {
    return new RunningSum(this.keyed(), collected);
  }
}

/** One request and all that comes back on it. */
export class HttpStreamRecorder {
  readonly c: number;
  readonly s: number;
  readonly recorder: HttpRecorder;
  private readonly sides = new Map<string, SideRecorder>();
  private hasAnswer = false;

  constructor(recorder: HttpRecorder, c: number, s: number) {
    this.recorder = recorder;
    this.c = c;
    this.s = s;
  }

  head(at: number, from: Side, head: Head, redacted: readonly string[] = [], place: Omit<HttpPlace, 's'> = {}): void {
    const members = { s: this.s, from, ...place, ...(redacted.length > 0 ? { redacted } : {}), head };
    this.recorder.writer.event(at, members, this.c);
  }

  trailers(at: number, from: Side, trailers: readonly HeaderLine[]): void {
    this.recorder.writer.event(at, { s: this.s, from, trailers }, this.c);
  }

  note(at: number, kind: string, text: string): void {
    this.recorder.writer.event(at, { s: this.s, note: { kind, text } }, this.c);
  }

  /** A body begins. @param leg where it passes in another form on the other side */
  body(from: Side, form: BodyForm, leg?: Leg): void {
    if (from === 'server') this.hasAnswer = true;
    this.sides.set(sideKey(from, leg), new SideRecorder(this, from, form, leg));
  }

  passed(at: number, from: Side, bytes: Uint8Array, leg?: Leg): void {
    this.sides.get(sideKey(from, leg))?.passed(bytes, at);
  }

  /** A body is over. @param why it is not whole */
  end(at: number, from: Side, why?: string, leg?: Leg): void {
    const key = sideKey(from, leg);
    this.sides.get(key)?.end(at, why);
    this.sides.delete(key);
    if (from === 'server' && leg !== 'server' && this.sides.size === 0) this.recorder.over(this);
  }

  /** All of it has passed. */
  endAll(at: number): void {
    for (const [key, side] of this.sides) {
      side.end(at, undefined);
      this.sides.delete(key);
    }
    this.recorder.over(this);
  }

  /** Nothing more will be seen of it. */
  breakOff(at: number, why: string): void {
    if (!this.hasAnswer) this.body('server', { isEventStream: false });
    for (const [key, side] of this.sides) {
      side.end(at, why);
      this.sides.delete(key);
    }
    this.recorder.over(this);
  }

  settle(at: number): boolean {
    let restless = false;
    for (const side of this.sides.values()) if (side.settle(at)) restless = true;
    return restless;
  }
}

const sideKey = (from: Side, leg: Leg | undefined): string => `${from} ${leg ?? ''}`;

/** One body of a stream. */
class SideRecorder implements ItemOwner {
  readonly writer: RecordWriter;
  readonly staging: Staging;
  readonly sawMessages: ItemOwner['sawMessages'];
  private readonly stream: HttpStreamRecorder;
  private readonly from: Side;
  private readonly place: { s: number; from: Side; leg?: Leg };
  private readonly body: BodyRecorder;
  private readonly given: RunningSum;
  /** Of what passed, where something else may stand in the records. */
  private readonly passedSum: RunningSum | undefined;
  private hasRedacted = false;
  private untold = 0;
  private lastSumsAt: number | undefined;
  private summed = 0;

  constructor(stream: HttpStreamRecorder, from: Side, form: BodyForm, leg: Leg | undefined) {
    const { recorder, c, s } = stream;
    this.stream = stream;
    this.from = from;
    this.writer = recorder.writer;
    this.staging = recorder.staging;
    // What passed in two forms is counted once.
    this.sawMessages = leg === 'server' ? () => undefined : recorder.sawMessages;
    this.place = { s, from, ...(leg === undefined ? {} : { leg }) };
    this.given = recorder.sum();
    this.passedSum = form.redact && recorder.keyedSum();
    const origin = writeUtf8(`,"c":${c},"s":${s},"from":"${from}"${leg === undefined ? '' : `,"leg":"${leg}"`}`);
    const redaction = form.redact && this.redaction(form.redact);
    this.body = form.isEventStream
      ? new EventStreamRecorder(this, origin, redaction)
      : bodyRecorder(this, origin, redaction);
  }

  passed(bytes: Uint8Array, at: number): void {
    (this.passedSum ?? this.given).add(bytes);
    this.lastSumsAt ??= at;
    this.body.passed(bytes, at);
  }

  settle(at: number): boolean {
    const restless = this.body.settle(at);
    if (this.given.bytes === this.summed || this.lastSumsAt === undefined) return restless;
    if (at - this.lastSumsAt >= betweenSums && this.staging.hasRecovered && this.body.pending === 0) {
      this.lastSumsAt = at;
      this.summed = this.given.bytes;
      this.writer.event(at, { ...this.place, sum: this.given.sum() }, this.stream.c);
    }
    return true;
  }

  end(at: number, why: string | undefined): void {
    this.body.end();
    this.tellLoss(at, true);
    const { s, from, leg } = this.place;
    const passed = this.hasRedacted && this.passedSum && hmacOf(this.passedSum);
    const members = {
      s,
      ended: from,
      ...(leg === undefined ? {} : { leg }),
      sum: this.given.sum(),
      ...(passed ? { passed } : {}),
      ...(why === undefined ? {} : { why }),
    };
    this.writer.event(at, members, this.stream.c);
  }

  readyToWrite(at: number): boolean {
    return this.untold === 0 || this.tellLoss(at);
  }

  lose(bytes: number): void {
    this.untold += bytes;
    this.stream.recorder.lose(this, bytes);
  }

  /** @param must whether there is room or not */
  tellLoss(at: number, must = false): boolean {
    if (this.untold === 0) return true;
    if (!must && !this.staging.hasRecovered) return false;
    const { s, leg } = this.place;
    const lost = { from: this.from, bytes: this.untold, why: this.stream.recorder.lossReason };
    this.writer.event(at, { s, ...(leg === undefined ? {} : { leg }), lost }, this.stream.c);
    this.untold = 0;
    this.stream.recorder.told(this);
    return true;
  }

  private redaction(redact: Redaction['redact']): Redaction {
    return {
      redact: (item) => {
        const changed = redact(item);
        if (changed) this.hasRedacted = true;
        return changed;
      },
      given: (bytes) => this.given.add(bytes),
    };
  }
}

function hmacOf(sum: RunningSum): { bytes: number; hmac: string } {
  const { bytes, sha256 } = sum.sum();
  return { bytes, hmac: sha256 };
}
