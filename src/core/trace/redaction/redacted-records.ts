import { JsonScanner } from '../../wire/json-scanner.ts';
import { counted } from '../amounts.ts';
import {
  type FrameEvent,
  type HeldEvent,
  type HttpPlace,
  notSearchedNote,
  redactedNote,
  type StreamName,
  streamNames,
  type TraceEvent,
  type TraceHeader,
} from '../format.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { Hasher } from '../running-sum.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { CopiedBodies } from './copied-bodies.ts';
import { CopiedStream, type CopyTools } from './copied-stream.ts';
import { type Inflate, Privacy } from './privacy.ts';

/** Bytes of items in parts that are put together at a time, of all streams. */
const mostGathered = 64 * 1024 * 1024;

/** What is replaced, and what that needs. */
export interface Redaction {
  rules: CompiledRules;
  /** The HMAC-SHA-256 of a text under the store's key, hexadecimal; and of bytes. */
  keyed: (text: string) => string;
  keyedHasher: () => Hasher;
  hasher: () => Hasher;
  inflate: Inflate;
  mostGathered?: number;
}

/** Where the records go, and which they are to be. */
export interface RedactedRecordsOptions extends Redaction {
  writer: RecordWriter;
  /** Told before each record is written which number it has in the recording; none is then left out between two parts. */
  numbered?: (n: number) => void;
  /** The text of a note that the copy begins with. */
  ownNote?: string;
}

/** Writes the records of a recording with what was to be replaced in them replaced; their sums are made anew. */
export class RedactedRecords {
  /** The last that came. */
  last: Place = { n: 0, at: 0 };
  private readonly options: RedactedRecordsOptions;
  private readonly count = { replaced: 0 };
  private begun: Begun | undefined;
  private lastSums: (TraceEvent & { kind: 'sums' }) | undefined;
  private closing: (TraceEvent & { kind: 'closed' }) | undefined;
  /** What the notes of the recording say already of bodies that could not be searched. */
  private readonly unsearched = new Set<string>();
  private isBehindDamage = false;
  /** Another recording begins inside this one, and is no part of it. */
  private isAppended = false;

  constructor(options: RedactedRecordsOptions) {
    this.options = options;
  }

  /** Records in which something was replaced. */
  get replaced(): number {
    return this.count.replaced;
  }

  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** Gives the first line back, redacted. Nobody writes a copy, so it names no process. */
  begin(header: TraceHeader): object {
    const { count } = this;
    const { writer, numbered, rules, keyed, keyedHasher, hasher, inflate } = this.options;
    const privacy = new Privacy(rules, keyed, { endpoint: endpointOf(header), inflate });
    const gathered = { bytes: 0, most: this.options.mostGathered ?? mostGathered };
    const tools: CopyTools = {
      writer,
      privacy,
      scanner: new JsonScanner(),
      hasher,
      keyed: keyedHasher,
      gathered,
      count,
      ...(numbered ? { numbered } : {}),
    };
    const line = (from: StreamName): CopiedStream => new CopiedStream(from, privacy.line(), tools);
    const lines = { client: line('client'), server: line('server'), stderr: line('stderr') };
    this.begun = { privacy, lines, bodies: new CopiedBodies(tools) };
    return redactHeader(header, privacy);
  }

  feed(event: TraceEvent): void {
    if (event.n === 1 && this.last.n > 0 && this.isBehindDamage) this.isAppended = true;
    if (this.isAppended || !this.begun) return;
    this.isBehindDamage = false;
    this.last = event;
    this.copy(event, this.begun);
  }

  /** A line of the recording is no record. */
  damaged(): void {
    this.isBehindDamage = true;
  }

  /** No more comes: writes what waits, but for the closing record. */
  finish(): void {
    if (!this.begun) return;
    const { lines, bodies } = this.begun;
    const open = bodies.open();
    for (const stream of [...streamNames.map((from) => lines[from]), ...open.map(({ body }) => body)]) {
      if (this.closing) stream.breakOff();
      else stream.end();
    }
    for (const { s, body } of open) this.noteUnsearched(this.last, s, body.unsearched);
    const hasNews = streamNames.some((from) => lines[from].hasNews);
    if (this.closing && this.lastSums && hasNews) this.writeSums({ ...this.lastSums, at: this.last.at }, lines);
  }

  /** Writes the closing record, where there is one. */
  close(): void {
    if (!this.begun || !this.closing) return;
    const { privacy } = this.begun;
    const { exit, signal, error, why } = this.closing.closed;
    const [inError, inWhy] = [error, why].map((text) => (text === undefined ? undefined : privacy.text(text)));
    const closed = { exit, signal, error: inError?.text, why: inWhy?.text };
    const redacted = [...(inError?.redacted ?? []), ...(inWhy?.redacted ?? [])];
    this.write(this.closing, { closed, counts: this.closing.counts }, redacted);
  }

