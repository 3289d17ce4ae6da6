import type { Machine } from '../machine.ts';
import type { FrameEvent, HeldEvent, StreamName, TraceEvent } from './format.ts';
import { HttpFrames, isHttpEvent } from './http-frames.ts';
import { parseBody } from '../wire/parse-body.ts';
import { Pieces, quickLook } from './pieces.ts';
import { readFrame, readIncomplete, readOutlines } from './read-frame.ts';
import type { Decode } from './read-http-frame.ts';
import { SpreadLines } from './spread-lines.ts';
import type { ConnectionUnit, FrameUnit } from './unit.ts';

export interface FramesOptions {
  /** Undoes the encodings of a body, so that its messages can be read. */
  decode?: Decode | undefined;
}

/** Makes frames of events: parts are joined, lines read, those that are no message named for what they are. */
export class Frames implements Machine<TraceEvent, FrameUnit | ConnectionUnit> {
  private readonly streams = new Map<string, StreamFrames>();
  private readonly http: HttpFrames;

  constructor({ decode }: FramesOptions = {}) {
    this.http = new HttpFrames(decode);
  }

  /** Events that are no bytes are passed over, but for the end of a stream. */
  feed(event: TraceEvent): (FrameUnit | ConnectionUnit)[] {
    if (isHttpEvent(event)) return this.http.feed(event);
    if (event.kind === 'frame') return this.stream(event.c, event.from).frame(event);
    if (event.kind === 'held') return this.stream(event.c, event.from).hold(event);
    if (event.kind === 'lost') this.stream(event.c, event.lost.from).lose();
    if (event.kind === 'ended') return this.stream(event.c, event.from).end();
    if (event.kind !== 'closed') return [];
    const lines = (['client', 'server', 'stderr'] as const).flatMap((from) => this.stream(event.c, from).end());
    return [...lines, ...this.http.end()];
  }

  end(): FrameUnit[] {
    return [...[...this.streams.values()].flatMap((stream) => stream.end()), ...this.http.end()];
  }

  private stream(c: number, from: StreamName): StreamFrames {
    const key = `${c} ${from}`;
    let stream = this.streams.get(key);
    if (!stream) this.streams.set(key, (stream = new StreamFrames(from)));
    return stream;
  }
}

class StreamFrames {
  private readonly spread = new SpreadLines();
  private readonly from: StreamName;
  private parts: Pieces | undefined;
  private held: Pieces | undefined;

  constructor(from: StreamName) {
    this.from = from;
  }

  frame(event: FrameEvent): FrameUnit[] {
    this.held = undefined;
    if (event.part !== undefined) return this.part(event, event.part);
    const broken = this.breakOff();
    const { c, n, at, from, bytes, eol, redacted } = event;
    const line = { c, n, at, from, bytes, eol, since: event.since ?? at, records: [n], size: bytes.length };
    return [...broken, ...this.whole(readFrame(redacted ? { ...line, redacted } : line))];
  }

  /** The line that was held is the first thing that found no room. */
  lose(): void {
    this.held = undefined;
  }

  hold(event: HeldEvent): ConnectionUnit[] {
    if (event.offset === 0) this.held = new Pieces(event);
    // A piece before this one found no room in the store: what is held ends where that would begin.
    if (!this.held || event.offset !== this.held.size) return [];
    this.held.add(event, event.bytes);
    const { c, n, at, from } = event;
    const { size } = this.held;
    const isJson = size <= quickLook && parseBody(this.held.bytes) !== undefined;
    return [{ unit: 'connection', what: 'held', c, n, at, from, bytes: size, isJson }];
  }

  /** Nothing more comes: what is not whole is handed on as far as it came. */
  end(): FrameUnit[] {
    const broken = this.breakOff();
    const { held } = this;
    this.held = undefined;
    const last = held ? this.whole(readFrame({ ...held.line, bytes: held.bytes, eol: '' }, true)) : [];
    return [...broken, ...last, ...this.spread.end()];
  }

  private part(event: FrameEvent, number: number): FrameUnit[] {
    const broken = number === 1 ? this.breakOff() : [];
    this.parts ??= new Pieces(event);
    const { parts } = this;
    if (number !== parts.nextPart) parts.lacksPart = true;
    parts.nextPart = number + 1;
    const body = event.bytes.subarray(0, event.bytes.length - event.eol.length);
    parts.add(event, event.last ? body : event.bytes);
    if (!event.last) return broken;
    this.parts = undefined;
    return [...broken, ...this.whole(joined(parts, event.eol))];
  }

  private breakOff(): FrameUnit[] {
    const { parts } = this;
    if (!parts) return [];
    this.parts = undefined;
    return this.whole(readIncomplete({ ...parts.line, bytes: parts.bytes, eol: '' }));
  }

  private whole(frame: FrameUnit): FrameUnit[] {
    return this.from === 'stderr' ? [frame] : this.spread.feed(frame);
  }
}

/** A line whose last part has come. */
function joined(parts: Pieces, eol: string): FrameUnit {
  const { line, bytes, lacksPart } = parts;
  if (lacksPart) return readIncomplete({ ...line, bytes, eol: '', size: line.size + eol.length });
  const outlines = parts.outlines();
  if (outlines) return readOutlines({ ...line, bytes, eol, size: line.size + eol.length }, outlines);
  const delimiter = Uint8Array.from(eol, (letter) => letter.charCodeAt(0));
  const whole = new Uint8Array(bytes.length + delimiter.length);
  whole.set(bytes);
  whole.set(delimiter, bytes.length);
  return readFrame({ ...line, bytes: whole, eol, size: whole.length });
}
