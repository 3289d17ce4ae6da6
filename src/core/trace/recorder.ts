import { isObject } from '../protocol/message.ts';
import type { Outline } from '../wire/json-scanner.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import { type Closed, type Counts, streamNames, type StreamName, type TraceHeader } from './format.ts';
import type { ItemOwner } from './item-recorder.ts';
import { OpenRequests } from './open-requests.ts';
import { parseBody } from '../wire/parse-body.ts';
import { RecordWriter } from './record-writer.ts';
import { type Hasher, RunningSum } from './running-sum.ts';
import { Staging } from './staging.ts';
import { StreamRecorder } from './stream-recorder.ts';

/** How often sums are written while something passes. Milliseconds. */
const betweenSums = 1000;

/** Bytes of records that may wait for the store; what comes beyond is lost, and said to be. */
export const stagingBudget = 16 * 1024 * 1024;

const byStream = <T>(make: (from: StreamName) => T): Record<StreamName, T> => ({
  client: make('client'),
  server: make('server'),
  stderr: make('stderr'),
});

/**
 * Makes the records of one stdio connection from the bytes that pass. It never waits: records gather in
 * `staging`, from where the edge takes them to the store; what finds no room there is counted, and told in
 * a `lost` record when there is room again.
 */
export class Recorder {
  readonly staging: Staging;
  readonly writer: RecordWriter;
  readonly requests = new OpenRequests();
  readonly counts: Counts = { messages: 0, errors: 0 };
  /** Why records find no room, as the `lost` record will say it. */
  lossReason = 'the store is slower than the traffic';
  /** Bytes lost so far, told or not. */
  lostBytes = 0;

  private readonly sums: Record<StreamName, RunningSum>;
  private readonly streams: Record<StreamName, StreamRecorder>;
  private readonly untold = byStream(() => 0);
  private lastSumsAt = 0;
  private summed = 0;

  constructor(options: { hasher: () => Hasher; budget?: number }) {
    this.staging = new Staging(options.budget ?? stagingBudget);
    this.writer = new RecordWriter(this.staging);
    this.sums = byStream(() => new RunningSum(options.hasher()));
    this.streams = byStream((from) => new StreamRecorder(from, this.ownerOf(from)));
  }

  /** The first line of the trace. */
  begin(header: TraceHeader): void {
    const line = writeUtf8(`${JSON.stringify(header)}\n`);
    this.staging.makeRoom(line.length);
    this.staging.block.set(line, this.staging.length);
    this.staging.length += line.length;
  }

  opened(at: number, pid: number | undefined): void {
    this.writer.event(at, { opened: { pid } });
  }

  note(at: number, kind: string, text: string): void {
    this.writer.event(at, { note: { kind, text } });
  }

  /** Bytes have passed. They are not kept: the caller may use the array again. */
  passed(from: StreamName, bytes: Uint8Array, length: number, at: number): void {
    this.sums[from].add(bytes, length);
    this.streams[from].passed(bytes, length, at);
  }

  /** A stream has reached its end. */
  ended(from: StreamName, at: number): void {
    this.streams[from].end();
    this.writer.event(at, { ended: from });
  }

  /** Time has passed. True where it should be called again soon even if nothing else happens. */
  tick(at: number): boolean {
    let restless = false;
    for (const from of streamNames) if (this.streams[from].settle(at)) restless = true;
    if (this.totalBytes === this.summed) return restless;
    if (at - this.lastSumsAt >= betweenSums && this.staging.hasRecovered) this.writeSums(at);
    return true;
  }

  closed(at: number, closed: Closed): void {
    for (const from of streamNames) this.streams[from].end();
    for (const from of streamNames) this.writeLoss(from, at);
    this.writeSums(at);
    this.writer.event(at, { closed });
  }

  /** Bytes of each stream that the records made so far account for: they hold them, or say that they are lost. */
  accountedFor(): Record<StreamName, number> {
    return byStream((from) => this.sums[from].bytes - this.untold[from] - this.streams[from].pending);
  }

  /**
   * The end of a recording whose store did not take the rest: gives up all records that wait, and writes in their place how
   * much is lost.
   *
   * @param kept what the records account for that the store has
   * @param isTorn the store's last record is not whole
   */
  closedWithLoss(at: number, closed: Closed, kept: Readonly<Record<StreamName, number>>, isTorn: boolean): void {
    this.staging.discard();
    if (isTorn) this.writer.endTorn();
    for (const from of streamNames) this.untold[from] = this.sums[from].bytes - kept[from];
    for (const from of streamNames) this.writeLoss(from, at);
    this.writeSums(at);
    this.writer.event(at, { closed });
  }

  private ownerOf(from: StreamName): ItemOwner {
    return {
      writer: this.writer,
      staging: this.staging,
      readyToWrite: (at) => this.untold[from] === 0 || this.tellLoss(from, at),
      lose: (bytes) => this.lose(from, bytes),
      sawMessages: (outlines, count, line) => this.sawMessages(from, outlines, count, line),
    };
  }

  /** Tells what was lost while there was no room. To be called when the store takes writes again. */
  tellLosses(at: number): void {
    for (const from of streamNames) this.tellLoss(from, at);
  }

  private lose(from: StreamName, bytes: number): void {
    this.untold[from] += bytes;
    this.lostBytes += bytes;
  }

  private sawMessages(from: StreamName, outlines: readonly Outline[], count: number, line: () => Uint8Array): void {
    for (let index = 0; index < count; index++) {
      const outline = outlines[index] as Outline;
      if (!outline.hasMethod && !outline.answers) continue;
      this.counts.messages++;
      if (outline.failed && !outline.hasMethod) this.counts.errors++;
      if (outline.cancels) this.cancelled(from, line());
      else if (outline.id !== undefined) this.follow(from, outline);
    }
  }

  private follow(from: StreamName, outline: Outline): void {
    if (outline.id === undefined) return;
    if (from === 'client' && outline.hasMethod) this.requests.sent(outline.id);
    else if (from === 'server' && !outline.hasMethod) this.requests.settled(outline.id);
  }

  /** A request that the client has cancelled need not be answered. */
  private cancelled(from: StreamName, line: Uint8Array): void {
    if (from !== 'client') return;
    // Of a line that was written in parts only the last is at hand, which is no JSON.
    const parsed = parseBody(line);
    for (const message of Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]) {
      const params = isObject(message) && isObject(message['params']) ? message['params'] : {};
      const id = params['requestId'];
      if (typeof id === 'string' || typeof id === 'number') this.requests.settled(JSON.stringify(id));
    }
  }

  private tellLoss(from: StreamName, at: number): boolean {
    if (this.untold[from] === 0) return true;
    if (!this.staging.hasRecovered) return false;
    this.writeLoss(from, at);
    return true;
  }

  private writeLoss(from: StreamName, at: number): void {
    const bytes = this.untold[from];
    if (bytes === 0) return;
    this.writer.event(at, { lost: { from, bytes, why: this.lossReason } });
    this.untold[from] = 0;
  }

  private get totalBytes(): number {
    return this.sums.client.bytes + this.sums.server.bytes + this.sums.stderr.bytes;
  }

  private writeSums(at: number): void {
    this.lastSumsAt = at;
    this.summed = this.totalBytes;
    this.writer.event(at, { sums: byStream((from) => this.sums[from].sum()), counts: this.counts });
  }
}