  private copy(event: TraceEvent, { privacy, lines, bodies }: Begun): void {
    switch (event.kind) {
      case 'frame':
        this.stream(event, event.from).frame(event);
        break;
      case 'held':
        this.stream(event, event.from).hold(event);
        break;
      case 'lost': {
        this.stream(event, event.lost.from).lose(event);
        const { from, bytes } = event.lost;
        const why = privacy.text(event.lost.why);
        this.write(event, { ...placeOf(event), lost: { from, bytes, why: why.text } }, why.redacted);
        break;
      }
      case 'head': {
        bodies.head(event);
        const { head, redacted } = privacy.head(event.head, event.redacted);
        this.write(event, { s: event.s, from: event.from, ...placeOf(event) }, redacted, { head });
        break;
      }
      case 'trailers': {
        const { lines: trailers, redacted } = privacy.headers(event.trailers, event.redacted);
        this.write(event, { s: event.s, from: event.from, ...placeOf(event) }, redacted, { trailers });
        break;
      }
      case 'streamSum':
        this.write(event, {
          s: event.s,
          from: event.from,
          ...placeOf(event),
          sum: bodies.of(event, event.from).sum(),
        });
        break;
      case 'streamEnded': {
        const { s, from, end } = event;
        const body = bodies.ended(event, from);
        body.breakOff();
        this.noteUnsearched(event, s, body.unsearched);
        const why = end.why === undefined ? undefined : privacy.text(end.why);
        const passed = end.passed ?? body.passedSum();
        const members = { s, ended: from, ...placeOf(event), sum: body.sum(), passed, why: why?.text };
        this.write(event, members, why?.redacted);
        break;
      }
      case 'ended':
        lines[event.from].breakOff();
        this.write(event, { ended: event.from });
        break;
      case 'sums':
        this.lastSums = event;
        this.writeSums(event, lines);
        break;
      case 'note':
        this.copyNote(event, privacy);
        break;
      case 'opened': {
        const peer = event.peer === undefined ? undefined : privacy.text(event.peer);
        this.write(event, { opened: { pid: event.pid, peer: peer?.text } }, peer?.redacted);
        break;
      }
      case 'counts':
        this.write(event, { counts: event.counts });
        break;
      case 'closed':
        this.closing ??= event;
        break;
      case 'unknown':
        // Nobody knows where in it a secret could be.
        break;
    }
  }

  private stream(event: FrameEvent | HeldEvent | (TraceEvent & { kind: 'lost' }), from: StreamName): CopiedStream {
    const { lines, bodies } = this.begun as Begun;
    const { s, leg } = event;
    if (s === undefined) return lines[from];
    return bodies.of({ s, ...(leg === undefined ? {} : { leg }) }, from, event.kind === 'frame' && event.isEvent);
  }

  private copyNote(event: TraceEvent & { kind: 'note' }, privacy: Privacy): void {
    const { s, note: kind } = event;
    // The copy says that already.
    if (kind === redactedNote && event.text === this.options.ownNote) return;
    const { text, redacted } = privacy.note(kind, event.text);
    if (kind === notSearchedNote) this.unsearched.add(`${s} ${text}`);
    this.write(event, { s, note: { kind, text } }, redacted);
  }

  private noteUnsearched({ n, at, c }: Place, s: number, text: string | undefined): void {
    if (text === undefined || this.unsearched.has(`${s} ${text}`)) return;
    this.unsearched.add(`${s} ${text}`);
    this.options.numbered?.(n);
    this.options.writer.event(at, { s, note: { kind: notSearchedNote, text } }, c);
  }

  private writeSums(event: TraceEvent & { kind: 'sums' }, lines: Begun['lines']): void {
    const sums = Object.fromEntries(streamNames.map((from) => [from, lines[from].sum()]));
    for (const from of streamNames) lines[from].hasNews = false;
    this.write(event, { sums, counts: event.counts });
  }

  /** @param redacted what was replaced in it now, @param rest what stands behind the names of the places */
  private write(event: TraceEvent, members: object, redacted: readonly string[] = [], rest: object = {}): void {
    if (redacted.length > 0) this.count.replaced++;
    const places = [...new Set([...(event.redacted ?? []), ...redacted])];
    this.options.numbered?.(event.n);
    this.options.writer.event(
      event.at,
      { ...members, ...(places.length > 0 ? { redacted: places } : {}), ...rest },
      event.c,
    );
  }
}

/** Where a record stands. */
interface Place {
  n: number;
  at: number;
  c?: number;
}

/** What there is once the first line has come. */
interface Begun {
  privacy: Privacy;
  lines: Record<StreamName, CopiedStream>;
  bodies: CopiedBodies;
}

const placeOf = ({ s, leg, made }: Partial<HttpPlace>): Partial<HttpPlace> => ({
  ...(s === undefined ? {} : { s }),
  ...(leg === undefined ? {} : { leg }),
  ...(made === true ? { made } : {}),
});

function endpointOf(header: TraceHeader): string {
  try {
    return header.transport === 'http' ? new URL(header.to).pathname : '';
  } catch {
    return '';
  }
}

function redactHeader(header: TraceHeader, privacy: Privacy): object {
  const { pid: _, ...rest } = header;
  const label = header.label === undefined ? {} : { label: privacy.text(header.label).text };
  if (rest.transport === 'http') {
    const listen = rest.listen === undefined ? {} : { listen: privacy.url(rest.listen) };
    return { ...rest, ...label, ...listen, to: privacy.url(rest.to) };
  }
  return { ...rest, ...label, command: privacy.command(rest.command), cwd: privacy.text(rest.cwd).text };
}

/** What is replaced, in words. Expressions and paths may have in them what they are to hide. */
export function redactionWords({ secrets, keys, values, paths }: CompiledRules): string {
  const replaced = [
    ...(secrets ? ['the secrets of HTTP and OAuth'] : []),
    ...(keys.size > 0 ? [`what is named ${[...keys].sort().join(', ')}`] : []),
    ...(values.length > 0 ? [`what ${counted(values.length, 'expression matches', 'expressions match')}`] : []),
    ...(paths.length > 0 ? [`what ${counted(paths.length, 'path leads', 'paths lead')} to`] : []),
  ];
  return replaced.length === 0 ? 'nothing was replaced' : `replaced are ${replaced.join(', ')}`;
}
