import { Backlog } from '../core/trace/backlog.ts';
import type { Closed, StreamName, TraceHeader } from '../core/trace/format.ts';
import { Recorder } from '../core/trace/recorder.ts';
import type { Clock } from './clock.ts';
import { sha256 } from './sha256.ts';
import type { Appended, Store } from './stores/trace-file.ts';
import type { Onlooker } from './tee.ts';

/** Records go to the store at least this often while anything happens. Milliseconds. */
const betweenBatches = 25;
/** A batch goes at once when so much waits. Bytes. */
const fullBatch = 128 * 1024;
/** What has passed waits in so much room until its records are made. Bytes. */
const backlogSize = 128 * 1024;
/** The most that one write takes, so that a slow store shows soon. Bytes. */
const largestWrite = 1024 * 1024;
/** Traffic waits for a store that is behind by so much, as long as it keeps pace: a long line needs the rest of the room. Bytes. */
const farBehind = 2 * 1024 * 1024;
/** A store that takes longer for one write does not keep pace: traffic does not wait for it again for a while. Milliseconds. */
const keepingPace = 500;
const distrust = 10_000;
/** How soon a store that refused is asked again. Milliseconds. */
const betweenTries = 200;
/** How soon a store that was merely busy is asked again, at first and at most. Milliseconds. */
const betweenAsks = { first: 1, most: 100 };
/** How long a store that refuses is asked again at the end. Milliseconds. */
const lastTries = 300;

/**
 * Takes the copies of what passes, and gets their records to the store without ever holding up the traffic:
 * one write is under way at a time, in a thread of its own, and what it has no room for is counted as lost.
 */
export class Recording {
  readonly recorder: Recorder;
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly tell: (text: string) => void;

  private readonly backlog: Backlog;
  private blocks: Uint8Array[] = [];
  /** What the records account for that were taken to be written, and that are in the store. Bytes of each stream. */
  private taken = nothing;
  private kept = nothing;
  private lastKept: number | undefined = newline;
  private writing: Promise<void> | undefined;
  private writingSince = 0;
  /** The store took nothing the last time, and will be asked again. */
  private isBusy = false;
  private askIn = betweenAsks.first;
  private askTimer: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failing = false;
  private told = false;
  private hasKept = false;
  private noWaitingUntil = 0;
  private ready: (() => void)[] = [];
  /** What was seen while traffic waited, in order. */
  private unrecorded: (() => void)[] = [];
  private paceTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param tell Says something to the user, on stderr. */
  constructor(options: { store: Store; clock: Clock; tell: (text: string) => void }) {
    this.store = options.store;
    this.clock = options.clock;
    this.tell = options.tell;
    this.recorder = new Recorder({ hasher: sha256 });
    this.backlog = new Backlog(Buffer.allocUnsafeSlow(backlogSize), this.recorder.passed.bind(this.recorder));
  }

  begin(header: TraceHeader, pid: number | undefined): void {
    this.recorder.begin(header);
    this.recorder.opened(this.clock.now(), pid);
    this.schedule();
  }

  /** What looks at one stream, told when bytes have passed. */
  onlooker(from: StreamName, passed: (at: number) => void): Onlooker {
    return {
      saw: (bytes, length) => {
        const at = this.clock.now();
        passed(at);
        if (this.mustWait(at)) {
          const copy = bytes.slice(0, length);
          this.unrecorded.push(() => this.backlog.add(from, copy, length, at));
        } else this.backlog.add(from, bytes, length, at);
        this.schedule();
        return !this.mustWait(at);
      },
      whenReady: (ready) => this.ready.push(ready),
    };
  }

  ended(from: StreamName): void {
    const at = this.clock.now();
    this.inOrder(() => this.recorder.ended(from, at));
  }

  note(kind: string, text: string): void {
    const at = this.clock.now();
    if (!this.isClosed) this.inOrder(() => this.recorder.note(at, kind, text));
  }

  /** Requests of the client that the server has not answered. */
  get openRequests(): number {
    this.backlog.flush();
    return this.recorder.requests.count;
  }

  /** Writes the end and waits for the store, `patience` milliseconds at most; true when everything is kept. */
  async close(closed: Closed, patience: number): Promise<boolean> {
    for (const record of this.unrecorded.splice(0)) record();
    this.backlog.flush();
    this.recorder.closed(this.clock.now(), closed);
    this.isClosed = true;
    const start = this.clock.now();
    const timeLeft = (): number => start + (this.failing ? Math.min(patience, lastTries) : patience) - this.clock.now();
    while (this.left > 0 && timeLeft() > 0) {
      this.write();
      await Promise.race([this.writing, pause(timeLeft())]);
      if (this.failing || this.isBusy) await pause(Math.min(this.failing ? betweenBatches : this.askIn, timeLeft()));
    }
    const isComplete = this.left === 0 && this.recorder.lostBytes === 0;
    if (!isComplete) this.tellOnce('the store did not take the rest');
    if (this.left > 0 && this.hasKept && !this.writing) await Promise.race([this.giveUpRest(closed), pause(lastTries)]);
    if (!this.writing) await Promise.race([this.store.close(), pause(patience)]);
    this.stopTimers();
    return isComplete;
  }

  /** What the store did not take is given up; how much it was finds room more easily. */
  private giveUpRest(closed: Closed): Promise<unknown> {
    const { recorder } = this;
    recorder.closedWithLoss(this.clock.now(), closed, this.kept, this.lastKept !== newline);
    return this.store.append(recorder.staging.take(), true);
  }

