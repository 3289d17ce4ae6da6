import type { JsonScanner } from '../../wire/json-scanner.ts';
import { joinBytes } from '../../wire/line-framer.ts';
import { soleDataLine } from '../../wire/sse-framer.ts';
import { readUtf8, writeUtf8 } from '../../wire/utf8.ts';
import { escapedLength } from '../escape.ts';
import {
  type FrameEvent,
  type HeldEvent,
  longestRecordedLine,
  type StreamName,
  type Sum,
  type TraceEvent,
} from '../format.ts';
import type { FrameHead, RecordWriter } from '../record-writer.ts';
import { type Hasher, RunningSum } from '../running-sum.ts';
import { StreamBytes } from '../stream-bytes.ts';
import { cutIntoParts } from './copied-parts.ts';
import type { Privacy, Search } from './privacy.ts';
import type { RedactedBytes } from './redactor.ts';

/** Bytes of a stream that are collected for its sum: there may be thousands of streams at once. */
const collected = 1024;
const newline = 0x0a;

/** What all streams of a copy have in common. */
export interface CopyTools {
  writer: RecordWriter;
  privacy: Privacy;
  scanner: JsonScanner;
  hasher: () => Hasher;
  keyed: () => Hasher;
  /** Bytes of items that are being put together of their parts, and how many may be. */
  gathered: { bytes: number; readonly most: number };
  /** Records in which something was replaced. */
  count: { replaced: number };
  /**
   * Told the number that each record has in the recording, before it is written. Where somebody wants to know, there is a
   * record for each of the recording's: an item in parts stays in parts.
   */
  numbered?: (n: number) => void;
}

/** An item that is too long to be put together. */
interface Oversize {
  /** Where it is replaced whole: of all that was in it. */
  sum: RunningSum | undefined;
  first: FrameEvent;
  last: FrameEvent;
  /** Where each keeps its number: the parts, without their bytes. */
  all: FrameEvent[];
}

/** How an item stands in one record, and what the record says of what is around it. */
type Form = { around: string } & (
  | { is: 'msg'; from: number; to: number }
  | { is: 'text'; escaped: number }
  | { is: 'b64' }
);

/** Copies the records of one stream of bytes, a side of a stdio connection or a body on HTTP, and redacts what they hold. */
export class CopiedStream {
  /** Something has been written since this was set. */
  hasNews = false;
  /** Why it could not be searched, in words, where that is so. */
  unsearched: string | undefined;
  private readonly tools: CopyTools;
  private readonly search: Search | undefined;
  private readonly given: RunningSum;
  private readonly passed: RunningSum | undefined;
  private hasReplaced = false;
  private lost = 0;
  private parts: FrameEvent[] = [];
  private oversize: Oversize | undefined;
  private readonly held: StreamBytes;
  private lastHeld: HeldEvent | undefined;
  private origin: { text: string; bytes: Uint8Array } = { text: '', bytes: new Uint8Array() };

  constructor(from: StreamName, search: Search | undefined, tools: CopyTools) {
    this.tools = tools;
    this.search = search;
    this.given = new RunningSum(tools.hasher(), collected);
    this.passed = search && new RunningSum(tools.keyed(), collected);
    this.held = new StreamBytes(from);
  }

  frame(event: FrameEvent): void {
    this.held.feed(event);
    this.passed?.add(event.bytes);
    if (event.part === undefined || event.part === 1) this.breakOff();
    if (!this.search) this.keep(event);
    else if (event.part === undefined) this.item([event], true);
    else this.part(event);
  }

  hold(event: HeldEvent): void {
    this.held.feed(event);
    this.lastHeld = event;
  }

  lose(event: TraceEvent & { kind: 'lost' }): void {
    this.breakOff();
    this.held.feed(event);
    this.lost += event.lost.bytes;
  }

  /** Whatever has begun does not go on. */
  breakOff(): void {
    if (this.oversize) this.endOversize(false);
    else if (this.parts.length > 0) this.item(this.takeParts(), false);
  }

  /** The recording breaks off: what is held does not come again. */
  end(): void {
    this.breakOff();
    if (!this.held.isHolding || !this.lastHeld) return;
    const { at, redacted = [] } = this.lastHeld;
    const bytes = this.held.heldBytes();
    const found = this.look(bytes, redacted);
    if (found) this.noteReplaced();
    const extra = `,"held":0${redactedMember([...redacted, ...(found?.redacted ?? [])])}`;
    this.write(this.lastHeld, at, extra, found?.bytes ?? bytes);
  }

  /** Of what the copy gives back so far, and what the recording has lost. */
  sum(): Sum {
    const { bytes, sha256 } = this.given.sum();
    return { bytes: bytes + this.lost, sha256 };
  }

  /** Of what the recording gives back, where the copy gives back something else. To be asked once. */
  passedSum(): { bytes: number; hmac: string } | undefined {
    if (!this.hasReplaced || this.lost > 0 || !this.passed) return undefined;
    const { bytes, sha256 } = this.passed.sum();
    return { bytes, hmac: sha256 };
  }

