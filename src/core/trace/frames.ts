import type { Machine } from '../machine.ts';
import { JsonScanner } from '../wire/json-scanner.ts';
import { joinBytes } from '../wire/line-framer.ts';
import type { FrameEvent, HeldEvent, StreamName, TraceEvent } from './format.ts';
import { parseBody } from './parse-body.ts';
import { type Line, readFrame, readIncomplete, readOutlines } from './read-frame.ts';
import { SpreadLines } from './spread-lines.ts';
import type { ConnectionUnit, FrameUnit } from './unit.ts';

/** Longest line that is put together and read; of a longer one the beginning is kept. Bytes. */
export const longestReadLine = 16 * 1024 * 1024;
const keptOfLonger = 64 * 1024;
/** A beginning of a line that is no longer than this is looked at for being JSON as it stands. Bytes. */
const quickLook = 64 * 1024;

/** Makes frames of events: parts are joined, lines read, those that are no message named for what they are. */
export class Frames implements Machine<TraceEvent, FrameUnit | ConnectionUnit> {
  private readonly streams = new Map<string, StreamFrames>();

  /** Events that are no bytes are passed over, but for the end of a stream. */
  feed(event: TraceEvent): (FrameUnit | ConnectionUnit)[] {
    if (event.kind === 'frame') return this.stream(event.c, event.from).frame(event);
    if (event.kind === 'held') return this.stream(event.c, event.from).hold(event);
    if (event.kind === 'lost') this.stream(event.c, event.lost.from).lose();
    if (event.kind === 'ended') return this.stream(event.c, event.from).end();
    if (event.kind !== 'closed') return [];
    return (['client', 'server', 'stderr'] as const).flatMap((from) => this.stream(event.c, from).end());
  }

  end(): FrameUnit[] {
    return [...this.streams.values()].flatMap((stream) => stream.end());
  }

  private stream(c: number, from: StreamName): StreamFrames {
    const key = `${c} ${from}`;
    let stream = this.streams.get(key);
    if (!stream) this.streams.set(key, (stream = new StreamFrames(from)));
    return stream;
  }
}

/** A line that comes in pieces. */
interface Pieces {
  line: Omit<Line, 'bytes' | 'eol'> & { records: number[] };
  bytes: Uint8Array[];
  nextPart: number;
  /** Reads the line as it passes, once it is too long to keep. */
  scanner?: JsonScanner;
  lacksPart: boolean;
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
    const { c, n, at, from, bytes, eol } = event;
    const line = { c, n, at, from, bytes, eol, since: event.since ?? at, records: [n], size: bytes.length };
    return [...broken, ...this.whole(readFrame(line))];
  }

  /** The line that was held is the first thing that found no room. */
  lose(): void {
    this.held = undefined;
  }

  hold(event: HeldEvent): ConnectionUnit[] {
    if (event.offset === 0) this.held = pieces(event);
    // A piece before this one found no room in the store: what is held ends where that would begin.
    if (!this.held || event.offset !== this.held.line.size) return [];
    addPiece(this.held, event, event.bytes);
    const { c, n, at, from } = event;
    const { size } = this.held.line;
    const isJson = size <= quickLook && parseBody(joinBytes(this.held.bytes)) !== undefined;
    return [{ unit: 'connection', what: 'held', c, n, at, from, bytes: size, isJson }];
  }

  /** Nothing more comes: what is not whole is handed on as far as it came. */
  end(): FrameUnit[] {
    const broken = this.breakOff();
    const { held } = this;
    this.held = undefined;
    const last = held ? this.whole(readFrame({ ...held.line, bytes: joinBytes(held.bytes), eol: '' }, true)) : [];
    return [...broken, ...last, ...this.spread.end()];
  }

  private part(event: FrameEvent, number: number): FrameUnit[] {
    const broken = number === 1 ? this.breakOff() : [];
    this.parts ??= pieces(event);
    const { parts } = this;
    if (number !== parts.nextPart) parts.lacksPart = true;
    parts.nextPart = number + 1;
    const body = event.bytes.subarray(0, event.bytes.length - event.eol.length);
    addPiece(parts, event, event.last ? body : event.bytes);
    if (!event.last) return broken;
    this.parts = undefined;
    return [...broken, ...this.whole(joined(parts, event.eol))];
  }

  private breakOff(): FrameUnit[] {
    const { parts } = this;
    if (!parts) return [];
    this.parts = undefined;
    return this.whole(readIncomplete({ ...parts.line, bytes: joinBytes(parts.bytes), eol: '' }));
  }

  private whole(frame: FrameUnit): FrameUnit[] {
    return this.from === 'stderr' ? [frame] : this.spread.feed(frame);
  }
}

function pieces(event: FrameEvent | HeldEvent): Pieces {
  const { c, n, at, from } = event;
  const since = event.kind === 'frame' ? (event.since ?? at) : at;
  return { line: { c, n, at, from, since, records: [], size: 0 }, bytes: [], nextPart: 1, lacksPart: false };
}

function addPiece(to: Pieces, event: FrameEvent | HeldEvent, bytes: Uint8Array): void {
  to.line.records.push(event.n);
  to.line.n = event.n;
  to.line.at = event.at;
  to.line.size += bytes.length;
  if (!to.scanner && to.line.size > longestReadLine) {
    to.scanner = new JsonScanner();
    to.scanner.reset();
    for (const earlier of to.bytes) to.scanner.feed(earlier, 0, earlier.length);
    to.bytes = [joinBytes(to.bytes).slice(0, keptOfLonger)];
  }
  if (to.scanner) to.scanner.feed(bytes, 0, bytes.length);
  else to.bytes.push(bytes);
}

/** A line whose last part has come. */
function joined({ line, bytes, scanner, lacksPart }: Pieces, eol: string): FrameUnit {
  const delimiter = Uint8Array.from(eol, (letter) => letter.charCodeAt(0));
  const size = line.size + delimiter.length;
  if (lacksPart) return readIncomplete({ ...line, bytes: joinBytes(bytes), eol: '', size });
  if (!scanner) return readFrame({ ...line, bytes: joinBytes([...bytes, delimiter]), eol, size });
  const outlines = scanner.end() ? scanner.outlines.slice(0, scanner.messageCount) : [];
  return readOutlines({ ...line, bytes: joinBytes(bytes), eol, size }, outlines);
}
