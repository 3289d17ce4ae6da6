import type { Sink, SinkEvents } from './channels/sink.ts';
import type { Source } from './channels/source.ts';

/** What looks at the copy. It says false when it cannot keep up, and calls `ready` when it can again. */
export interface Onlooker {
  saw(bytes: Uint8Array, length: number): boolean;
  whenReady(ready: () => void): void;
}

/**
 * One direction: each chunk is passed on before a copy of it is looked at, and no more is read while the
 * sink is full.
 */
export class Tee {
  readonly sink: Sink;
  private readonly source: Source;
  private readonly onlooker: Onlooker;
  private waitsForOnlooker = false;
  private isOver = false;

  constructor(source: Source, makeSink: (events: SinkEvents) => Sink, onlooker: Onlooker, broken: () => void) {
    this.source = source;
    this.onlooker = onlooker;
    this.sink = makeSink({ drained: () => this.resume(), broken });
  }

  start(ended: () => void): void {
    this.source.start(
      (bytes, length) => {
        const taken = this.sink.write(bytes, length);
        const seen = this.onlooker.saw(bytes, length);
        if (!seen) this.waitForOnlooker();
        return taken && seen;
      },
      () => {
        if (this.isOver) return;
        this.isOver = true;
        this.sink.end();
        ended();
      },
    );
  }

  /** Reads no more, whoever still holds the other end. */
  close(): void {
    this.source.close();
  }

  private waitForOnlooker(): void {
    if (this.waitsForOnlooker) return;
    this.waitsForOnlooker = true;
    this.onlooker.whenReady(() => {
      this.waitsForOnlooker = false;
      this.resume();
    });
  }

  private resume(): void {
    if (!this.sink.isFull && !this.waitsForOnlooker && !this.isOver) this.source.resume();
  }
}
