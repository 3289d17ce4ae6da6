import type { Machine } from '../machine.ts';
import { isObject, otherSide, type Side } from '../protocol/message.ts';
import {
  type ConnectionFacts,
  noFacts,
  noteConnection,
  noteExchange,
  noteFrame,
  noteHead,
  noteStream,
} from './connection-facts.ts';
import { Deliveries } from './deliveries.ts';
import type { HttpPlace, TraceEvent } from './format.ts';
import { Frames, type FramesOptions } from './frames.ts';
import { isHttpEvent } from './http-frames.ts';
import { HttpStreams, isOver } from './http-streams.ts';
import { type Open, OpenExchanges, refuse, requestRef, settle } from './open-exchanges.ts';
import { token } from './read-frame.ts';
import type { ConnectionUnit, ExchangeUnit, FramedMessage, FrameUnit, Link, Spoken, StreamUnit, Unit } from './unit.ts';

/** What is kept of one connection. */
interface Connection {
  facts: ConnectionFacts;
  asked: Record<Side, OpenExchanges>;
  delivered: Deliveries;
  isHttp: boolean;
  isClosed: boolean;
}

/**
 * Makes units of events: every line, body or server-sent event as a frame, each message in it linked to what it has to
 * do with; after it the exchanges that it made whole; and the news of the streams and connections. Only what is open
 * is kept.
 */
export class Exchanges implements Machine<TraceEvent, Unit> {
  private readonly frames: Frames;
  private readonly streams = new HttpStreams();
  private readonly byNumber = new Map<number, Connection>();
  private lastEvent: { n: number; at: number } = { n: 0, at: 0 };

  constructor(options: FramesOptions = {}) {
    this.frames = new Frames(options);
  }

  feed(event: TraceEvent): Unit[] {
    this.lastEvent = event;
    this.note(event);
    const units = this.frames.feed(event).flatMap((unit) => this.framed(unit));
    if (isOver(event) && isHttpEvent(event)) units.push(...this.refuse(event));
    if (event.kind === 'closed') return [...units, ...this.closed(event)];
    const news = newsOf(event);
    if (news) noteConnection(this.connection(event.c).facts, news);
    units.push(...this.streamNews(event), ...(news ? [news] : []));
    return units;
  }

  /** The trace ends here: what is open is handed on as it stands. */
  end(): Unit[] {
    const units: Unit[] = this.frames.end().flatMap((unit) => this.framed(unit));
    const { n, at } = this.lastEvent;
    units.push(...this.streams.cut({ n, at }));
    for (const connection of this.byNumber.values()) {
      if (connection.isClosed) continue;
      const { facts, asked } = connection;
      const open = [...asked.client.takeAll(), ...asked.server.takeAll()];
      units.push(...open, { unit: 'connection', what: 'cut', c: facts.c, n, at, facts });
    }
    return units;
  }

  /** What is known of the connections so far. */
  get facts(): ConnectionFacts[] {
    return [...this.byNumber.values()].map(({ facts }) => facts);
  }

  private connection(c: number): Connection {
    let connection = this.byNumber.get(c);
    if (!connection) {
      connection = {
        facts: noFacts(c),
        asked: { client: new OpenExchanges(), server: new OpenExchanges() },
        delivered: new Deliveries(),
        isHttp: false,
        isClosed: false,
      };
      this.byNumber.set(c, connection);
    }
    return connection;
  }

  private note(event: TraceEvent): void {
    this.streams.note(event);
    if (!isHttpEvent(event)) return;
    const connection = this.connection(event.c);
    connection.isHttp = true;
    if (event.kind === 'head' && event.leg !== 'server') noteHead(connection.facts, event.head);
  }

  private streamNews(event: TraceEvent): StreamUnit[] {
    const news = this.streams.news(event);
    for (const unit of news) if (unit.phase === 'ended') noteStream(this.connection(unit.c).facts, unit);
    return news;
  }

  /** The one closing record of a recording of HTTP is that of all its connections. */
  private closed(event: TraceEvent & { kind: 'closed' }): Unit[] {
    const { c, n, at, closed } = event;
    const first = this.connection(c);
    const others = [...this.byNumber.values()].filter((one) => one !== first && one.isHttp && !one.isClosed);
    const ending = [first, ...others];
    const pending = ending.flatMap((connection) => this.close(connection));
    const streams = this.streamNews(event);
    const ends = ending.map(
      ({ facts }) => ({ unit: 'connection', what: 'closed', c: facts.c, n, at, closed, facts }) as const,
    );
    return [...pending, ...streams, ...ends];
  }

