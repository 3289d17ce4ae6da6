import type { FrameEvent, HeldEvent, StreamName, TraceEvent } from './format.ts';

/**
 * Gives back the bytes of one stream, event by event. The beginning of a line that was held when the
 * recording broke off comes out at the end.
 */
export class StreamBytes {
  private readonly from: StreamName;
  private held: Uint8Array[] = [];

  constructor(from: StreamName) {
    this.from = from;
  }

  feed(event: TraceEvent): Uint8Array[] {
    if ((event.kind !== 'frame' && event.kind !== 'held') || event.from !== this.from) return [];
    return event.kind === 'frame' ? this.frame(event) : this.hold(event);
  }

  end(): Uint8Array[] {
    return this.held;
  }

  private frame(event: FrameEvent): Uint8Array[] {
    this.held = [];
    return [event.bytes];
  }

  private hold(event: HeldEvent): Uint8Array[] {
    if (event.offset === 0) this.held = [];
    this.held.push(event.bytes);
    return [];
  }
}
