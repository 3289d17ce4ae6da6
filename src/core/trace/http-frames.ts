import type { Outline } from '../wire/json-scanner.ts';
import type { FrameEvent, Head, HeldEvent, HttpPlace, Leg, StreamName, TraceEvent } from './format.ts';
import { encodingOf, isEventStream, StreamHeads } from './http-heads.ts';
import { parseBody } from '../wire/parse-body.ts';
import { Pieces, quickLook } from './pieces.ts';
import { type Line, readIncomplete } from './read-frame.ts';
import { type Decode, readBody, readOpenBody } from './read-http-frame.ts';
import type { ConnectionUnit, FrameUnit } from './unit.ts';

/** An event of HTTP traffic. */
export type HttpEvent = TraceEvent & { s: number };

export const isHttpEvent = (event: TraceEvent): event is HttpEvent => 's' in event && event.s !== undefined;

/** So many streams that were answered are kept for what is still to come from their clients. */
const mostAnswered = 1024;
/** So many streams may be open; beyond them the oldest is forgotten. */
const mostOpen = 65_536;

/** Makes frames of what passed on HTTP: of whole bodies, and of server-sent events. */
export class HttpFrames {
  private readonly streams = new Map<number, StreamBodies>();
  private readonly answered = new Set<number>();
  private readonly decode: Decode | undefined;

  constructor(decode: Decode | undefined) {
    this.decode = decode;
  }

  feed(event: HttpEvent): (FrameUnit | ConnectionUnit)[] {
    switch (event.kind) {
      case 'head':
        this.stream(event.s).heads.add(event);
        return [];
      case 'frame':
        return this.body(event, event.from).frame(event);
      case 'held':
        return this.body(event, event.from).hold(event);
      case 'lost':
        this.body(event, event.lost.from).lose();
        return [];
      case 'streamEnded':
        return this.ended(event, event.from);
      default:
        return [];
    }
  }

  /** Nothing more comes: what is not whole is handed on as far as it came. */
  end(): FrameUnit[] {
    const left = [...this.streams.values()].flatMap(({ bodies }) => [...bodies.values()].flatMap((body) => body.end()));
    this.streams.clear();
    this.answered.clear();
    return left;
  }

  private ended(event: HttpEvent, from: StreamName): FrameUnit[] {
    const stream = this.stream(event.s);
    const key = bodyKey(from, legOf(event));
    const left = stream.bodies.get(key)?.end() ?? [];
    stream.bodies.delete(key);
    stream.ended.add(key);
    if (!stream.hasAnswered) return left;
    if (stream.hasAsked) this.forget(event.s);
    else {
      this.answered.add(event.s);
      const [oldest] = this.answered;
      if (this.answered.size > mostAnswered) this.forget(oldest as number);
    }
    return left;
  }

  private forget(s: number): void {
    this.streams.delete(s);
    this.answered.delete(s);
  }

  private stream(s: number): StreamBodies {
    let stream = this.streams.get(s);
    if (!stream) {
      this.streams.set(s, (stream = new StreamBodies()));
      const [oldest] = this.streams.keys();
      if (this.streams.size > mostOpen) this.forget(oldest as number);
    }
    return stream;
  }

  private body(place: HttpEvent, from: StreamName): BodyFrames {
    const { heads, bodies } = this.stream(place.s);
    const leg = legOf(place);
    const key = bodyKey(from, leg);
    let body = bodies.get(key);
    if (!body)
      bodies.set(
        key,
        (body = new BodyFrames({ s: place.s, heads, ...(leg === undefined ? {} : { leg }) }, this.decode)),
      );
    return body;
  }
}

const legOf = (event: HttpEvent): Leg | undefined => (event as Partial<HttpPlace>).leg;
const bodyKey = (from: StreamName, leg: Leg | undefined): string => `${from} ${leg ?? ''}`;

class StreamBodies {
  readonly heads = new StreamHeads();
  readonly bodies = new Map<string, BodyFrames>();
  readonly ended = new Set<string>();

