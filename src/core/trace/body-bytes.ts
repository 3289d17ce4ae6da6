import type { Side } from '../protocol/message.ts';
import type { Leg, TraceEvent } from './format.ts';
import { type HttpEvent, isHttpEvent } from './http-frames.ts';
import { StreamBytes } from './stream-bytes.ts';

/** Which bodies of a recording of HTTP. */
export interface WantedBodies {
  from: Side;
  /** Only this stream's. */
  stream?: number | undefined;
  /** On which side of wireproof, where a body passed in two forms. */
  leg: Leg;
}

/**
 * Gives back the bytes of bodies, event by event. Bodies that passed at the same time come out as their records stand,
 * a part of one behind a part of another.
 */
export class BodyBytes {
  private readonly wanted: WantedBodies;
  private readonly open = new Map<number, StreamBytes>();
  private lastStream = 0;

  constructor(wanted: WantedBodies) {
    this.wanted = wanted;
  }

  /** The highest number that a stream has. */
  get streams(): number {
    return this.lastStream;
  }

  isWanted(event: TraceEvent): event is HttpEvent {
    if (!isHttpEvent(event)) return false;
    const { stream, leg, from } = this.wanted;
    const side = event.kind === 'lost' ? event.lost.from : 'from' in event ? event.from : undefined;
    const isLeg = !('leg' in event) || event.leg === undefined || event.leg === leg;
    return side === from && isLeg && (stream === undefined || event.s === stream);
  }

  feed(event: TraceEvent): Uint8Array[] {
    if (isHttpEvent(event)) this.lastStream = Math.max(this.lastStream, event.s);
    if (!this.isWanted(event)) return [];
    let body = this.open.get(event.s);
    if (!body) this.open.set(event.s, (body = new StreamBytes(this.wanted.from)));
    const bytes = body.feed(event);
    if (event.kind !== 'streamEnded') return bytes;
    this.open.delete(event.s);
    return [...bytes, ...body.end()];
  }

  /** The recording is over: beginnings of bodies that it has no more of. */
  end(): Uint8Array[] {
    return [...this.open.values()].flatMap((body) => body.end());
  }
}
