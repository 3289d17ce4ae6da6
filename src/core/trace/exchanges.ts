import type { Machine } from '../machine.ts';
import type { Side } from '../protocol/message.ts';
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
import { isBoundToStream } from './open-choice.ts';
import { abandon, OpenExchanges, refuse } from './open-exchanges.ts';
import { Pairing } from './pairing.ts';
import type { ConnectionUnit, ExchangeUnit, FrameUnit, StreamUnit, Unit } from './unit.ts';

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
    if (isOver(event) && isHttpEvent(event)) units.push(...this.streamOver(event));
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

  /**
   * Requests that no success was said to get no answer any more, and in the modern era those neither whose stream
   * brought none: who asks again does so under the same id. In the legacy era another stream may bring it.
   */
  private streamOver({ s, c, n, at }: TraceEvent & { s: number }): ExchangeUnit[] {
    const { asked, facts } = this.connection(c);
    const httpStatus = this.streams.refusal(s);
    const refusal = this.streams.refusalText(s);
    const why = this.streams.whyBroken(s);
    const end = { n, at, ...(why === undefined ? {} : { why }) };
    return this.streams.askedOn(s).flatMap((request) => {
      const exchange = asked.client.find(request)?.exchange;
      if (!exchange) return [];
      const mayBeAnswered = httpStatus === undefined && !isBoundToStream(exchange);
      if (mayBeAnswered) {
        exchange.streamEnd = end;
        return [];
      }
      asked.client.take(request);
      if (httpStatus === undefined) abandon(exchange, end);
      else refuse(exchange, end, { httpStatus, refusal });
      noteExchange(facts, exchange);
      return [exchange];
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
    const { streams } = this;
    const cameBefore = frame.event !== undefined && frame.messages.length > 0 && delivered.isAgain(frame);
    const lastGot = frame.s === undefined ? undefined : streams.resumes(frame.s);
    const isAgain = cameBefore && lastGot !== undefined;
    const resumed = delivered.streamOf(lastGot);
    if (frame.s !== undefined) delivered.cameOn(resumed ?? frame.s, frame.event?.id);
    const pairing = new Pairing({ asked, from, frame, streams, isAgain, resumed });
    for (const framed of frame.messages) {
      const link = pairing.link(framed);
      if (link) framed.link = link;
    }
    return pairing.whole;
  }
}

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
