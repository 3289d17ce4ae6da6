import type { Machine } from '../../machine.ts';
import type { Filter } from '../filter.ts';
import type { ConnectionUnit, ExchangeUnit, FramedMessage, FrameUnit, RequestRef, StreamUnit, Unit } from '../unit.ts';
import { answerRow, askedRow, exchangeRow, messageRow } from './message-rows.ts';
import { eventRow, newsRow, stderrRow, strayRow } from './other-rows.ts';
import type { Row } from './row.ts';
import { type Asked, isLater, type Noted, type Place, type Slot } from './slot.ts';
import { StreamLines, withNotes } from './stream-lines.ts';

/** So many lines wait for the answer to a request above them; then it is shown without, and its answer below. */
const window = 5000;
/** Progress of a request that is shown already gets a line so often. Milliseconds. */
const betweenProgress = 1000;

/**
 * Makes the lines of a conversation from its units, in the order of time: an exchange stands where its request
 * does, with its outcome; what it is made of (its answer, its progress) has no line of its own.
 */
export class Conversation implements Machine<Unit, Row> {
  /** How many lines the filter left out. */
  hidden = 0;
  private readonly filter: Filter;
  private slots: Slot[] = [];
  private readonly asked = new Map<string, Slot>();
  private readonly held = new Map<string, Slot>();
  private readonly streams = new StreamLines();
  /** The closing record that was told. */
  private closedBy: number | undefined;
  /** How many lines are still there to wait for an answer to. */
  private first = 0;
  /** The latest line that is out, and the latest time that is known. */
  private lastOut: Place = { at: -Infinity, n: 0 };
  private now = 0;

  constructor(filter: Filter) {
    this.filter = filter;
  }

  feed(unit: Unit): Row[] {
    this.now = Math.max(this.now, unit.at);
    if (unit.unit === 'frame') this.frame(unit);
    else if (unit.unit === 'exchange') this.exchange(unit);
    else if (unit.unit === 'stream') this.stream(unit);
    else this.news(unit);
    return this.slots.length - this.first > window ? this.takeReady(window) : [];
  }

  /** There is no more to read for now: everything is shown as far as it is known. */
  caughtUp(): Row[] {
    this.placeNotes(this.streams.takeNotes());
    return this.takeReady(0);
  }

  end(): Row[] {
    return this.caughtUp();
  }

  /** What the recording says of itself, and no unit does. */
  say(row: Row): void {
    if (this.filter.isEmpty) this.place({ at: row.at, n: row.n ?? Infinity, row });
  }

  private frame(frame: FrameUnit): void {
    // What passed in two forms is told as the client's side saw it.
    if (frame.leg === 'server') return;
    this.dropHeld(heldKey(frame));
    if (frame.messages.length === 0) {
      const row = frame.stray ? strayRow(frame) : frame.s === undefined ? stderrRow(frame) : eventRow(frame);
      if (row && this.passes(frame)) this.place({ at: frame.at, n: frame.n, row, key: blankKey(frame), c: frame.c });
    }
    for (const framed of frame.messages) this.message(frame, framed);
  }

  private message(frame: FrameUnit, framed: FramedMessage): void {
    const { message, link } = framed;
    if (link?.is === 'answer' || link?.is === 'again' || link?.is === 'refusal') return;
    const slot: Slot = { at: frame.at, n: frame.n, c: frame.c };
    if (message.kind === 'request') {
      if (frame.s !== undefined && frame.from === 'client') this.streams.asked(frame.s, slot, message.method);
      slot.asked = { frame, framed, isCancelled: false, lastProgressAt: frame.at };
      this.asked.set(askedKey(frame, framed), slot);
      this.place(slot);
      return;
    }
    if (link?.is === 'cancellation' && link.when === 'open') this.cancelled(frame.c, link.of);
    if (link?.is === 'progress' && link.when === 'open' && !this.wantsProgress(frame, link.of)) return;
    if (!this.passes({ ...frame, messages: [framed] })) return;
    const row = messageRow(frame, framed);
    this.place({ ...slot, row, key: link?.is === 'progress' ? progressKey(row) : undefined });
  }

  /** Progress shows as a number beside its request; only where that is out already, or asked for, by itself. */
  private wantsProgress(frame: FrameUnit, of: RequestRef | undefined): boolean {
    if (!this.filter.isEmpty) return true;
    const asked = this.openRequest(frame.c, of);
    if (asked?.shown !== 'asked' || frame.at - asked.lastProgressAt < betweenProgress) return false;
    asked.lastProgressAt = frame.at;
    return true;
  }

  private cancelled(c: number, of: RequestRef | undefined): void {
    const asked = this.openRequest(c, of);
    if (asked) asked.isCancelled = true;
  }

  private openRequest(c: number, of: RequestRef | undefined): Asked | undefined {
    return of && this.asked.get(`${c} ${of.n} ${of.index}`)?.asked;
  }

  private exchange(exchange: ExchangeUnit): void {
    const key = askedKey({ c: exchange.c, n: exchange.request.n }, exchange.request);
    const slot = this.asked.get(key);
    this.asked.delete(key);
    const { shown, notes } = slot?.asked ?? {};
    if (slot) slot.asked = undefined;
    const failedWith = this.streams.failedWith(exchange).concat(notes ?? []);
    if (shown === 'asked' && !tellsMore(exchange)) return this.placeNotes(failedWith);
    if (!this.passes(exchange)) return this.placeNotes(failedWith);
    const isWhole = shown !== 'asked' && slot !== undefined;
    const row = withNotes(isWhole ? exchangeRow(exchange) : answerRow(exchange), failedWith);
    if (slot && shown === undefined) slot.row = row;
    else this.placeLate(row, exchange.c);
  }

