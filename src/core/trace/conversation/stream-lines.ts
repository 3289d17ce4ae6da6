import { headerValue } from '../../wire/http-headers.ts';
import { isSuccess } from '../http-heads.ts';
import { stateOfStream } from '../stream-state.ts';
import type { ConnectionUnit, ExchangeUnit, StreamUnit } from '../unit.ts';
import type { Row } from './row.ts';
import type { Noted, Slot } from './slot.ts';
import { isQuiet, openedRow, sessionRow, streamRow } from './stream-rows.ts';

/** So many streams on HTTP may have lines that belong together. */
const mostStreams = 65_536;
/** So many notes wait for the lines of their streams. */
const mostNotes = 1024;
/** Notes that say why a stream failed, as its line does. */
const notesOfFailure: ReadonlySet<string> = new Set(['upstream-failed', 'refused']);

/** What is said of a stream on HTTP, and where. */
interface Beside {
  /** The line of the first request on it. */
  line?: Slot;
  /** It is one that stays open: a subscription. */
  listens?: boolean;
  /** That it failed is told by what became of a request on it. */
  isTold?: boolean;
}

/** Knows which lines belong to a stream on HTTP, so that what happened once is told once. */
export class StreamLines {
  private readonly streams = new Map<number, Beside>();
  private readonly notes = new Map<number, Noted[]>();
  private noted = 0;
  /** Sessions of the connections, as far as they were told. */
  private readonly sessions = new Map<number, string>();

  /** A request was asked on a stream. */
  asked(s: number, line: Slot, method: string): void {
    const beside = this.streams.get(s) ?? {};
    beside.line ??= line;
    beside.listens ||= method === 'subscriptions/listen';
    this.streams.set(s, beside);
    if (this.streams.size > mostStreams) this.streams.delete(this.streams.keys().next().value as number);
  }

  /** Does the note wait for the line that tells how its stream failed? */
  keeps({ note, s }: ConnectionUnit & { what: 'note' }, noted: Noted): boolean {
    if (s === undefined || !notesOfFailure.has(note) || this.noted >= mostNotes) return false;
    const notes = this.notes.get(s) ?? [];
    notes.push(noted);
    this.noted++;
    this.notes.set(s, notes);
    return true;
  }

  /** All notes that wait. */
  takeNotes = (): Noted[] => [...this.notes.keys()].flatMap((s) => this.notesOf(s));

  /** What was noted of the stream that a request failed with. */
  failedWith({ request, from, answer, httpStatus = 200, isOver }: ExchangeUnit): readonly Noted[] {
    const { s } = request;
    if (s === undefined || from === 'server' || !isOver || (answer && httpStatus < 300)) return [];
    const beside = this.streams.get(s);
    if (beside) beside.isTold = true;
    return this.notesOf(s);
  }

  /** The line of a stream, if it is to have one, with the notes that it tells, and those that no line tells. */
  rowOf(stream: StreamUnit, isWanted: boolean): { row?: Row; told?: readonly Noted[]; notes: readonly Noted[] } {
    const beside = this.streams.get(stream.s) ?? {};
    const isOpen = stream.phase === 'opened';
    const hasRow = isWanted || !this.isTold(stream, beside);
    if (isOpen) return hasRow ? { row: openedRow(stream), notes: [] } : { notes: [] };
    this.streams.delete(stream.s);
    const notes = this.notesOf(stream.s);
    if (!hasRow && beside.line?.asked) {
      beside.line.asked.notes = notes;
      return { notes: [] };
    }
    if (!hasRow) return { notes };
    const row = rowBeside(stream, isWanted);
    const tellsWhy = stream.made || stream.ends.server?.why !== undefined;
    return tellsWhy ? { row, told: notes, notes: [] } : { row, notes };
  }

  /** A line where a connection gets a session. */
  newSession({ c, response, responded, request }: StreamUnit): Row | undefined {
    const session = response && isSuccess(response) ? headerValue(response.lines, 'mcp-session-id') : undefined;
    if (session === undefined || !responded || this.sessions.get(c) === session) return undefined;
    this.sessions.set(c, session);
    const isNew = request === undefined || headerValue(request.lines, 'mcp-session-id') !== session;
    return isNew ? sessionRow(responded, session) : undefined;
  }

  /** Do the lines of its messages tell all that there is to be said of a stream, or will they? */
  private isTold(stream: StreamUnit, { line, listens, isTold }: Beside): boolean {
    const { phase, messages, requests } = stream;
    const isEvents = stateOfStream(stream) === undefined;
    if (listens && isEvents) return false;
    if (phase === 'opened') return messages.client > 0;
    if (isQuiet(stream)) return true;
    if (requests === 0) return false;
    return isTold === true || (!isEvents && line?.asked !== undefined && !line.isOut);
  }

  private notesOf(s: number): readonly Noted[] {
    const notes = this.notes.get(s) ?? [];
    this.notes.delete(s);
    this.noted -= notes.length;
    return notes;
  }
}

/** What became of the requests on it is said in their lines. */
function rowBeside(stream: StreamUnit, isWanted: boolean): Row {
  const { state, ...row } = streamRow(stream, stream.requests > 0);
  if (state === undefined) return row;
  return stream.requests === 0 || isWanted ? { ...row, state } : { ...row, tone: 'odd' };
}

/** A line that tells a failure, with the notes that say why: what says the same in more words gives way. */
export function withNotes(row: Row, notes: readonly Noted[]): Row {
  if (notes.length === 0) return row;
  let beside = row.beside ?? [];
  const marks = [...(row.marks ?? [])];
  for (const { n, row: note } of notes) {
    const why = note.subject.slice(note.subject.indexOf(': ') + 2);
    const isSaid = [row.outcome, ...beside].some((text) => text?.includes(why));
    beside = isSaid ? beside.map((text) => (text.includes(why) ? why : text)) : [...beside, why];
    marks.push(`note ${n}`);
  }
  return { ...row, ...(beside.length > 0 ? { beside } : {}), marks };
}