  private part(event: FrameEvent): void {
    if (this.oversize) {
      this.addOversize(this.oversize, event);
      return;
    }
    const { gathered } = this.tools;
    this.parts.push(event);
    gathered.bytes += event.bytes.length;
    if (event.last) this.item(this.takeParts(), true);
    else if (gathered.bytes > gathered.most) this.beginOversize();
  }

  private takeParts(): FrameEvent[] {
    const { parts } = this;
    this.parts = [];
    for (const { bytes } of parts) this.tools.gathered.bytes -= bytes.length;
    return parts;
  }

  /** @param isWhole Its end is there. */
  private item(events: readonly FrameEvent[], isWhole: boolean): void {
    const [first] = events as [FrameEvent];
    const decoded = events.filter(({ redacted = [] }) => redacted.some((place) => place.startsWith('decoded:')));
    if (decoded.length > 0 && decoded.length < events.length) {
      for (const event of events) this.item([event], false);
      return;
    }
    const body = joinBytes(events.map(bodyOf));
    const begins = (first.part ?? 1) === 1;
    const found = begins ? this.look(body, earlierIn(events)) : this.tools.privacy.remainder(body);
    if (found) this.replace(events, found, isWhole && begins);
    else for (const event of events) this.keep(event);
  }

  private look(item: Uint8Array, earlier: readonly string[]): RedactedBytes | undefined {
    try {
      return this.search?.(item, earlier);
    } catch (error) {
      // So much was to be put in that no text can be as long.
      if (error instanceof RangeError) return this.tools.privacy.all(item);
      throw error;
    }
  }

  private beginOversize(): void {
    const parts = this.takeParts();
    const [first] = parts as [FrameEvent];
    const { privacy, hasher } = this.tools;
    const goes = privacy.looksEverywhere || this.look(joinBytes(parts.map(bodyOf)), earlierIn(parts)) !== undefined;
    const oversize: Oversize = { sum: goes ? new RunningSum(hasher()) : undefined, first, last: first, all: [] };
    this.oversize = oversize;
    for (const part of parts) this.addOversize(oversize, part);
  }

  private addOversize(oversize: Oversize, event: FrameEvent): void {
    if (oversize.sum) oversize.sum.add(event.bytes);
    else this.keep(event);
    if (oversize.sum && this.tools.numbered) oversize.all.push({ ...event, bytes: new Uint8Array() });
    oversize.last = event;
    if (event.last) this.endOversize(true);
  }

  private endOversize(isWhole: boolean): void {
    const { sum, first, last, all } = this.oversize as Oversize;
    this.oversize = undefined;
    if (!sum) return;
    const { bytes, sha256 } = sum.sum();
    const standIn = this.tools.privacy.standInFor(`${bytes} bytes, SHA-256 ${sha256}`);
    const events = all.length > 0 ? all : [first, last];
    this.replace(events, { bytes: writeUtf8(standIn), redacted: [''] }, isWhole && first.part === 1);
  }

  /** Writes a record as it is. */
  private keep(event: FrameEvent): void {
    const { at, since = at, bytes, form, redacted = [] } = event;
    const body = bodyOf(event);
    const more = partMember(event.part, event.last) + redactedMember(redacted);
    const asItIs = form === 'msg' ? this.messageForm(event, body) : undefined;
    if (asItIs) this.writeForm(event, since, asItIs, more, body);
    else this.write(event, since, aroundOf(event, isEnd(event)) + more, body);
    this.given.add(bytes);
  }

  /** Writes what stands in place of the item that these records hold. */
  private replace(events: readonly FrameEvent[], found: RedactedBytes, isWhole: boolean): void {
    const [first] = events as [FrameEvent];
    const last = events.at(-1) as FrameEvent;
    const places = redactedMember([...placesOf(events), ...found.redacted]);
    const since = first.since ?? (events.length === 1 ? last.at : first.at);
    this.noteReplaced();
    this.given.add(found.bytes);
    this.given.add(delimiterOf(last));
    const mayBeOne = events.length === 1 || !this.tools.numbered;
    const form = isWhole && mayBeOne ? this.formOf(last, found.bytes) : undefined;
    if (form) this.writeForm(last, since, form, places, found.bytes);
    else this.writeParts(events, since, places, found.bytes);
  }

  private writeParts(events: readonly FrameEvent[], since: number, places: string, body: Uint8Array): void {
    const pieces = cutIntoParts(body, events.length, this.tools.numbered !== undefined);
    const number = events[0]?.part ?? 1;
    pieces.forEach((piece, index) => {
      const isLast = index === pieces.length - 1;
      const event = (isLast ? events.at(-1) : events[Math.min(index, events.length - 1)]) as FrameEvent;
      const endsHere = isLast && isEnd(event);
      const more = partMember(number + index, endsHere) + (index === 0 ? places : '');
      this.write(event, since, aroundOf(event, endsHere) + more, piece);
    });
  }