  private stream(stream: StreamUnit): void {
    const { c } = stream;
    const session = this.streams.newSession(stream);
    if (session && this.filter.isEmpty) this.place({ at: session.at, n: session.n as number, row: session, c });
    const { row, told = [], notes } = this.streams.rowOf(stream, this.filter.wantsStreams);
    if (row && this.passes(stream)) this.placeLate(withNotes(row, told), c);
    else this.placeNotes(told);
    this.placeNotes(notes);
  }

  /** Those that no line tells. */
  private placeNotes(notes: readonly Noted[]): void {
    for (const note of notes) if (note.isWanted) this.place(note);
  }

  private news(unit: ConnectionUnit): void {
    const row = newsRow(unit);
    if (!row || (unit.what === 'closed' && unit.n === this.closedBy)) return;
    if (unit.what !== 'held') {
      const isWanted = this.passes(unit);
      if (isWanted && unit.what === 'closed') this.closedBy = unit.n;
      const slot = { at: unit.at, n: unit.n, row, c: isOfAll(unit) ? undefined : unit.c };
      if (unit.what === 'note' && this.streams.keeps(unit, { ...slot, isWanted })) return;
      if (isWanted) this.place(slot);
      return;
    }
    const key = heldKey(unit);
    const before = this.held.get(key);
    if (before) {
      before.row &&= row;
      return;
    }
    const slot: Slot = { at: unit.at, n: unit.n, row, c: unit.c };
    this.held.set(key, slot);
    if (this.filter.isEmpty) this.place(slot);
  }

  /** The line has gone on: what was said of its beginning need not be shown any more. */
  private dropHeld(key: string): void {
    const slot = this.held.get(key);
    if (slot) slot.row = undefined;
    this.held.delete(key);
  }

  private passes(unit: Unit): boolean {
    const passes = this.filter.matches(unit);
    if (!passes && unit.unit !== 'connection') this.hidden++;
    return passes;
  }

  /** Puts a line that is known only now to its time, or where later ones are out, to this time. */
  private placeLate(row: Row, c: number): void {
    const place = { at: row.at, n: row.n as number };
    if (isLater(this.lastOut, place)) this.place({ ...place, at: this.now, row: { ...row, at: this.now }, c });
    else this.place({ ...place, row, c });
  }

  /** Puts a line behind the last one that is not younger. */
  private place(slot: Slot): void {
    const last = this.slots.at(-1);
    if (slot.key !== undefined && last?.key === slot.key && last.row) {
      last.row = { ...slot.row, n: last.row.n, at: last.row.at, times: (last.row.times ?? 1) + 1 } as Row;
      return;
    }
    let at = this.slots.length;
    while (at > this.first && isLater(this.slots[at - 1] as Slot, slot)) at--;
    this.slots.splice(at, 0, slot);
  }

  /** The lines that need not wait, and those for which there is no room to wait. */
  private takeReady(room: number): Row[] {
    const rows: Row[] = [];
    const mayStay = Math.max(this.first, this.slots.length - Math.floor(room / 2));
    for (; this.first < mayStay; this.first++) {
      const slot = this.slots[this.first] as Slot;
      const row = slot.asked ? this.openRow(slot.asked) : slot.row;
      if (row) {
        rows.push(slot.c === undefined ? row : { ...row, c: slot.c });
        if (isLater(slot, this.lastOut)) this.lastOut = { at: slot.at, n: slot.n };
      }
      slot.row = undefined;
      slot.isOut = true;
    }
    if (this.first > window || room === 0) {
      this.slots = this.slots.slice(this.first);
      this.first = 0;
    }
    return rows;
  }

  private openRow(asked: Asked): Row | undefined {
    const { frame, framed, isCancelled } = asked;
    const alone = { ...frame, messages: [framed] };
    const isWanted = this.filter.isEmpty || (!this.filter.needsOutcome && this.filter.matches(alone));
    asked.shown = isWanted ? 'asked' : 'hidden';
    return isWanted ? askedRow(frame, framed, isCancelled) : undefined;
  }
}

/** It is said of the recording as a whole. */
const isOfAll = (unit: ConnectionUnit): boolean =>
  unit.what === 'closed' || unit.what === 'unknown' || (unit.what === 'note' && unit.s === undefined);

const heldKey = ({ c, from, s }: FrameUnit | (ConnectionUnit & { what: 'held' })): string => `${c} ${from} ${s ?? ''}`;

/** Is there anything to add to a request that was shown without its answer? Its cancellation has a line of its own. */
const tellsMore = ({ status, isOver, cancelled }: ExchangeUnit): boolean =>
  status === 'cancelled' ? cancelled?.closed === true : status !== 'pending' || isOver;

const askedKey = ({ c, n }: { c: number; n: number }, { batch }: FramedMessage): string =>
  `${c} ${n} ${batch?.index ?? 0}`;

const blankKey = ({ stray, c, from }: FrameUnit): string | undefined =>
  stray?.why === 'blank' ? `blank ${c} ${from}` : undefined;

const progressKey = ({ by, id, tone, subject }: Row): string => `progress ${by} ${id} ${tone} ${subject}`;
