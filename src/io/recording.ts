import { Backlog } from '../core/trace/backlog.ts';
import type { Closed, StdioHeader, StreamName } from '../core/trace/format.ts';
import { Recorder } from '../core/trace/recorder.ts';
import type { Clock } from './clock.ts';
import { RecordKeeper } from './record-keeper.ts';
import { sha256 } from './sha256.ts';
import type { Store } from './stores/trace-file.ts';
import type { Onlooker } from './tee.ts';

/** What has passed waits in so much room until its records are made. Bytes. */
const backlogSize = 128 * 1024;

const nothing: Readonly<Record<StreamName, number>> = { client: 0, server: 0, stderr: 0 };

/** Takes the copies of what passes on stdio, and gets their records to the store without ever holding up the traffic. */
export class Recording {
  private readonly recorder: Recorder;
  private readonly backlog: Backlog;
  private readonly keeper: RecordKeeper;
  private readonly clock: Clock;

  /** What the records account for that were taken to be written, and that are in the store. Bytes of each stream. */
  private taken = nothing;
  private kept = nothing;
  private ready: (() => void)[] = [];
  /** What was seen while traffic waited, in order. */
  private unrecorded: (() => void)[] = [];
  private isClosed = false;

  /** @param tell Says something to the user, on stderr. */
  constructor(options: { store: Store; clock: Clock; tell: (text: string) => void }) {
    const recorder = new Recorder({ hasher: sha256 });
    this.recorder = recorder;
    this.clock = options.clock;
    this.backlog = new Backlog(Buffer.allocUnsafeSlow(backlogSize), recorder.passed.bind(recorder));
    const records = {
      staging: recorder.staging,
      get lostBytes() {
        return recorder.lostBytes;
      },
      get lossReason() {
        return recorder.lossReason;
      },
      set lossReason(why) {
        recorder.lossReason = why;
      },
      tick: (at: number) => {
        this.backlog.flush();
        return recorder.tick(at);
      },
      tellLosses: (at: number) => recorder.tellLosses(at),
    };
    this.keeper = new RecordKeeper({
      ...options,
      records,
      batchTaken: () => (this.taken = recorder.accountedFor()),
      batchKept: () => (this.kept = this.taken),
      roomAgain: () => this.wake(),
      isWaitedFor: () => this.ready.length > 0 || this.unrecorded.length > 0,
    });
  }

  begin(header: StdioHeader, pid: number | undefined): void {
    this.recorder.begin(header);
    this.recorder.opened(this.clock.now(), pid);
    this.keeper.schedule();
  }

  /** What looks at one stream, told when bytes have passed. */
  onlooker(from: StreamName, passed: (at: number) => void): Onlooker {
    return {
      saw: (bytes, length) => {
        const at = this.clock.now();
        passed(at);
        if (this.mustWait(at)) {
          const copy = Uint8Array.prototype.slice.call(bytes, 0, length);
          this.unrecorded.push(() => this.backlog.add(from, copy, length, at));
        } else this.backlog.add(from, bytes, length, at);
        this.keeper.schedule();
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
    return this.keeper.close(patience, (isTorn) =>
      this.recorder.closedWithLoss(this.clock.now(), closed, this.kept, isTorn),
    );
  }

  private inOrder(record: () => void): void {
    const flushed = (): void => {
      this.backlog.flush();
      record();
    };
    if (this.unrecorded.length > 0) this.unrecorded.push(flushed);
    else flushed();
    this.keeper.schedule();
  }

  private mustWait(now: number): boolean {
    return this.unrecorded.length > 0 || this.keeper.isFarBehind(now);
  }

  private wake(): void {
    while (this.unrecorded.length > 0 && !this.keeper.isFarBehind(this.clock.now())) this.unrecorded.shift()?.();
    if (this.unrecorded.length > 0) return;
    const { ready } = this;
    this.ready = [];
    for (const go of ready) go();
  }
}
