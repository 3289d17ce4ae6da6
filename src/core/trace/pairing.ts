import { isObject, otherSide, type Side } from '../protocol/message.ts';
import { idKey } from '../protocol/id.ts';
import type { HttpStreams } from './http-streams.ts';
import type { Open, Place } from './open-choice.ts';
import { type OpenExchanges, requestRef, settle } from './open-exchanges.ts';
import { token } from './read-frame.ts';
import type { ExchangeUnit, FramedMessage, FrameUnit, Link, Spoken } from './unit.ts';

interface PairingParts {
  asked: Record<Side, OpenExchanges>;
  from: Side;
  frame: FrameUnit;
  streams: HttpStreams;
  /** The frame was delivered before. */
  isAgain: boolean;
  /** The stream on HTTP that is resumed. */
  resumed?: number | undefined;
}

/** Finds out what the messages of one frame have to do with others, and which exchanges they make whole. */
export class Pairing {
  readonly whole: ExchangeUnit[] = [];
  private readonly asked: Record<Side, OpenExchanges>;
  private readonly from: Side;
  private readonly frame: FrameUnit;
  private readonly streams: HttpStreams;
  private readonly isAgain: boolean;
  private readonly place: Place | undefined;

  constructor(parts: PairingParts) {
    this.asked = parts.asked;
    this.from = parts.from;
    this.frame = parts.frame;
    this.streams = parts.streams;
    this.isAgain = parts.isAgain;
    this.place = this.placeOf(parts.resumed);
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

  private placeOf(resumed: number | undefined): Place | undefined {
    const { s } = this.frame;
    return s === undefined ? undefined : { resumed, session: this.streams.sessionOf(s) };
  }

  private spoken(framed: FramedMessage): Spoken {
    const { n, at, s, heads } = this.frame;
    return { ...framed, n, at, ...(s === undefined ? {} : { s }), ...(heads ? { heads } : {}) };
  }

  private answer(framed: FramedMessage): Link {
    const id = framed.id as string;
    const asked = this.asked[otherSide(this.from)];
    const here = this.from === 'server' ? this.streams.askedWithId(this.frame.s, idKey(id)) : undefined;
    const found = asked.answered(id, this.placeOfAnswer(here)) ?? this.refused(framed);
    if (!found) {
      const of = here?.at(-1) ?? asked.finishedWith(id);
      if (of && this.isAgain) return { is: 'again', of };
      const status = isErrorWithoutId(framed) ? this.refusal() : undefined;
      if (status !== undefined) return { is: 'refusal', status };
      const isMissing = framed.message.kind === 'response' && framed.message.id === undefined;
      const why = of ? 'second answer' : isMissing ? 'no id' : id === 'null' ? 'null id' : 'unknown id';
      return { is: 'unasked', why, ...(of ? { of } : {}) };
    }
    const { exchange } = found;
    const link: Link = { is: 'answer', of: requestRef(exchange) };
    settle(exchange, { ...this.spoken(framed), link });
    const { s } = exchange.request;
    const status = s === undefined ? undefined : this.streams.status(s);
    if (status !== undefined && (s === this.frame.s || status >= 300)) exchange.httpStatus = status;
    this.whole.push(exchange);
    return link;
  }

  private placeOfAnswer(here: Place['here']): Place | undefined {
    return this.place && { ...this.place, here, isAnswering: (s) => this.streams.isAnswering(s) };
  }

  /** An error that has no id answers the one request of its stream (specification: basic/transports, Streamable HTTP). */
  private refused(framed: FramedMessage): Open | undefined {
    const { s } = this.frame;
    if (s === undefined || this.from === 'client' || !isErrorWithoutId(framed)) return undefined;
    const open = this.streams.askedOn(s).filter((request) => this.asked.client.find(request));
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
    const here = this.from === 'server' ? this.streams.askedWithToken(this.frame.s, idKey(text)) : undefined;
    const open = asked.openWithToken(text, this.place && { ...this.place, here });
    if (open) {
      open.exchange.progress = { count: open.exchange.progress.count + 1, last: message };
      return { is: 'progress', when: 'open', of: requestRef(open.exchange) };
    }
    const of = here?.at(-1) ?? asked.finishedWithToken(text);
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
      const here = asked === this.asked.client ? this.streams.askedWithId(this.frame.s, idKey(id)) : undefined;
      const open = asked.toCancel(id, this.place && { ...this.place, here });
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
