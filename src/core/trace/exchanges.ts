import type { Machine } from '../machine.ts';
import { isObject, otherSide, type Side } from '../protocol/message.ts';
import { type ConnectionFacts, noFacts, noteConnection, noteExchange, noteFrame } from './connection-facts.ts';
import type { TraceEvent } from './format.ts';
import { Frames } from './frames.ts';
import { OpenExchanges, requestRef, settle } from './open-exchanges.ts';
import { token } from './read-frame.ts';
import type { ConnectionUnit, ExchangeUnit, FramedMessage, FrameUnit, Link, Spoken, Unit } from './unit.ts';

/** What is kept of one connection. */
interface Connection {
  facts: ConnectionFacts;
  asked: Record<Side, OpenExchanges>;
  isClosed: boolean;
}

/**
 * Makes units of events: every line as a frame, each message in it linked to what it has to do with; after it
 * the exchanges that it made whole; and the news of the connections. Only what is open is kept.
 */
export class Exchanges implements Machine<TraceEvent, Unit> {
  private readonly frames = new Frames();
  private readonly byNumber = new Map<number, Connection>();
  private lastEvent: { n: number; at: number } = { n: 0, at: 0 };

  feed(event: TraceEvent): Unit[] {
    this.lastEvent = event;
    const units = this.frames.feed(event).flatMap((unit) => this.framed(unit));
    const news = newsOf(event);
    if (news) noteConnection(this.connection(event.c).facts, news);
    if (event.kind !== 'closed') return news ? [...units, news] : units;
    const { c, n, at, closed } = event;
    const pending = this.close(this.connection(c));
    const { facts } = this.connection(c);
    return [...units, ...pending, { unit: 'connection', what: 'closed', c, n, at, closed, facts }];
  }

  /** The trace ends here: what is open is handed on as it stands. */
  end(): Unit[] {
    const units: Unit[] = this.frames.end().flatMap((unit) => this.framed(unit));
    const { n, at } = this.lastEvent;
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
        isClosed: false,
      };
      this.byNumber.set(c, connection);
    }
    return connection;
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
    const { facts, asked } = this.connection(unit.c);
    const whole = unit.from === 'stderr' ? [] : pair(unit, unit.from, asked);
    noteFrame(facts, unit);
    for (const exchange of whole) noteExchange(facts, exchange);
    return [unit, ...whole];
  }
}

/** Links the messages of a frame, and hands back the exchanges that they make whole. */
function pair(frame: FrameUnit, from: Side, asked: Record<Side, OpenExchanges>): ExchangeUnit[] {
  const pairing = new Pairing(asked, from, frame);
  for (const framed of frame.messages) {
    const link = pairing.link(framed);
    if (link) framed.link = link;
  }
  return pairing.whole;
}

/** Finds out what the messages of one frame have to do with others, and which exchanges they make whole. */
class Pairing {
  readonly whole: ExchangeUnit[] = [];
  private readonly asked: Record<Side, OpenExchanges>;
  private readonly from: Side;
  private readonly frame: FrameUnit;

  constructor(asked: Record<Side, OpenExchanges>, from: Side, frame: FrameUnit) {
    this.asked = asked;
    this.from = from;
    this.frame = frame;
  }

  link(framed: FramedMessage): Link | undefined {
    const { message } = framed;
    if (message.kind === 'request') {
      this.whole.push(...this.asked[this.from].sent(this.frame.c, this.from, this.spoken(framed)));
      return undefined;
    }
    if (message.kind === 'response') return this.answer(framed);
    if (message.method === 'notifications/progress') return this.progress(framed);
    return message.method === 'notifications/cancelled' ? this.cancellation(framed) : undefined;
  }

  private spoken(framed: FramedMessage): Spoken {
    const { n, at } = this.frame;
    return { ...framed, n, at };
  }

  private answer(framed: FramedMessage): Link {
    const id = framed.id as string;
    const asked = this.asked[otherSide(this.from)];
    const open = asked.answered(id);
    if (!open) {
      const of = asked.finishedWith(id);
      const isMissing = framed.message.kind === 'response' && framed.message.id === undefined;
      const why = of ? 'second answer' : isMissing ? 'no id' : id === 'null' ? 'null id' : 'unknown id';
      return { is: 'unasked', why, ...(of ? { of } : {}) };
    }
    const link: Link = { is: 'answer', of: requestRef(open.exchange) };
    settle(open.exchange, { ...this.spoken(framed), link });
    this.whole.push(open.exchange);
    return link;
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

/** What an event says of its connection, where it is neither bytes nor the end. */
function newsOf(event: TraceEvent): ConnectionUnit | undefined {
  const { c, n, at } = event;
  const base = { unit: 'connection', c, n, at } as const;
  switch (event.kind) {
    case 'opened':
      return { ...base, what: 'opened', pid: event.pid };
    case 'ended':
      return { ...base, what: 'ended', from: event.from };
    case 'note':
      return { ...base, what: 'note', note: event.note, text: event.text };
    case 'lost':
      return { ...base, what: 'lost', lost: event.lost };
    case 'unknown':
      return { ...base, what: 'unknown', json: event.json };
    default:
      return undefined;
  }
}
