import type { Side } from '../protocol/message.ts';
import type { Leg, TraceEvent } from './format.ts';
import { type HttpEvent, isHttpEvent } from './http-frames.ts';
import { headerValue } from '../wire/http-headers.ts';
import { idKey } from '../protocol/id.ts';
import { brokenOff, isEventStream, isInterim, isRefusal, isSuccess, StreamHeads } from './http-heads.ts';
import { progressTokenKey, toolName } from './open-exchanges.ts';
import type { FramedMessage, FrameUnit, RequestRef, StreamUnit } from './unit.ts';

/** So many streams may be open; beyond them the oldest is handed on as it stands. */
const mostOpen = 65_536;
/** So many places are named where something else stands than what passed. */
const mostRedacted = 100;
/** So many requests with one id, or token, are told apart on a stream: a batch may hold it twice. */
const mostAlike = 100;
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
  askedOn(s: number): readonly RequestRef[] {
    return this.open.get(s)?.asked ?? [];
  }

  /** The requests with this id that were asked on a stream; nothing where there are none. */
  askedWithId(s: number | undefined, key: string): readonly RequestRef[] | undefined {
    return s === undefined ? undefined : this.open.get(s)?.askedById.get(key);
  }

  /** The same by their progress token. */
  askedWithToken(s: number | undefined, key: string): readonly RequestRef[] | undefined {
    return s === undefined ? undefined : this.open.get(s)?.askedByToken.get(key);
  }

  /** The beginning of what the response on a stream says that is no success. */
  refusalText(s: number): Uint8Array | undefined {
    return this.open.get(s)?.refusal;
  }

  /** Why what the client got on a stream is not whole. */
  whyBroken(s: number): string | undefined {
    return this.open.get(s)?.whyBroken('server');
  }

  /** What is asked on a stream is being answered there: it goes on, and its response was more than a receipt. */
  isAnswering(s: number): boolean {
    const response = this.open.get(s)?.heads.response;
    return isSuccess(response) && response?.status !== 202;
  }

  /** The last event that the client had got when it resumed on this stream what it had begun to read on another. */
  resumes(s: number): string | undefined {
    return this.open.get(s)?.resumes;
  }

  sessionOf(s: number): string | undefined {
    const lines = this.open.get(s)?.heads.request?.lines;
    return lines && headerValue(lines, 'mcp-session-id');
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
  readonly asked: RequestRef[] = [];
  readonly askedById = new Map<string, RequestRef[]>();
  readonly askedByToken = new Map<string, RequestRef[]>();
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
  refusal: Uint8Array | undefined;

  constructor({ c, s, n, at }: HttpEvent) {
    this.c = c;
    this.s = s;
    this.first = n;
    this.since = at;
  }

  get resumes(): string | undefined {
    const { request } = this.heads;
    return request?.method === 'GET' ? headerValue(request.lines, 'last-event-id') : undefined;
  }

  whyBroken(from: Side): string | undefined {
    const { request, response } = this.heads;
    const end = this.ends[from];
    return end && (from === 'client' ? brokenOff(request, end) : brokenOff(response, end, request));
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

  frame({ from, leg, event, content, bytes, messages, n, at }: FrameUnit): void {
    if (leg === 'server' || from === 'stderr') return;
    this.messages[from] += messages.length;
    if (event && content) this.events++;
    if (from === 'server' && isRefusal(this.heads.response)) {
      this.refusal ??= (content ?? bytes).slice(0, keptOfRefusal);
    }
    for (const framed of from === 'client' ? messages : []) {
      if (framed.message.kind === 'request') this.ask(framed, { n, at });
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
      requests: this.asked.length,
      ends: { ...this.end('client'), ...this.end('server') },
      redacted: [...this.redacted],
      ...(refusal ? { refusal } : {}),
    };
  }

  private ask(framed: FramedMessage, where: { n: number; at: number }): void {
    const ref = refOf(framed, where);
    this.asked.push(ref);
    add(this.askedById, idKey(ref.id), ref);
    const tokenKey = progressTokenKey(framed);
    if (tokenKey !== undefined) add(this.askedByToken, tokenKey, ref);
  }

  /** A side as it ended, where it has; why it is not whole only where it is not. */
  private end(from: Side): StreamUnit['ends'] {
    const { why: _, ...end } = this.ends[from] ?? {};
    const why = this.whyBroken(from);
    return 'sum' in end ? { [from]: { ...end, ...(why === undefined ? {} : { why }) } } : {};
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

function add(lists: Map<string, RequestRef[]>, key: string, ref: RequestRef): void {
  const list = lists.get(key);
  if (list && list.length < mostAlike) list.push(ref);
  else if (!list) lists.set(key, [ref]);
}

function refOf(framed: FramedMessage, { n, at }: { n: number; at: number }): RequestRef {
  const { message, batch, id = '' } = framed;
  const tool = toolName(framed);
  const method = message.kind === 'request' ? message.method : '';
  return { n, index: batch?.index ?? 0, at, from: 'client', method, ...(tool === undefined ? {} : { tool }), id };
}
