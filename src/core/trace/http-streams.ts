import type { Side } from '../protocol/message.ts';
import type { Leg, TraceEvent } from './format.ts';
import { type HttpEvent, isHttpEvent } from './http-frames.ts';
import { isEventStream, isInterim, isRefusal, isSuccess, StreamHeads } from './http-heads.ts';
import type { FrameUnit, StreamUnit } from './unit.ts';

/** Where a request stands that was asked on a stream. */
export interface AskedHere {
  n: number;
  /** Its place in its batch. */
  index: number;
  id: string;
}

/** So many streams may be open; beyond them the oldest is handed on as it stands. */
const mostOpen = 65_536;
/** So many places are named where something else stands than what passed. */
const mostRedacted = 100;
/** So much is kept of what a response says that is no success. Bytes. */
const keptOfRefusal = 4096;

/** Makes units of the streams on HTTP: for each event `note` first, `frame` for what it makes, then `news`. */
export class HttpStreams {
  private readonly open = new Map<number, OpenStream>();
  /** They are numbered in the order in which they begin. */
  private last = 0;

  note(event: TraceEvent): void {
    if (isHttpEvent(event)) this.stream(event)?.note(event);
  }

  frame(frame: FrameUnit): void {
    if (frame.s !== undefined) this.open.get(frame.s)?.frame(frame);
  }

  /** What the event makes known. */
  news(event: TraceEvent): StreamUnit[] {
    if (event.kind === 'closed') return this.takeAll('ended', event);
    if (!isHttpEvent(event)) return [];
    const stream = this.open.get(event.s);
    if (!stream) return [];
    if (event.kind === 'head' && stream.opensWith(event)) return [stream.unit('opened', event)];
    if (!isOver(event)) {
      const [oldest] = this.open.values();
      return this.open.size > mostOpen ? [this.take(oldest as OpenStream, 'ended', event)] : [];
    }
    return [this.take(stream, 'ended', event)];
  }

  /** The recording ends here. */
  cut(last: { n: number; at: number }): StreamUnit[] {
    return this.takeAll('cut', last);
  }

  /** The status on a stream that is no success; nothing where it is one, or is not known. */
  refusal(s: number): number | undefined {
    const response = this.open.get(s)?.heads.response;
    return isRefusal(response) ? response?.status : undefined;
  }

  /** The status on a stream, as far as it has one. */
  status(s: number): number | undefined {
    return this.open.get(s)?.heads.response?.status;
  }

  /** The requests that were asked on a stream. */
  askedOn(s: number): readonly AskedHere[] {
    return this.open.get(s)?.asked ?? [];
  }

  /** The client resumes what it had begun to read on another stream. */
  resumes(s: number): boolean {
    return this.open.get(s)?.resumes === true;
  }

  private stream(event: HttpEvent): OpenStream | undefined {
    const open = this.open.get(event.s);
    // What is said behind the end of a stream, as of a request that is still under way, begins no other one.
    if (open || event.s <= this.last) return open;
    this.last = event.s;
    const stream = new OpenStream(event);
    this.open.set(event.s, stream);
    return stream;
  }

  private takeAll(phase: StreamUnit['phase'], last: { n: number; at: number }): StreamUnit[] {
    return [...this.open.values()].map((stream) => this.take(stream, phase, last));
  }

  private take(stream: OpenStream, phase: StreamUnit['phase'], last: { n: number; at: number }): StreamUnit {
    this.open.delete(stream.s);
    return stream.unit(phase, last);
  }
}

/** What the client gets is over. */
export const isOver = (event: TraceEvent): boolean =>
  event.kind === 'streamEnded' && event.from === 'server' && event.leg !== 'server';

/** A stream as far as it has come. */
class OpenStream {
  readonly s: number;
  readonly heads = new StreamHeads();
  readonly asked: AskedHere[] = [];
  private readonly c: number;
  private readonly first: number;
  private readonly since: number;
  private readonly bytes: Record<Side, number> = { client: 0, server: 0 };
  private readonly messages: Record<Side, number> = { client: 0, server: 0 };
  private readonly ends: StreamUnit['ends'] = {};
  private readonly redacted = new Set<string>();
  private events = 0;
  private responded: { n: number; at: number } | undefined;
  private made = false;
  private hasTwoBodies = false;
  private refusal: Uint8Array | undefined;

  constructor({ c, s, n, at }: HttpEvent) {
    this.c = c;
    this.s = s;
    this.first = n;
    this.since = at;
  }

  get resumes(): boolean {
    const { request } = this.heads;
    return request?.method === 'GET' && request.lines.some(([name]) => name.toLowerCase() === 'last-event-id');
  }

  note(event: HttpEvent): void {
    if (event.kind === 'head') this.head(event);
    else if (event.kind === 'frame' || event.kind === 'held' || event.kind === 'lost') this.passed(event);
    else if (event.kind === 'streamEnded' && event.leg !== 'server') {
      const { from, end } = event;
      this.ends[from] = end;
      this.bytes[from] = end.passed?.bytes ?? end.sum.bytes;
    }
  }

  frame({ from, leg, event, content, bytes, messages, n }: FrameUnit): void {
    if (leg === 'server' || from === 'stderr') return;
    this.messages[from] += messages.length;
    if (event && content) this.events++;
    if (from === 'server' && isRefusal(this.heads.response)) {
      this.refusal ??= (content ?? bytes).slice(0, keptOfRefusal);
    }
    for (const { message, id, batch } of from === 'client' ? messages : []) {
      if (message.kind === 'request') this.asked.push({ n, index: batch?.index ?? 0, id: id as string });
    }
  }

  /** The head is that of an event stream's response. */
  opensWith({ from, leg, head }: HttpEvent & { kind: 'head' }): boolean {
    return from === 'server' && leg !== 'server' && isSuccess(head) && isEventStream(head);
  }

  unit(phase: StreamUnit['phase'], { n, at }: { n: number; at: number }): StreamUnit {
    const { c, s, first, since, heads, responded, made, events, refusal } = this;
    const { request, response } = heads;
    return {
      unit: 'stream',
      phase,
      c,
      s,
      n,
      at,
      first,
      since,
      ...(request ? { request } : {}),
      ...(response ? { response } : {}),
      ...(responded ? { responded } : {}),
      made,
      mapped: this.hasTwoBodies || heads.areMapped,
      events,
      bytes: { ...this.bytes },
      messages: { ...this.messages },
      ends: { ...this.ends },
      redacted: [...this.redacted],
      ...(refusal ? { refusal } : {}),
    };
  }

  private head(event: HttpEvent & { kind: 'head' }): void {
    this.heads.add(event);
    this.noteRedacted(event.redacted);
    const { from, leg, n, at, head, made } = event;
    if (made) this.made = true;
    if (from !== 'server' || isInterim(head)) return;
    if (leg !== 'server' || !this.responded) this.responded = { n, at: this.responded?.at ?? at };
  }

  private passed(event: HttpEvent & { kind: 'frame' | 'held' | 'lost' }): void {
    const leg: Leg | undefined = event.leg;
    if (leg !== undefined) this.hasTwoBodies = true;
    if (event.kind === 'held' || leg === 'server') return;
    const from = event.kind === 'lost' ? event.lost.from : event.from;
    if (from === 'stderr') return;
    this.bytes[from] += event.kind === 'lost' ? event.lost.bytes : event.bytes.length;
    if (event.kind === 'frame') this.noteRedacted(event.redacted);
  }

  private noteRedacted(places: readonly string[] = []): void {
    for (const place of places) if (this.redacted.size < mostRedacted) this.redacted.add(place);
  }
}
