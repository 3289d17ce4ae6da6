import { Exchanges } from './exchanges.ts';
import type { TraceEvent } from './format.ts';
import type { ExchangeUnit, FrameUnit, Unit } from './unit.ts';

/** One record, and what it belongs to. */
export interface RecordPage {
  event: TraceEvent;
  /** The line that it is, or is a part of. */
  frame?: FrameUnit;
  /** What became of the requests in it. */
  exchanges: ExchangeUnit[];
}

/** Looks for one record among the events of a trace; it is found when all is known that belongs to it. */
export class RecordFinder {
  private readonly machine = new Exchanges();
  private readonly number: number;
  private page: RecordPage | undefined;
  private open = 0;

  constructor(number: number) {
    this.number = number;
  }

  feed(event: TraceEvent): RecordPage | undefined {
    if (event.n === this.number) this.page = { event, exchanges: [] };
    const units = this.machine.feed(event);
    if (!this.page) return undefined;
    for (const unit of units) this.take(unit);
    const { frame } = this.page;
    return (frame || this.page.event.kind !== 'frame') && this.open === 0 ? this.page : undefined;
  }

  /** The record as far as it is known. */
  end(): RecordPage | undefined {
    if (this.page) for (const unit of this.machine.end()) this.take(unit);
    return this.page;
  }

  private take(unit: Unit): void {
    const { page } = this;
    if (!page) return;
    if (unit.unit === 'frame' && unit.records.includes(this.number)) {
      page.frame = unit;
      this.open = unit.messages.filter(({ message }) => message.kind === 'request').length;
    } else if (unit.unit === 'exchange' && page.frame?.n === unit.request.n && page.frame.c === unit.c) {
      page.exchanges.push(unit);
      this.open--;
    }
  }
}
