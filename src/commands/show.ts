import { Conversation } from '../core/trace/conversation/conversation.ts';
import { faultRow } from '../core/trace/conversation/other-rows.ts';
import type { Row } from '../core/trace/conversation/row.ts';
import type { ConnectionFacts } from '../core/trace/connection-facts.ts';
import { Exchanges } from '../core/trace/exchanges.ts';
import { Filter } from '../core/trace/filter.ts';
import type { Closed, TraceEvent, TraceHeader } from '../core/trace/format.ts';
import type { RedactedView, ViewItem } from '../core/trace/redaction/redacted-view.ts';
import { type RecordPage, RecordFinder } from '../core/trace/record-finder.ts';
import { TraceReader, type TraceItem } from '../core/trace/trace-reader.ts';
import type { Unit } from '../core/trace/unit.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readGrowingFile } from '../io/growing-file.ts';
import { inflate } from '../io/http/inflate.ts';
import { isRunning } from '../io/process-alive.ts';
import { readTrace } from '../io/stores/read-trace.ts';

export interface ShowOptions {
  /** The trace file. */
  path: string;
  /** Goes on as the file grows, until the recording is over. */
  follow: boolean;
  filter: string;
  /** What it is shown through, where secrets are to be replaced; it is used up. */
  view?: RedactedView | undefined;
  /** Ends it early. */
  signal: AbortSignal;
}

/** What is known of a recording when it has been read. */
export interface ShowResult {
  header: TraceHeader;
  /** `closed`: with its closing record; `cut off`: without, and its writer is gone. */
  state: 'closed' | 'running' | 'cut off';
  closed: Closed | undefined;
  facts: ConnectionFacts[];
  /** The number of the last record, and when it was. */
  last: { n: number; at: number };
  /** Lines of the file that are no records. */
  damaged: number;
  /** How many lines the filter left out. */
  hidden: number;
}

/** Where the lines of a conversation go. Nothing more is read until they have gone. */
export interface RowSink {
  rows(rows: readonly Row[], known: { header: TraceHeader; facts: readonly ConnectionFacts[] }): void | Promise<void>;
}

/** Where units go, and what the file says beside them. */
export interface UnitSink {
  header(header: TraceHeader): void | Promise<void>;
  units(units: readonly Unit[]): void | Promise<void>;
  fault(fault: FileFault): void | Promise<void>;
}

/** A line of the file that is no record. */
export type FileFault = Extract<TraceItem, { damaged: unknown } | { torn: unknown }>;

/**
 * Reads a trace as a conversation, line by line.
 *
 * @throws WireproofError `trace-not-found`, `trace-unreadable`
 */
export async function showConversation(options: ShowOptions, sink: RowSink): Promise<ShowResult> {
  const filter = new Filter(options.filter);
  const conversation = new Conversation(filter);
  const reading = new Reading(options);
  const send = async (rows: readonly Row[]): Promise<void> => {
    if (rows.length > 0) await sink.rows(rows, { header: reading.header, facts: reading.facts });
  };
  for await (const news of reading.run()) {
    if (news === 'caught up') await send(conversation.caughtUp());
    else if ('fault' in news) conversation.say(faultRow(news.fault, reading.last.at));
    else await send(news.units.flatMap((unit) => conversation.feed(unit)));
  }
  await send(conversation.end());
  return reading.result(conversation.hidden);
}

/**
 * Reads a trace as units.
 *
 * @throws WireproofError `trace-not-found`, `trace-unreadable`
 */
export async function showUnits(options: ShowOptions, sink: UnitSink): Promise<ShowResult> {
  const filter = new Filter(options.filter);
  const reading = new Reading(options);
  let saidHeader = false;
  for await (const news of reading.run()) {
    if (!saidHeader) await sink.header(reading.header);
    saidHeader = true;
    if (news === 'caught up') continue;
    if ('fault' in news) await sink.fault(news.fault);
    else await sink.units(news.units.filter((unit) => filter.matches(unit)));
  }
  return reading.result(0);
}

/**
 * One record of a trace, whole, with what it has to do with others.
 *
 * @param view What it is shown through, where secrets are to be replaced.
 * @throws WireproofError `record-not-found`, `trace-unreadable`
 */