  /** Requests that no success was said to get no answer any more; those who ask again do so under the same id. */
  private refuse(event: TraceEvent & { s: number }): ExchangeUnit[] {
    const status = this.streams.refusal(event.s);
    if (status === undefined) return [];
    const { asked, facts } = this.connection(event.c);
    return this.streams.askedOn(event.s).flatMap((request) => {
      const open = asked.client.take(request);
      if (!open) return [];
      refuse(open.exchange, event, status);
      noteExchange(facts, open.exchange);
      return [open.exchange];
    });
  }

  private close(connection: Connection): ExchangeUnit[] {
    const { asked, facts } = connection;
    connection.isClosed = true;
    const open = [...asked.client.takeAll(), ...asked.server.takeAll()];
    open.sort((one, other) => one.request.n - other.request.n);
    for (const exchange of open) {
      exchange.isOver = true;
      noteExchange(facts, exchange);
    }
    return open;
  }

  private framed(unit: FrameUnit | ConnectionUnit): Unit[] {
    if (unit.unit === 'connection') return [unit];
    const connection = this.connection(unit.c);
    const whole = unit.from === 'stderr' ? [] : this.pair(unit, unit.from, connection);
    this.streams.frame(unit);
    noteFrame(connection.facts, unit);
    for (const exchange of whole) noteExchange(connection.facts, exchange);
    return [unit, ...whole];
  }

  /** Links the messages of a frame, and hands back the exchanges that they make whole. */
  private pair(frame: FrameUnit, from: Side, { asked, delivered }: Connection): ExchangeUnit[] {
    const cameBefore = frame.event !== undefined && frame.messages.length > 0 && delivered.isAgain(frame);
    const isAgain = cameBefore && this.streams.resumes(frame.s as number);
    const pairing = new Pairing({ asked, from, frame, streams: this.streams, isAgain });
    for (const framed of frame.messages) {
      const link = pairing.link(framed);
      if (link) framed.link = link;
    }
    return pairing.whole;
  }
}

interface PairingParts {
  asked: Record<Side, OpenExchanges>;
  from: Side;
  frame: FrameUnit;
  streams: HttpStreams;
  /** The frame was delivered before. */
  isAgain: boolean;
}

/** Finds out what the messages of one frame have to do with others, and which exchanges they make whole. */
class Pairing {
  readonly whole: ExchangeUnit[] = [];
  private readonly asked: Record<Side, OpenExchanges>;
  private readonly from: Side;
  private readonly frame: FrameUnit;
  private readonly streams: HttpStreams;
  private readonly isAgain: boolean;

  constructor(parts: PairingParts) {
    this.asked = parts.asked;
    this.from = parts.from;
    this.frame = parts.frame;
    this.streams = parts.streams;
    this.isAgain = parts.isAgain;
  }

  link(framed: FramedMessage): Link | undefined {
    const { message } = framed;
    if (this.isAgain && message.kind !== 'response') return { is: 'again' };
    if (message.kind === 'request') {
      this.whole.push(...this.asked[this.from].sent(this.frame.c, this.from, this.spoken(framed)));
      return undefined;
    }
    if (message.kind === 'response') return this.answer(framed);
    if (message.method === 'notifications/progress') return this.progress(framed);
    return message.method === 'notifications/cancelled' ? this.cancellation(framed) : undefined;
  }

  private spoken(framed: FramedMessage): Spoken {
    const { n, at, s, heads } = this.frame;
    return { ...framed, n, at, ...(s === undefined ? {} : { s }), ...(heads ? { heads } : {}) };
  }

  private answer(framed: FramedMessage): Link {
    const id = framed.id as string;
    const asked = this.asked[otherSide(this.from)];
    const open = asked.answered(id) ?? this.refused(framed);
    if (!open) {
      const of = asked.finishedWith(id);
      if (of && this.isAgain) return { is: 'again', of };
      const status = isErrorWithoutId(framed) ? this.refusal() : undefined;
      if (status !== undefined) return { is: 'refusal', status };
      const isMissing = framed.message.kind === 'response' && framed.message.id === undefined;
      const why = of ? 'second answer' : isMissing ? 'no id' : id === 'null' ? 'null id' : 'unknown id';
      return { is: 'unasked', why, ...(of ? { of } : {}) };
    }
    const link: Link = { is: 'answer', of: requestRef(open.exchange) };
    settle(open.exchange, { ...this.spoken(framed), link });
    const { s } = open.exchange.request;
    const status = s === undefined ? undefined : this.streams.status(s);
    if (status !== undefined && (s === this.frame.s || status >= 300)) open.exchange.httpStatus = status;
    this.whole.push(open.exchange);
    return link;
  }

