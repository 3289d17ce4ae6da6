import { Exchanges } from './exchanges.ts';
import type { HeadEvent, StreamEndedEvent, TraceEvent } from './format.ts';
import { isInterim } from './http-heads.ts';
import type { FramesOptions } from './frames.ts';
import { isHttpEvent } from './http-frames.ts';
import { isOver } from './http-streams.ts';
import type { ExchangeUnit, FrameUnit, Unit } from './unit.ts';

/** One record, and what it belongs to. */
export interface RecordPage {
  event: TraceEvent;
  /** The line, the body or the event that it is, or is a part of. */
  frame?: FrameUnit;
  /** What else it holds: the other events of a stream that came as one body. */
  more?: FrameUnit[];
  /** What became of the requests in it. */
  exchanges: ExchangeUnit[];
  /** On HTTP: the request that its stream began with. */
  request?: HeadEvent;
  /** Of another record on HTTP: the head of what it belongs to. */
  own?: HeadEvent;
  /** Of a head: what was said on the other side of wireproof. */
  other?: HeadEvent;
}

/** Heads of so many streams are kept, and so many of each. */
const mostStreams = 65_536;
const mostHeads = 16;

/** Looks for one record among the events of a trace; it is found when all is known that belongs to it. */
export class RecordFinder {
  private readonly machine: Exchanges;
  private readonly number: number;
  /** Heads of the streams that are open, which may have to be held against another. */
  private readonly heads = new Map<number, HeadEvent[]>();
  private page: RecordPage | undefined;
  private open = 0;
  private waitsForOther = false;

  constructor(number: number, options: FramesOptions = {}) {
    this.number = number;
    this.machine = new Exchanges(options);
  }

  feed(event: TraceEvent): RecordPage | undefined {
    if (event.n === this.number) this.page = { event, exchanges: [], ...this.requestOf(event) };
    this.note(event);
    const units = this.machine.feed(event);
    if (!this.page) return undefined;
    for (const unit of units) this.take(unit);
    const { frame } = this.page;
    const isKnown = frame !== undefined || this.page.event.kind !== 'frame';
    return isKnown && this.open === 0 && !this.waitsForOther ? this.page : undefined;
  }

  /** The record as far as it is known. */
  end(): RecordPage | undefined {
    if (this.page) for (const unit of this.machine.end()) this.take(unit);
    return this.page;
  }

  private requestOf(event: TraceEvent): Pick<RecordPage, 'request' | 'own'> {
    const heads = isHttpEvent(event) ? (this.heads.get(event.s) ?? []) : [];
    const request = heads.find(({ from }) => from === 'client');
    const own = event.kind === 'streamEnded' ? heads.findLast((head) => isHeadOf(head, event)) : undefined;
    return { ...(request ? { request } : {}), ...(own ? { own } : {}) };
  }

  private note(event: TraceEvent): void {
    if (event.kind === 'closed') this.waitsForOther = false;
    if (!isHttpEvent(event)) return;
    if (event.kind === 'head') this.head(event);
    if (!isOver(event)) return;
    this.heads.delete(event.s);
    if (this.page?.event.kind === 'head' && this.page.event.s === event.s) this.waitsForOther = false;
  }

  private head(event: HeadEvent): void {
    const known = this.heads.get(event.s) ?? [];
    if (known.length < mostHeads) known.push(event);
    this.heads.set(event.s, known);
    if (this.heads.size > mostStreams) this.heads.delete(this.heads.keys().next().value as number);
    const wanted = this.page?.event;
    if (!this.page || wanted?.kind !== 'head' || wanted.s !== event.s || this.page.other) return;
    const other = known.find((head) => areLegs(head, wanted));
    if (other) this.page.other = other;
    this.waitsForOther = wanted.leg !== undefined && !other;
  }

  private take(unit: Unit): void {
    const { page } = this;
    if (!page) return;
    if (unit.unit === 'frame' && unit.records.includes(this.number)) {
      if (page.frame) (page.more ??= []).push(unit);
      else page.frame = unit;
      this.open += unit.messages.filter(({ message, link }) => message.kind === 'request' && !link).length;
    } else if (unit.unit === 'exchange' && page.frame?.n === unit.request.n && page.frame.c === unit.c) {
      page.exchanges.push(unit);
      this.open--;
    }
  }
}

/** The head of what ends there, as it was said on that side of wireproof. */
const isHeadOf = ({ from, leg, head }: HeadEvent, end: StreamEndedEvent): boolean =>
  from === end.from && !isInterim(head) && (leg === undefined || leg === (end.leg ?? 'client'));

/** The same head as it was said on the other side. */
const areLegs = (one: HeadEvent, other: HeadEvent): boolean =>
  one.from === other.from &&
  one.leg !== undefined &&
  other.leg !== undefined &&
  one.leg !== other.leg &&
  one.head.status === other.head.status;