export async function showRecord(path: string, number: number, view?: RedactedView): Promise<RecordPage> {
  const finder = new RecordFinder(number, { decode: inflate });
  let last = 0;
  let found: TraceEvent | undefined;
  for await (const items of readTrace(path)) {
    for (const item of items) {
      const page = find(finder, view ? view.feed(item) : [item]);
      if (page) return page;
      if (!('event' in item)) continue;
      last = item.event.n;
      if (last === number) found = item.event;
    }
  }
  const page = find(finder, view?.end() ?? []) ?? finder.end();
  if (page) return page;
  throw new WireproofError(
    'record-not-found',
    found ? leftOut(found) : `There is no record ${number} in this recording: its last one is ${last}.`,
  );
}

function find(finder: RecordFinder, items: readonly ViewItem[]): RecordPage | undefined {
  for (const item of items) {
    const page = 'event' in item ? finder.feed(item.event) : undefined;
    if (page) return page;
  }
  return undefined;
}

function leftOut({ n, kind }: TraceEvent): string {
  const why =
    kind === 'held' ? 'it is the beginning of an item, which a later record has' : 'a redacted copy leaves it out';
  return `Record ${n} is not shown redacted: ${why}.`;
}

type News = { units: Unit[] } | { fault: FileFault } | 'caught up';

/** So often an empty file is looked at again: its writer may just be starting. */
const patienceForHeader = 50;

/** One way through a trace file, to its end or as long as it grows. */
class Reading {
  last = { n: 0, at: 0 };
  private readonly options: ShowOptions;
  private readonly reader = new TraceReader();
  private readonly exchanges = new Exchanges({ decode: inflate });
  private known: TraceHeader | undefined;
  /** The closing record has been read. */
  private isOver = false;
  /** What it says, as it is shown. */
  private closed: Closed | undefined;
  private isWritten = false;
  private damaged = 0;
  private looksWithoutHeader = 0;
  private writerWasThere = true;

  constructor(options: ShowOptions) {
    this.options = options;
  }

  get header(): TraceHeader {
    if (!this.known) throw new Error('The header is read before anything else.');
    return this.known;
  }

  get facts(): ConnectionFacts[] {
    return this.exchanges.facts;
  }

  /** What stands in the way names the file. */
  async *run(): AsyncGenerator<News> {
    try {
      yield* this.read();
    } catch (cause) {
      if (cause instanceof WireproofError && cause.code === 'trace-not-found') throw cause;
      throw new WireproofError('trace-unreadable', `${this.options.path}: ${(cause as Error).message}`, { cause });
    }
  }

  private async *read(): AsyncGenerator<News> {
    const { path, follow, signal } = this.options;
    for await (const chunk of readGrowingFile(path, signal)) {
      if (chunk.length > 0) yield* this.take(this.reader.feed(chunk));
      else if (!follow || signal.aborted || !this.mayGrow()) break;
      else if (this.known) yield 'caught up';
      if (signal.aborted) break;
    }
    this.isWritten = !this.isOver && this.known !== undefined && isRunning(this.known);
    const last = this.reader.end();
    // What is being written right now is not torn.
    if (!this.isWritten) yield* this.take(last);
    const kept = this.options.view?.end() ?? [];
    yield { units: kept.flatMap((item) => ('event' in item ? this.event(item.event) : [])) };
    yield { units: this.exchanges.end() };
  }

  /** The recording may go on: it has no closing record, and its writer is there, or was when it was last looked at. */
  private mayGrow(): boolean {
    if (this.isOver) return false;
    if (!this.known) return ++this.looksWithoutHeader < patienceForHeader;
    const wasThere = this.writerWasThere;
    this.writerWasThere = isRunning(this.known);
    return wasThere;
  }

  private *take(items: readonly TraceItem[]): Generator<News> {
    const { view } = this.options;
    let units: Unit[] = [];
    for (const item of items) {
      if ('event' in item) this.note(item.event);
      for (const shown of view ? view.feed(item) : [item]) {
        if ('header' in shown) this.known = shown.header;
        else if ('event' in shown) units.push(...this.event(shown.event));
        else if ('unit' in shown) units.push(shown.unit);
        else {
          this.damaged++;
          yield { units };
          units = [];
          yield { fault: shown };
        }
      }
    }
    yield { units };
  }

  private note({ n, at, kind }: TraceEvent): void {
    this.last = { n, at };
    if (kind === 'closed') this.isOver = true;
  }

  private event(event: TraceEvent): Unit[] {
    if (event.kind === 'closed') this.closed = event.closed;
    return this.exchanges.feed(event);
  }

  result(hidden: number): ShowResult {
    const { header, closed, facts, last, damaged } = this;
    const state = closed ? 'closed' : this.isWritten ? 'running' : 'cut off';
    return { header, state, closed, facts, last, damaged, hidden };
  }
}