  /** An error that has no id answers the one request of its stream (specification: basic/transports, Streamable HTTP). */
  private refused(framed: FramedMessage): Open | undefined {
    const { s } = this.frame;
    if (s === undefined || this.from === 'client' || !isErrorWithoutId(framed)) return undefined;
    const open = this.streams.askedOn(s).filter((request) => this.asked.client.has(request));
    const [only] = open;
    return only && open.length === 1 ? this.asked.client.take(only) : undefined;
  }

  private refusal(): number | undefined {
    return this.frame.s === undefined ? undefined : this.streams.refusal(this.frame.s);
  }

  private progress({ message, json }: FramedMessage): Link {
    const params = message.kind === 'notification' && isObject(message.params) ? message.params : {};
    const given = params['progressToken'];
    if (typeof given !== 'string' && typeof given !== 'number') return { is: 'progress', when: 'unknown token' };
    const text = token(json, ['params', 'progressToken'], given);
    const asked = this.asked[otherSide(this.from)];
    const open = asked.openWithToken(text);
    if (open) {
      open.exchange.progress = { count: open.exchange.progress.count + 1, last: message };
      return { is: 'progress', when: 'open', of: requestRef(open.exchange) };
    }
    const of = asked.finishedWithToken(text);
    return of ? { is: 'progress', when: 'late', of } : { is: 'progress', when: 'unknown token' };
  }

  private cancellation({ message, json }: FramedMessage): Link {
    const params = message.kind === 'notification' && isObject(message.params) ? message.params : {};
    const given = params['requestId'];
    if (typeof given !== 'string' && typeof given !== 'number') return { is: 'cancellation', when: 'unknown id' };
    const id = token(json, ['params', 'requestId'], given);
    const { n, at } = this.frame;
    const reason = typeof params['reason'] === 'string' ? { reason: params['reason'] } : {};
    for (const asked of [this.asked[this.from], this.asked[otherSide(this.from)]]) {
      const open = asked.toCancel(id);
      if (!open || !this.mayCancel(open.exchange)) continue;
      this.whole.push(...asked.cancel(open, { n, at, ...reason }));
      return { is: 'cancellation', when: 'open', of: requestRef(open.exchange) };
    }
    const of = this.asked[this.from].finishedWith(id);
    return of ? { is: 'cancellation', when: 'late', of } : { is: 'cancellation', when: 'unknown id' };
  }

  /** Who sent a request may cancel it; and a server that ends a subscription cancels the client's request for it. */
  private mayCancel({ from, method }: ExchangeUnit): boolean {
    return from === this.from || method === 'subscriptions/listen';
  }
}

const isErrorWithoutId = ({ message }: FramedMessage): boolean =>
  message.kind === 'response' && (message.id === undefined || message.id === null) && isObject(message.error);

/** What an event says of its connection, where it is neither bytes nor the end. */
function newsOf(event: TraceEvent): ConnectionUnit | undefined {
  const { c, n, at } = event;
  const base = { unit: 'connection', c, n, at } as const;
  switch (event.kind) {
    case 'opened':
      return { ...base, what: 'opened', pid: event.pid, ...(event.peer === undefined ? {} : { peer: event.peer }) };
    case 'ended':
      return { ...base, what: 'ended', from: event.from };
    case 'note':
      return { ...base, what: 'note', note: event.note, text: event.text, ...placeOf(event) };
    case 'lost':
      return { ...base, what: 'lost', lost: event.lost, ...placeOf(event) };
    case 'unknown':
      return { ...base, what: 'unknown', json: event.json };
    default:
      return undefined;
  }
}

const placeOf = ({ s, leg }: Partial<HttpPlace>): Pick<Partial<HttpPlace>, 's' | 'leg'> => ({
  ...(s === undefined ? {} : { s }),
  ...(leg === undefined ? {} : { leg }),
});
