import type { Machine } from '../../machine.ts';
import { JsonScanner } from '../../wire/json-scanner.ts';
import { writeUtf8 } from '../../wire/utf8.ts';
import { counted } from '../amounts.ts';
import {
  type FrameEvent,
  type HeldEvent,
  type HttpPlace,
  redactedNote,
  type StreamName,
  streamNames,
  type TraceEvent,
  type TraceHeader,
} from '../format.ts';
import { RecordWriter } from '../record-writer.ts';
import type { Hasher } from '../running-sum.ts';
import { Staging } from '../staging.ts';
import type { TraceItem } from '../trace-reader.ts';
import { type Gap, type Verification, Verifier } from '../verify.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { CopiedBodies } from './copied-bodies.ts';
import { CopiedStream, type CopyTools } from './copied-stream.ts';
import { type Inflate, Privacy } from './privacy.ts';

/** The kind of the note in a copy that says what the recording cannot prove. */
const incompleteNote = 'incomplete';
/** So many bytes are handed on at once. */
const handedOn = 256 * 1024;
/** Bytes of items in parts that are put together at a time, of all streams. */
const mostGathered = 64 * 1024 * 1024;

export interface RedactedTraceOptions {
  rules: CompiledRules;
  /** The HMAC-SHA-256 of a text under the store's key, hexadecimal; and of bytes. */
  keyed: (text: string) => string;
  keyedHasher: () => Hasher;
  hasher: () => Hasher;
  inflate: Inflate;
  mostGathered?: number;
}

/** What became of a recording that was copied. */
export interface Copied {
  /** Records in which something was replaced. */
  replaced: number;
  isClosed: boolean;
  /** Why the recording cannot be proven, beside that something was lost in it, or that it breaks off. */
  gaps: readonly Gap[];
}

/**
 * Makes a redacted copy of a recording, as the bytes of a trace. Its sums are made anew, over what it gives back. Where
 * those of the recording do not agree the copy says so and lacks a number: it proves no more than the recording did.
 */
export class RedactedTrace implements Machine<TraceItem, Uint8Array> {
  private readonly options: RedactedTraceOptions;
  private readonly verifier: Verifier;
  private readonly staging = new Staging(Infinity);
  private readonly writer = new RecordWriter(this.staging);
  private readonly count = { replaced: 0 };
  private readonly ruleWords: string;
  private begun: Begun | undefined;
  private last = { n: 0, at: 0 };
  private lastSums: (TraceEvent & { kind: 'sums' }) | undefined;
  private closed: (TraceEvent & { kind: 'closed' }) | undefined;
  private isBehindDamage = false;
  /** Another recording begins inside this one, and is no part of it. */
  private isAppended = false;
  private gaps: readonly Gap[] = [];

  constructor(options: RedactedTraceOptions) {
    this.options = options;
    this.verifier = new Verifier(options.hasher);
    this.ruleWords = wordsOf(options.rules);
  }

  feed(item: TraceItem): Uint8Array[] {
    this.verifier.feed(item);
    if ('header' in item) this.begin(item.header);
    else if ('damaged' in item) this.isBehindDamage = true;
    else if ('event' in item) this.event(item.event);
    return this.staging.waiting < handedOn ? [] : this.staging.take();
  }

  end(): Uint8Array[] {
    if (this.begun) this.finish(this.begun);
    return this.staging.take();
  }

  /** To be asked at the end. */
  get copied(): Copied {
    return { replaced: this.count.replaced, isClosed: this.closed !== undefined, gaps: this.gaps };
  }

  private begin(header: TraceHeader): void {
    const { options, writer, count } = this;
    const { rules, keyed, keyedHasher, hasher, inflate } = options;
    const privacy = new Privacy(rules, keyed, { endpoint: endpointOf(header), inflate });
    const gathered = { bytes: 0, most: options.mostGathered ?? mostGathered };
    const tools: CopyTools = {
      writer,
      privacy,
      scanner: new JsonScanner(),
      hasher,
      keyed: keyedHasher,
      gathered,
      count,
    };
    const line = (from: StreamName): CopiedStream => new CopiedStream(from, privacy.line(), tools);
    const lines = { client: line('client'), server: line('server'), stderr: line('stderr') };
    this.begun = { privacy, lines, bodies: new CopiedBodies(tools) };
    const bytes = writeUtf8(`${JSON.stringify(redactHeader(header, privacy))}\n`);
    this.staging.reserve(bytes.length);
    this.staging.block.set(bytes, this.staging.length);
    this.staging.length += bytes.length;
    writer.event(0, { note: { kind: redactedNote, text: this.ruleWords } });
  }

