import type { FirstEvent } from './mapping.ts';

/** The beginning of an event stream, until it is known whether something in it is to be changed. */
export class Opening {
  readonly received: Buffer[] = [];
  readonly passed: Buffer[] = [];
  /** It is recorded. */
  isOver = false;
  private readonly firstEvent: FirstEvent;
  private readonly gaveEndpoint: (target: string) => void;

  constructor(firstEvent: FirstEvent, gaveEndpoint: (target: string) => void) {
    this.firstEvent = firstEvent;
    this.gaveEndpoint = gaveEndpoint;
  }

  get isDecided(): boolean {
    return this.firstEvent.isDone;
  }

  get hasChanged(): boolean {
    return this.firstEvent.hasChanged;
  }

  feed(chunk: Buffer): Buffer {
    this.received.push(chunk);
    const passed = this.firstEvent.feed(chunk, this.gaveEndpoint);
    this.passed.push(passed);
    return passed;
  }

  /** The stream is over: what was waited with. */
  end(): Buffer {
    const passed = this.passed.reduce((sum, { length }) => sum + length, 0);
    const rest = this.firstEvent.hasChanged ? Buffer.alloc(0) : Buffer.concat(this.received).subarray(passed);
    this.passed.push(rest);
    return rest;
  }
}