  /** The client has got all that it gets. */
  get hasAnswered(): boolean {
    return this.hasEnded('server');
  }

  get hasAsked(): boolean {
    return this.hasEnded('client');
  }

  private hasEnded(from: StreamName): boolean {
    return this.ended.has(bodyKey(from, undefined)) || this.ended.has(bodyKey(from, 'client'));
  }
}

/** What one side says on one leg of a stream: one body, or the events of one. */
class BodyFrames {
  private readonly place: { s: number; heads: StreamHeads; leg?: Leg };
  private readonly decode: Decode | undefined;
  private parts: Pieces | undefined;
  private held: Pieces | undefined;
  private isFirst = true;

  constructor(place: BodyFrames['place'], decode: Decode | undefined) {
    this.place = place;
    this.decode = decode;
  }

  frame(event: FrameEvent): FrameUnit[] {
    this.held = undefined;
    if (event.part !== undefined) return this.part(event, event.part);
    const broken = this.breakOff();
    const { c, n, at, from, bytes } = event;
    const line = { c, n, at, from, bytes, since: event.since ?? at, records: [n], size: bytes.length };
    return [...broken, ...this.whole(line, event)];
  }

  /** What was held is the first thing that found no room. */
  lose(): void {
    this.held = undefined;
  }

  hold(event: HeldEvent): ConnectionUnit[] {
    if (event.offset === 0) this.held = new Pieces(event);
    if (!this.held || event.offset !== this.held.size) return [];
    this.held.add(event, event.bytes);
    // It is said of the client's leg.
    if (this.place.leg === 'server') return [];
    const { c, n, at, from } = event;
    const { size } = this.held;
    const isJson = size <= quickLook && parseBody(this.held.bytes) !== undefined;
    const { s } = this.place;
    return [{ unit: 'connection', what: 'held', c, n, at, from, bytes: size, isJson, s, isEvent: this.isEvents(from) }];
  }

  /** Nothing more comes. */
  end(): FrameUnit[] {
    const broken = this.breakOff();
    const { held } = this;
    this.held = undefined;
    if (!held) return broken;
    const { line, bytes } = held;
    return [...broken, readOpenBody({ ...line, ...this.place, bytes, eol: '' }, this.isEvents(line.from))];
  }

  private part(event: FrameEvent, number: number): FrameUnit[] {
    const broken = number === 1 ? this.breakOff() : [];
    this.parts ??= new Pieces(event);
    const { parts } = this;
    if (number !== parts.nextPart) parts.lacksPart = true;
    parts.nextPart = number + 1;
    parts.add(event, event.bytes);
    if (!event.last) return broken;
    if (parts.lacksPart) return [...broken, ...this.breakOff()];
    this.parts = undefined;
    const { line, bytes } = parts;
    return [...broken, ...this.whole({ ...line, bytes }, event, parts.outlines())];
  }

  private breakOff(): FrameUnit[] {
    const { parts } = this;
    if (!parts) return [];
    this.parts = undefined;
    const { line, bytes } = parts;
    return [readIncomplete({ ...line, ...this.place, bytes, eol: '' })];
  }

  private whole(line: Omit<Line, 'eol'>, event: FrameEvent, outlines?: readonly Outline[]): FrameUnit[] {
    const { isFirst } = this;
    this.isFirst = false;
    const { form, isEvent = false } = event;
    const redacted = line.redacted ?? event.redacted;
    const placed = { ...line, ...this.place, eol: '', ...(redacted ? { redacted } : {}) };
    return readBody(placed, { head: this.headOf(line.from), isEvent, isFirst, form, outlines, decode: this.decode });
  }

  private isEvents(from: StreamName): boolean {
    const head = this.headOf(from);
    return isEventStream(head) && encodingOf(head) === undefined;
  }

  private headOf(from: StreamName): Head | undefined {
    return from === 'stderr' ? undefined : this.place.heads.of(from, this.place.leg);
  }
}