  private get left(): number {
    return this.recorder.staging.held;
  }

  private schedule(): void {
    if (this.recorder.staging.waiting >= fullBatch && !this.failing && !this.isBusy) this.write();
    this.timer ??= setTimeout(() => this.onTimer(), betweenBatches);
  }

  private onTimer(): void {
    this.timer = undefined;
    if (this.isClosed) return;
    this.backlog.flush();
    const restless = this.recorder.tick(this.clock.now());
    if (this.recorder.lostBytes > 0) this.tellOnce(this.recorder.lossReason);
    this.write();
    if (restless || this.left > 0)
      this.timer = setTimeout(() => this.onTimer(), this.failing ? betweenTries : betweenBatches);
  }

  private write(): void {
    if (this.writing) return;
    if (this.blocks.length === 0) {
      this.blocks = this.recorder.staging.take();
      this.taken = this.recorder.accountedFor();
    }
    if (this.blocks.length === 0) return;
    this.writingSince = this.clock.now();
    this.writing = this.store.append(upTo(this.blocks, largestWrite)).then((appended) => this.appended(appended));
  }

  private appended({ kept, error }: Appended): void {
    this.writing = undefined;
    const now = this.clock.now();
    if (kept > 0) this.hasKept = true;
    this.isBusy = kept === 0 && !error;
    if (this.isBusy) this.askAgain(now);
    else this.askIn = betweenAsks.first;
    this.drop(kept);
    if (error) {
      this.failing = true;
      this.distrustStore(now);
      this.recorder.lossReason = error.code === 'ENOSPC' ? 'store full' : error.message;
      this.tellOnce(error.message);
    } else this.recovered(now);
    if (this.left < farBehind / 2) this.wake();
    if (error || this.isBusy || this.isClosed) return;
    if (this.blocks.length > 0 || this.recorder.staging.waiting >= fullBatch) this.write();
  }

  private askAgain(now: number): void {
    this.distrustStore(now);
    this.askTimer = setTimeout(() => this.write(), this.askIn);
    this.askIn = Math.min(this.askIn * 2, betweenAsks.most);
  }

  private recovered(now: number): void {
    this.failing = false;
    if (this.recorder.staging.hasRecovered) this.recorder.tellLosses(now);
  }

  /** What has been written needs to be kept no longer. */
  private drop(kept: number): void {
    let left = kept;
    while (left > 0) {
      const block = this.blocks[0] as Uint8Array;
      this.lastKept = block[Math.min(left, block.length) - 1];
      if (block.length > left) {
        this.recorder.staging.shorten(left);
        this.blocks[0] = block.subarray(left);
        return;
      }
      left -= block.length;
      this.blocks.shift();
      this.recorder.staging.written([block]);
    }
    if (this.blocks.length === 0) this.kept = this.taken;
  }

  private inOrder(record: () => void): void {
    const flushed = (): void => {
      this.backlog.flush();
      record();
    };
    if (this.unrecorded.length > 0) this.unrecorded.push(flushed);
    else flushed();
    this.schedule();
  }

  /** One long line may need all the room that is left, and then the next one has to wait for the store. */
  private mustWait(now: number): boolean {
    return this.unrecorded.length > 0 || this.isFarBehind(now);
  }

  private isFarBehind(now: number): boolean {
    if (this.left < farBehind || this.failing || now < this.noWaitingUntil) return false;
    this.watchPace(now);
    return true;
  }

  /** While traffic waits: does the store keep pace? What it has finished in the meantime is heard of first. */
  private watchPace(now: number): void {
    const since = this.writing ? now - this.writingSince : 0;
    this.paceTimer ??= setTimeout(() => setImmediate(() => this.checkPace()), Math.max(0, keepingPace - since) + 1);
  }

  private checkPace(): void {
    this.paceTimer = undefined;
    if (this.ready.length === 0 && this.unrecorded.length === 0) return;
    const now = this.clock.now();
    if (this.writing && now - this.writingSince > keepingPace) this.distrustStore(now);
    else this.watchPace(now);
  }

  private distrustStore(now: number): void {
    this.noWaitingUntil = now + distrust;
    this.wake();
  }

  private wake(): void {
    while (this.unrecorded.length > 0 && !this.isFarBehind(this.clock.now())) this.unrecorded.shift()?.();
    if (this.unrecorded.length > 0) return;
    const { ready } = this;
    this.ready = [];
    for (const go of ready) go();
  }

  private tellOnce(why: string): void {
    if (this.told) return;
    this.told = true;
    const what = this.hasKept
      ? `cannot keep up the recording: ${why}. The connection goes on; "wireproof verify" says what is missing.`
      : `nothing is recorded: ${why}. The connection goes on all the same.`;
    this.tell(what);
  }

  private stopTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.paceTimer);
    clearTimeout(this.askTimer);
  }
}

const newline = 0x0a;
const nothing: Readonly<Record<StreamName, number>> = { client: 0, server: 0, stderr: 0 };

/** The first blocks, as many as make up `bytes`; at least one. */
function upTo(blocks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let sum = 0;
  const end = blocks.findIndex((block) => (sum += block.length) >= bytes);
  return end < 0 ? [...blocks] : blocks.slice(0, end + 1);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