  /** How an item can stand in one record; nothing where it is too long for one. */
  private formOf(event: FrameEvent, body: Uint8Array): Form | undefined {
    if (body.length > longestRecordedLine) return undefined;
    const message = event.from === 'stderr' ? undefined : this.messageForm(event, body);
    if (message && this.isJson(body, message.from, message.to)) return message;
    const around = aroundOf(event, true);
    const escaped = escapedText(body);
    if (escaped === undefined) return { is: 'b64', around };
    return escaped > longestRecordedLine ? undefined : { is: 'text', escaped, around };
  }

  /** Where the JSON would stand in it, if it is a message. */
  private messageForm(event: FrameEvent, body: Uint8Array): (Form & { is: 'msg' }) | undefined {
    if (!event.isEvent) {
      return event.s !== undefined && body.includes(newline)
        ? undefined
        : { is: 'msg', from: 0, to: body.length, around: aroundOf(event, true) };
    }
    const data = soleDataLine(body, true);
    const before = data && readUtf8(body.subarray(0, data.from));
    const behind = data && readUtf8(body.subarray(data.to));
    if (before === undefined || behind === undefined || !data) return undefined;
    return { is: 'msg', ...data, around: `,"sse":${JSON.stringify(before)},"eol":${JSON.stringify(behind)}` };
  }

  private isJson(bytes: Uint8Array, from: number, to: number): boolean {
    const { scanner } = this.tools;
    scanner.reset();
    scanner.feed(bytes, from, to);
    return scanner.end();
  }

  private writeForm(event: FrameEvent, since: number, form: Form, more: string, body: Uint8Array): void {
    const head = this.head(event, since, form.around + more);
    const { writer } = this.tools;
    if (form.is === 'msg') writer.msg(head, body, form.from, form.to);
    else if (form.is === 'text') writer.text(head, body, form.escaped);
    else writer.base64(head, body);
  }

  /** Writes bytes as text where they are that. */
  private write(event: FrameEvent | HeldEvent, since: number, extra: string, bytes: Uint8Array): void {
    const escaped = escapedText(bytes);
    const head = this.head(event, since, extra);
    if (escaped === undefined) this.tools.writer.base64(head, bytes);
    else this.tools.writer.text(head, bytes, escaped);
  }

  private head(event: FrameEvent | HeldEvent, since: number, extra: string): FrameHead {
    const { c, s, from, leg, made, at } = event;
    const stream = s === undefined ? '' : `,"s":${s}`;
    const rest = `${leg === undefined ? '' : `,"leg":"${leg}"`}${made ? ',"made":true' : ''}`;
    const text = `,"c":${c}${stream},"from":"${from}"${rest}`;
    this.tools.numbered?.(event.n);
    // The writer knows the same origin again by the array.
    if (text !== this.origin.text) this.origin = { text, bytes: writeUtf8(text) };
    this.hasNews = true;
    return { origin: this.origin.bytes, at, since, extra };
  }

  private noteReplaced(): void {
    this.hasReplaced = true;
    this.tools.count.replaced++;
  }
}

/** It holds the end of an item. */
const isEnd = ({ part, last }: FrameEvent): boolean => part === undefined || last === true;

const delimiterOf = (event: FrameEvent): Uint8Array =>
  writeUtf8(event.s === undefined && isEnd(event) ? event.eol : '');

/** A line without its delimiter; all of a body, and of an event. */
function bodyOf(event: FrameEvent): Uint8Array {
  const { bytes } = event;
  return bytes.subarray(0, bytes.length - delimiterOf(event).length);
}

/** What a record says of what stands around its bytes, where that is not as usual. */
function aroundOf({ s, isEvent, eol }: FrameEvent, endsHere: boolean): string {
  if (isEvent) return ',"sse":""';
  return s !== undefined || !endsHere || eol === '\n' ? '' : `,"eol":${JSON.stringify(eol)}`;
}

const partMember = (part: number | undefined, last: boolean | undefined): string =>
  part === undefined ? '' : `,"part":${part}${last ? ',"last":true' : ''}`;

const placesOf = (events: readonly FrameEvent[]): string[] => events.flatMap(({ redacted = [] }) => redacted);

/** The places in the whole of an item. A pointer that a later part names leads from the beginning of that part. */
function earlierIn(events: readonly FrameEvent[]): string[] {
  const isByPart = events.slice(1).some(({ redacted }) => redacted !== undefined);
  return placesOf(events).filter((place) => !isByPart || !/^(?:\/|$)/.test(place));
}

const redactedMember = (places: readonly string[]): string =>
  places.length === 0 ? '' : `,"redacted":${JSON.stringify([...new Set(places)])}`;

/** How long the bytes become as text; nothing where they are none. */
const escapedText = (bytes: Uint8Array): number | undefined =>
  readUtf8(bytes) === undefined ? undefined : escapedLength(bytes);
