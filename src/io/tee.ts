import type { Sink, SinkEvents } from './channels/sink.ts';
import type { Source } from './channels/source.ts';

/** What looks at the copy. It says false when it cannot keep up, and calls `ready` when it can again. */
export interface Onlooker {
  saw(bytes: Uint8Array, length: number): boolean;
  whenReady(ready: () => void): void;
}

const newline = 0x0a;

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
  private lastByte = newline;
  private emptied: (() => void)[] = [];

  constructor(source: Source, makeSink: (events: SinkEvents) => Sink, onlooker: Onlooker, broken: () => void) {
    this.source = source;
    this.onlooker = onlooker;
    this.sink = makeSink({ drained: () => this.drained(), broken });
  }

  start(ended: () => void): void {
    this.source.start(
      (bytes, length) => {
        const taken = this.sink.write(bytes, length);
        this.lastByte = bytes[length - 1] as number;
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

  /** Says something of our own, on a line of its own behind what has passed. */
  insert(line: Uint8Array): void {
    if (this.lastByte !== newline) this.sink.write(Uint8Array.of(newline), 1);
    this.sink.write(line, line.length);
    this.lastByte = newline;
  }

  /** Settles when all that has come in has been taken, or can no longer be. */
  whenPassed(): Promise<void> {
    return new Promise((resolve) => (this.sink.isFull ? void this.emptied.push(resolve) : resolve()));
  }

  /** Reads no more, whoever still holds the other end. */
  close(): void {
    this.source.close();
  }

  private drained(): void {
    const { emptied } = this;
    this.emptied = [];
    for (const go of emptied) go();
    this.resume();
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