  private event(event: TraceEvent): void {
    if (event.n === 1 && this.last.n > 0 && this.isBehindDamage) this.isAppended = true;
    if (this.isAppended || !this.begun) return;
    this.isBehindDamage = false;
    this.last = event;
    this.copy(event, this.begun);
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
        this.closed ??= event;
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
    if (kind === redactedNote && event.text === this.ruleWords) return;
    const { text, redacted } = privacy.note(kind, event.text);
    this.write(event, { s, note: { kind, text } }, redacted);
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
    this.writer.event(event.at, { ...members, ...(places.length > 0 ? { redacted: places } : {}), ...rest }, event.c);
  }

  private finish({ lines, bodies, privacy }: Begun): void {
    for (const stream of [...streamNames.map((from) => lines[from]), ...bodies.open()]) {
      if (this.closed) stream.breakOff();
      else stream.end();
    }
    const hasNews = streamNames.some((from) => lines[from].hasNews);
    if (this.closed && this.lastSums && hasNews) this.writeSums({ ...this.lastSums, at: this.last.at }, lines);
    const verification = this.verifier.end();
    this.gaps = verification.gaps.filter((gap) => isHidden(gap, this.closed !== undefined));
    this.noteGaps(verification);
    if (!this.closed) return;
    const { exit, signal, error, why } = this.closed.closed;
    const [inError, inWhy] = [error, why].map((text) => (text === undefined ? undefined : privacy.text(text)));
    const closed = { exit, signal, error: inError?.text, why: inWhy?.text };
    const redacted = [...(inError?.redacted ?? []), ...(inWhy?.redacted ?? [])];
    this.write(this.closed, { closed, counts: this.closed.counts }, redacted);
  }

  private noteGaps({ moreGaps }: Verification): void {
    const [first] = this.gaps;
    if (!first) return;
    const others = this.gaps.length - 1 + moreGaps;
    const more = others > 0 ? `, and ${counted(others, 'more gap')}` : '';
    const text = `the recording that this is a copy of is not complete: ${first.text}${more}`;
    this.writer.skip();
    this.writer.event(this.last.at, { note: { kind: incompleteNote, text } });
  }
}

/** What there is once the first line has come. */
interface Begun {
  privacy: Privacy;
  lines: Record<StreamName, CopiedStream>;
  bodies: CopiedBodies;
}

/** The copy does not show it by itself. */
const isHidden = ({ kind }: Gap, isClosed: boolean): boolean =>
  kind !== 'lost' && kind !== 'cut-off' && (kind !== 'missing' || isClosed);

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

/** The copy is no recording that goes on: nobody writes it. */
function redactHeader(header: TraceHeader, privacy: Privacy): object {
  const { pid: _, ...rest } = header;
  const label = header.label === undefined ? {} : { label: privacy.text(header.label).text };
  if (rest.transport === 'http') {
    return { ...rest, ...label, listen: privacy.url(rest.listen), to: privacy.url(rest.to) };
  }
  return { ...rest, ...label, command: privacy.command(rest.command), cwd: privacy.text(rest.cwd).text };
}

/** What was replaced, in words. Expressions and paths may have in them what they are to hide. */
function wordsOf({ secrets, keys, values, paths }: CompiledRules): string {
  const replaced = [
    ...(secrets ? ['the secrets of HTTP and OAuth'] : []),
    ...(keys.size > 0 ? [`what is named ${[...keys].sort().join(', ')}`] : []),
    ...(values.length > 0 ? [`what ${counted(values.length, 'expression matches', 'expressions match')}`] : []),
    ...(paths.length > 0 ? [`what ${counted(paths.length, 'path leads', 'paths lead')} to`] : []),
  ];
  const what = replaced.length === 0 ? 'nothing was replaced' : `replaced are ${replaced.join(', ')}`;
  return `a copy: ${what}; the sums are its own`;
}
