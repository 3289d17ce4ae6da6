import type { Closed, HttpHeader } from '../../core/trace/format.ts';
import { HttpRecorder } from '../../core/trace/http-recorder.ts';
import type { HttpStreamRecorder } from '../../core/trace/http-stream-recorder.ts';
import type { Hasher } from '../../core/trace/running-sum.ts';
import type { Clock } from '../clock.ts';
import { RecordKeeper } from '../record-keeper.ts';
import { digest, sha256 } from '../sha256.ts';
import type { Store } from '../stores/trace-file.ts';

/** Records what a reverse proxy passes on, without ever holding up the traffic. */
export class HttpRecording {
  private readonly recorder: HttpRecorder;
  private readonly keeper: RecordKeeper;
  private readonly clock: Clock;
  private ready: (() => void)[] = [];
  private turn: NodeJS.Immediate | undefined;
  private isClosed = false;
  /** What has come together in one turn of the event loop has been passed on: while the peers work, its records are made. */
  private readonly endTurn = (): void => {
    this.turn = undefined;
    this.recorder.catchUp();
  };

  /** @param options `keyed` makes an HMAC under the store's key; `tell` says something to the user, on stderr */
  constructor(options: { store: Store; clock: Clock; keyed: () => Hasher; tell: (text: string) => void }) {
    this.clock = options.clock;
    this.recorder = new HttpRecorder({ hasher: sha256, keyed: options.keyed, digest });
    this.keeper = new RecordKeeper({
      ...options,
      records: this.recorder,
      roomAgain: () => this.wake(),
      isWaitedFor: () => this.ready.length > 0,
    });
  }

  begin(header: HttpHeader): void {
    this.recorder.begin(header);
    this.keeper.schedule();
  }

  /** A request has come: its stream, to be asked for when its records are made. */
  stream(at: number, c: number, peer: string): HttpStreamRecorder {
    return this.recorder.stream(at, c, peer);
  }

  note(kind: string, text: string): void {
    this.later((at) => this.recorder.note(at, kind, text));
  }

  /**
   * What happens now is recorded a little later, behind the traffic.
   *
   * @param make makes the records of it; told when it happened, in milliseconds since the trace was started
   * @param bytes how many are kept until then
   */
  later(make: (at: number) => void, bytes = 0): void {
    // Nothing stands behind the record that says how it ended.
    if (this.isClosed) return;
    this.recorder.later(this.clock.now(), make, bytes);
    this.turn ??= setImmediate(this.endTurn);
    this.keeper.schedule();
  }

  /** Traffic had better wait for the store. */
  isFarBehind(): boolean {
    return this.keeper.isFarBehind(this.clock.now());
  }

  /** Calls back when traffic need not wait any more. */
  whenReady(ready: () => void): void {
    this.ready.push(ready);
  }

  /** Writes the end and waits for the store, `patience` milliseconds at most; true when everything is kept. */
  async close(closed: Closed, patience: number): Promise<boolean> {
    this.recorder.closed(this.clock.now(), closed);
    this.isClosed = true;
    return this.keeper.close(patience, (isTorn) => this.recorder.closedWithLoss(this.clock.now(), closed, isTorn));
  }

  private wake(): void {
    const { ready } = this;
    this.ready = [];
    for (const go of ready) go();
  }
}
