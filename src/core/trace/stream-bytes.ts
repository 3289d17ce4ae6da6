import { joinBytes } from '../wire/line-framer.ts';
import type { HeldEvent, StreamName, TraceEvent } from './format.ts';

/**
 * Gives back the bytes of one stream, event by event. The beginning of a line that was held when the
 * recording broke off comes out at the end.
 */
export class StreamBytes {
  private readonly from: StreamName;
  private held: Uint8Array[] = [];
  private heldLength = 0;

  constructor(from: StreamName) {
    this.from = from;
  }

  feed(event: TraceEvent): Uint8Array[] {
    if (event.kind === 'frame' && event.from === this.from) {
      this.forget();
      return [event.bytes];
    }
    if (event.kind === 'held' && event.from === this.from) this.hold(event);
    // The line that was held is the first thing that found no room, and the record counts it.
    else if (event.kind === 'lost' && event.lost.from === this.from) this.forget();
    return [];
  }

  end(): Uint8Array[] {
    return this.held;
  }

  get isHolding(): boolean {
    return this.heldLength > 0;
  }

  /** What is held of a line that has not ended: it will come again, whole. */
  heldBytes(): Uint8Array {
    return joinBytes(this.held);
  }

  private hold(event: HeldEvent): void {
    if (event.offset === 0) this.forget();
    // A piece before this one found no room in the store: what is held ends where that would begin.
    if (event.offset !== this.heldLength) return;
    this.held.push(event.bytes);
    this.heldLength += event.bytes.length;
  }

  private forget(): void {
    if (this.heldLength === 0) return;
    this.held = [];
    this.heldLength = 0;
  }
}
