import type { Staging } from '../core/trace/staging.ts';
import type { Clock } from './clock.ts';
import type { Appended, Store } from './stores/trace-file.ts';

/** Records go to the store at least this often while anything happens. Milliseconds. */
const betweenBatches = 25;
/** A batch goes at once when so much waits. Bytes. */
const fullBatch = 128 * 1024;
/** The most that one write takes, so that a slow store shows soon. Bytes. */
const largestWrite = 1024 * 1024;
/** Traffic waits for a store that is behind by so much, as long as it keeps pace: a long line needs the rest of the room. Bytes. */
const farBehind = 1024 * 1024;
/** A store that takes longer for one write does not keep pace: traffic does not wait for it again for a while. Milliseconds. */
const keepingPace = 500;
const distrust = 10_000;
/** How soon a store that refused is asked again. Milliseconds. */
const betweenTries = 200;
/** How soon a store that was merely busy is asked again, at first and at most. Milliseconds. */
const betweenAsks = { first: 1, most: 100 };
/** How long a store that refuses is asked again at the end. Milliseconds. */
const lastTries = 300;

/** What makes the records that are kept. */
export interface Records {
  readonly staging: Staging;
  /** Bytes lost so far, told or not. */
  readonly lostBytes: number;
  /** Why records find no room, as the `lost` record will say it. */
  lossReason: string;
  /** Time has passed. True where it should be called again soon even if nothing else happens. */
  tick(at: number): boolean;
  /** Tells what was lost while there was no room. */
  tellLosses(at: number): void;
}

/**
 * Gets records to the store without ever holding up what makes them: one write is under way at a time, in a thread of
 * its own, and what it has no room for is counted as lost.
 */
export class RecordKeeper {
  private readonly records: Records;
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly tell: (text: string) => void;
  private readonly batchTaken: () => void;
  private readonly batchKept: () => void;
  private readonly roomAgain: () => void;
  private readonly isWaitedFor: () => boolean;

  private blocks: Uint8Array[] = [];
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
  private paceTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /**
   * @param options `tell` says something to the user, on stderr. `batchTaken` and `batchKept` are called when all records
   *   so far are on their way, and when these are in the store; `roomAgain` when traffic need not wait any more, if
   *   `isWaitedFor` says that it does
   */
  constructor(options: {
    records: Records;
    store: Store;
    clock: Clock;
    tell: (text: string) => void;
    batchTaken?: () => void;
    batchKept?: () => void;
    roomAgain?: () => void;
    isWaitedFor?: () => boolean;
  }) {
    this.records = options.records;
    this.store = options.store;
    this.clock = options.clock;
    this.tell = options.tell;
    this.batchTaken = options.batchTaken ?? (() => undefined);
    this.batchKept = options.batchKept ?? (() => undefined);
    this.roomAgain = options.roomAgain ?? (() => undefined);
    this.isWaitedFor = options.isWaitedFor ?? (() => false);
  }

  /**
   * Waits for the store to take the last records, `patience` milliseconds at most; true when everything is kept.
   *
   * @param giveUpRest makes the end of a recording of which the rest is given up; told whether its last record is torn
   */
  async close(patience: number, giveUpRest: (isTorn: boolean) => void): Promise<boolean> {
    this.isClosed = true;
    const start = this.clock.now();
    const timeLeft = (): number => start + (this.failing ? Math.min(patience, lastTries) : patience) - this.clock.now();
    while (this.left > 0 && timeLeft() > 0) {
      this.write();
      await Promise.race([this.writing, pause(timeLeft())]);
      if (this.failing || this.isBusy) await pause(Math.min(this.failing ? betweenBatches : this.askIn, timeLeft()));
    }
    const isComplete = this.left === 0 && this.records.lostBytes === 0;
    if (!isComplete) this.tellOnce('the store did not take the rest');
    if (this.left > 0 && this.hasKept && !this.writing) {
      giveUpRest(this.lastKept !== newline);
      await Promise.race([this.store.append(this.records.staging.take(), true), pause(lastTries)]);
    }
    if (!this.writing) await Promise.race([this.store.close(), pause(patience)]);
    this.stopTimers();
    return isComplete;
  }

  private get left(): number {
    return this.records.staging.held;
  }

  /** Something has been recorded. */
  schedule(): void {
    if (this.records.staging.waiting >= fullBatch && !this.failing && !this.isBusy) this.write();
    this.timer ??= setTimeout(() => this.onTimer(), betweenBatches);
  }

  private onTimer(): void {
    this.timer = undefined;
    if (this.isClosed) return;
    const restless = this.records.tick(this.clock.now());
    if (this.records.lostBytes > 0) this.tellOnce(this.records.lossReason);
    this.write();
    if (restless || this.left > 0)
      this.timer = setTimeout(() => this.onTimer(), this.failing ? betweenTries : betweenBatches);
  }

  private write(): void {
    if (this.writing) return;
    if (this.blocks.length === 0) {
      this.blocks = this.records.staging.take();
      this.batchTaken();
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
      this.records.lossReason = error.code === 'ENOSPC' ? 'store full' : error.message;
      this.tellOnce(error.message);
    } else this.recovered(now);
    if (this.left < farBehind / 2) this.roomAgain();
    if (error || this.isBusy || this.isClosed) return;
    if (this.blocks.length > 0 || this.records.staging.waiting >= fullBatch) this.write();
  }

  private askAgain(now: number): void {
    this.distrustStore(now);
    this.askTimer = setTimeout(() => this.write(), this.askIn);
    this.askIn = Math.min(this.askIn * 2, betweenAsks.most);
  }

  private recovered(now: number): void {
    this.failing = false;
    if (this.records.staging.hasRecovered) this.records.tellLosses(now);
  }

  /** What has been written needs to be kept no longer. */
  private drop(kept: number): void {
    let left = kept;
    while (left > 0) {
      const block = this.blocks[0] as Uint8Array;
      this.lastKept = block[Math.min(left, block.length) - 1];
      if (block.length > left) {
        this.records.staging.shorten(left);
        this.blocks[0] = block.subarray(left);
        return;
      }
      left -= block.length;
      this.blocks.shift();
      this.records.staging.written([block]);
    }
    if (this.blocks.length === 0) this.batchKept();
  }

  /** Traffic had better wait: one long item may need all the room that is left. */
  isFarBehind(now: number): boolean {
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
    if (!this.isWaitedFor()) return;
    const now = this.clock.now();
    if (this.writing && now - this.writingSince > keepingPace) this.distrustStore(now);
    else this.watchPace(now);
  }

  private distrustStore(now: number): void {
    this.noWaitingUntil = now + distrust;
    this.roomAgain();
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

/** The first blocks, as many as make up `bytes`; at least one. */
function upTo(blocks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let sum = 0;
  const end = blocks.findIndex((block) => (sum += block.length) >= bytes);
  return end < 0 ? [...blocks] : blocks.slice(0, end + 1);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
