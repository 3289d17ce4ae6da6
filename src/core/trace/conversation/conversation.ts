import type { Machine } from '../../machine.ts';
import type { Filter } from '../filter.ts';
import { headerValue } from '../../wire/http-headers.ts';
import { isSuccess } from '../http-heads.ts';
import type { ConnectionUnit, ExchangeUnit, FramedMessage, FrameUnit, RequestRef, StreamUnit, Unit } from '../unit.ts';
import { answerRow, askedRow, exchangeRow, messageRow } from './message-rows.ts';
import { eventRow, newsRow, stderrRow, strayRow } from './other-rows.ts';
import type { Row } from './row.ts';
import { isQuiet, openedRow, sessionRow, streamRow } from './stream-rows.ts';

/** So many lines wait for the answer to a request above them; then it is shown without, and its answer below. */
const window = 5000;
/** So many streams on HTTP may have lines that belong together. */
const mostStreams = 65_536;
/** Progress of a request that is shown already gets a line so often. Milliseconds. */
const betweenProgress = 1000;

/** A place for a line. */
interface Slot {
  at: number;
  n: number;
  row?: Row | undefined;
  /** A request whose exchange has not come. */
  asked?: Asked | undefined;
  /** Lines of this key, one behind the other, are one. */
  key?: string | undefined;
  /** The connection. */
  c?: number | undefined;
  /** It has been handed out. */
  isOut?: boolean;
}

/** Where what is said of a stream on HTTP stands. */
interface Beside {
  line?: Slot;
  notes: Slot[];
  /** It is one that stays open: a subscription. */
  listens?: boolean;
}

interface Asked {
  frame: FrameUnit;
  framed: FramedMessage;
  isCancelled: boolean;
  /** Its line is out: as a question, or not at all. */
  shown?: 'asked' | 'hidden';
  lastProgressAt: number;
}

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
  private readonly streams = new Map<number, Beside>();
  /** Sessions of the connections, as far as they were told. */
  private readonly sessions = new Map<number, string>();
  /** The closing record that was told. */
  private closedBy: number | undefined;
  /** How many lines are still there to wait for an answer to. */
  private first = 0;

  constructor(filter: Filter) {
    this.filter = filter;
  }

  feed(unit: Unit): Row[] {
    if (unit.unit === 'frame') this.frame(unit);
    else if (unit.unit === 'exchange') this.exchange(unit);
    else if (unit.unit === 'stream') this.stream(unit);
    else this.news(unit);
    return this.slots.length - this.first > window ? this.takeReady(window) : [];
  }

  /** There is no more to read for now: everything is shown as far as it is known. */
  caughtUp(): Row[] {
    return this.takeReady(0);
  }

  end(): Row[] {
    return this.takeReady(0);
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
      if (frame.s !== undefined && frame.from === 'client') {
        const beside = this.beside(frame.s);
        beside.line ??= slot;
        beside.listens ||= message.method === 'subscriptions/listen';
      }
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
    const shown = slot?.asked?.shown;
    if (slot) slot.asked = undefined;
    if (shown === 'asked' && !tellsMore(exchange)) return;
    if (!this.passes(exchange)) return;
    if (slot && shown === undefined) slot.row = exchangeRow(exchange);
    else {
      const row = shown === 'hidden' ? exchangeRow(exchange) : answerRow(exchange);
      this.place({ at: exchange.at, n: exchange.n, row, c: exchange.c });
    }
  }

  private stream(stream: StreamUnit): void {
    const beside = this.beside(stream.s);
    this.session(stream);
    const isOpen = stream.phase === 'opened';
    if (!isOpen) this.streams.delete(stream.s);
    const isAnswer = stream.messages.client > 0 && !beside.listens;
    const isTold = isOpen ? isAnswer : isQuiet(stream) && isAnswer;
    if ((isTold && !this.filter.wantsStreams) || !this.passes(stream)) return;
    const row = isOpen ? openedRow(stream) : streamRow(stream, beside.line !== undefined);
    const slot: Slot = { at: row.at, n: row.n as number, row, c: stream.c };
    this.place(slot);
    const { line } = beside;
    if (!line || line.isOut) this.bringNotes(slot, beside);
  }

  /** What was said of a stream before it had its line stands below it. */
  private bringNotes(line: Slot, beside: Beside): void {
    beside.line = line;
    for (const note of beside.notes.filter(({ isOut }) => !isOut)) {
      this.place({ ...note, at: line.at, n: line.n });
      note.row = undefined;
    }
    beside.notes = [];
  }

  /** A line where a connection gets a session. */
  private session({ c, response, responded, request }: StreamUnit): void {
    const session = response && isSuccess(response) ? headerValue(response.lines, 'mcp-session-id') : undefined;
    if (session === undefined || !responded || this.sessions.get(c) === session) return;
    this.sessions.set(c, session);
    const isNew = request === undefined || headerValue(request.lines, 'mcp-session-id') !== session;
    if (isNew && this.filter.isEmpty) this.place({ ...responded, row: sessionRow(responded, session), c });
  }

  private beside(s: number): Beside {
    let beside = this.streams.get(s);
    if (!beside) {
      this.streams.set(s, (beside = { notes: [] }));
      if (this.streams.size > mostStreams) this.streams.delete(this.streams.keys().next().value as number);
    }
    return beside;
  }

  private news(unit: ConnectionUnit): void {
    const row = newsRow(unit);
    if (!row || (unit.what === 'closed' && unit.n === this.closedBy)) return;
    if (unit.what !== 'held') {
      if (!this.passes(unit)) return;
      if (unit.what === 'closed') this.closedBy = unit.n;
      this.placeNews(unit, row);
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

  /** What is said of a stream on HTTP stands below its line, where that is there still. */
  private placeNews(unit: ConnectionUnit, row: Row): void {
    const slot: Slot = { at: unit.at, n: unit.n, row, c: isOfAll(unit) ? undefined : unit.c };
    const beside = unit.what === 'note' && unit.s !== undefined ? this.beside(unit.s) : undefined;
    const line = beside?.line;
    if (line && !line.isOut) this.place({ ...slot, at: line.at, n: line.n });
    else {
      this.place(slot);
      beside?.notes.push(slot);
    }
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
      if (row) rows.push(slot.c === undefined ? row : { ...row, c: slot.c });
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

const isLater = (one: Slot, other: Slot): boolean => one.at > other.at || (one.at === other.at && one.n > other.n);

/** Is there anything to add to a request that was shown without its answer? Its cancellation has a line of its own. */
const tellsMore = ({ status, isOver }: ExchangeUnit): boolean =>
  status !== 'cancelled' && (status !== 'pending' || isOver);

const askedKey = ({ c, n }: { c: number; n: number }, { batch }: FramedMessage): string =>
  `${c} ${n} ${batch?.index ?? 0}`;

const blankKey = ({ stray, c, from }: FrameUnit): string | undefined =>
  stray?.why === 'blank' ? `blank ${c} ${from}` : undefined;

const progressKey = ({ by, id, tone, subject }: Row): string => `progress ${by} ${id} ${tone} ${subject}`;
