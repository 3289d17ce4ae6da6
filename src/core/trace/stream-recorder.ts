import { JsonScanner, type Outline } from '../wire/json-scanner.ts';
import { cutLines } from '../wire/line-framer.ts';
import { lastWholeCharacter, readUtf8 } from '../wire/utf8.ts';
import { escapedLength, longestEscape } from './escape.ts';
import { longestRecordedLine, type StreamName } from './format.ts';
import { HeldLine } from './held-line.ts';
import type { FrameHead, RecordWriter } from './record-writer.ts';
import type { Staging } from './staging.ts';

const carriageReturn = 0x0d;

/** From this length on a line that came in pieces is handed on in its blocks instead of being copied. */
const worthNoCopy = 64 * 1024;

/** About how long the parts are that a longer line is written in: several fit into a block of the staging, escaped or not. */
const partLength = 60 * 1024;

/** What comes in a longer chunk is taken as if it had come in several: lines are then never too long for one record. */
const longestChunk = 256 * 1024;

/** A line that stands still for so long is written as far as it came. Milliseconds. */
const stillFor = 40;

/** What a stream's recorder tells of and asks for. */
export interface StreamOwner {
  readonly writer: RecordWriter;
  readonly staging: Staging;
  /** Called before each record of the stream; false where what was lost before could not be told yet. */
  readyToWrite(from: StreamName, at: number): boolean;
  lose(from: StreamName, bytes: number): void;
  /** A line with JSON-RPC messages in it; `line` gives its bytes. */
  sawMessages(from: StreamName, outlines: readonly Outline[], count: number, line: () => Uint8Array): void;
}

/** Makes records of one stream: a record a line, and parts of a line that is too long for one. */
export class StreamRecorder {
  private readonly owner: StreamOwner;
  private readonly from: StreamName;
  private readonly scanner: JsonScanner | undefined;
  private readonly held: HeldLine;
  private since = 0;
  private lastByteAt = 0;
  /** Bytes of the held line that `held` records say already. */
  private told = 0;
  /** How long the held line becomes as text, once that matters. */
  private escaped: number | undefined;
  /** Parts of the line at hand that are written; 0 where it is not written in parts. */
  private parts = 0;
  /** The scanner has not been shown the carriage return that the held bytes end with: it may be half of the delimiter. */
  private sparedCarriageReturn = false;
  private at = 0;

  constructor(from: StreamName, owner: StreamOwner) {
    this.from = from;
    this.owner = owner;
    this.held = new HeldLine(owner.staging);
    this.scanner = from === 'stderr' ? undefined : new JsonScanner();
  }

  /** Bytes that no record holds yet, since their line goes on. */
  get pending(): number {
    return this.held.length;
  }

  passed(bytes: Uint8Array, length: number, at: number): void {
    this.at = at;
    if (length <= longestChunk) cutLines(bytes, length, this.piece);
    else {
      for (let from = 0; from < length; from += longestChunk) {
        const chunk = bytes.subarray(from, Math.min(from + longestChunk, length));
        cutLines(chunk, chunk.length, this.piece);
      }
    }
    this.lastByteAt = at;
  }

  /** Time has passed: writes what has stood still; true where something still waits to be. */
  settle(at: number): boolean {
    if (this.held.length === 0 || (this.parts === 0 && this.told === this.held.length)) return false;
    if (at - this.lastByteAt < stillFor) return true;
    this.at = this.lastByteAt;
    if (this.parts > 0) this.writePart();
    else this.tellHeld();
    return false;
  }

  /** The stream is over: what is held was its last line, without a newline. */
  end(): void {
    if (this.held.length === 0 && this.parts === 0) return;
    this.at = this.lastByteAt;
    this.endHeldLine(0);
  }

  private readonly piece = (bytes: Uint8Array, from: number, to: number, ends: boolean): void => {
    if (ends && this.held.length === 0 && this.parts === 0) this.writeLine(bytes, from, to);
    else this.hold(bytes, from, to, ends);
  };

  /** A whole line that lies in one chunk. */
  private writeLine(bytes: Uint8Array, from: number, to: number): void {
    const delimiter = to - from > 1 && bytes[to - 2] === carriageReturn ? 2 : 1;
    const end = to - delimiter;
    const head = this.head(this.at, delimiter);
    if (!this.isJson(bytes, from, end)) this.writeOther(head, bytes.slice(from, to), delimiter);
    else {
      this.tellMessages(() => bytes.slice(from, end));
      if (!this.ready() || !this.owner.writer.msg(head, bytes, from, end)) this.lose(to - from);
    }
  }

  private isJson(bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.scanner) return false;
    this.scanner.reset();
    this.scanner.feed(bytes, from, to);
    return this.scanner.end();
  }

  private hold(bytes: Uint8Array, from: number, to: number, ends: boolean): void {
    if (this.held.length === 0 && this.parts === 0) {
      this.since = this.at;
      this.sparedCarriageReturn = false;
      this.escaped = undefined;
      this.scanner?.reset();
    }
    this.scanHeld(bytes, from, ends ? to - 1 : to);
    const body = this.held.length + (to - from) - (ends ? 1 : 0) - (this.sparedCarriageReturn ? 1 : 0);
    if (this.parts === 0 && (body > longestRecordedLine || this.escapesTooLong(bytes, from, to))) this.beginParts();
    this.held.add(bytes, from, to);
    if (ends) this.endHeldLine(this.held.byteFromEnd(1) === carriageReturn ? 2 : 1);
    else if (this.parts > 0 && this.held.length >= partLength) this.writePart();
  }

  /** It is no JSON, and its escapes make it too long for one record. */
  private escapesTooLong(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.scanner?.isBroken === false || this.held.length < longestRecordedLine / longestEscape) return false;
    this.escaped ??= escapedLength(this.held.view());
    this.escaped += escapedLength(bytes.subarray(from, to));
    return this.escaped > longestRecordedLine;
  }

  private scanHeld(bytes: Uint8Array, from: number, to: number): void {
    if (!this.scanner || from === to) return;
    if (this.sparedCarriageReturn) this.scanner.feed(crByte, 0, 1);
    this.sparedCarriageReturn = bytes[to - 1] === carriageReturn;
    this.scanner.feed(bytes, from, this.sparedCarriageReturn ? to - 1 : to);
  }

  /** @param delimiter How many of the held bytes are the delimiter. */
  private endHeldLine(delimiter: number): void {
    const isJson = this.scanner?.end() === true && !(delimiter === 0 && this.sparedCarriageReturn);
    if (isJson) this.tellMessages(() => this.held.view().subarray(0, this.held.length - delimiter));
    if (this.parts > 0) this.writeLastPart(delimiter);
    else if (isJson) this.writeHeldJson(this.head(this.since, delimiter), this.held.length - delimiter);
    else this.writeOther(this.head(this.since, delimiter), this.held.view(), delimiter);
    this.held.clear();
    this.told = 0;
    this.parts = 0;
  }

  private writeHeldJson(head: FrameHead, length: number): void {
    const whole = this.held.length;
    const { writer } = this.owner;
    const written =
      this.ready() &&
      (length < worthNoCopy
        ? writer.msg(head, this.held.view(), 0, length)
        : writer.msgInBlocks(head, () => this.held.takeBlocks(length), length));
    if (!written) this.lose(whole);
  }

  private tellMessages(line: () => Uint8Array): void {
    if (!this.scanner || this.scanner.messageCount === 0) return;
    this.owner.sawMessages(this.from, this.scanner.outlines, this.scanner.messageCount, line);
  }

  /** A line that is not JSON. */
  private writeOther(head: FrameHead, line: Uint8Array, delimiter: number): void {
    const body = line.subarray(0, line.length - delimiter);
    const length = escapedText(body);
    if (length !== undefined && length > longestRecordedLine) this.writeInParts(line, delimiter);
    else this.writePayload(head, body, length, line.length);
  }

  /** @param escaped How long the body becomes as text; nothing where it is no text. */
  private writePayload(head: FrameHead, body: Uint8Array, escaped: number | undefined, whole: number): void {
    const { writer } = this.owner;
    const written =
      this.ready() && (escaped === undefined ? writer.base64(head, body) : writer.text(head, body, escaped));
    if (!written) this.lose(whole);
  }

  /** What is held has become too long for one record: it is written, and all that follows as it passes. */
  private beginParts(): void {
    const blocks = this.held.takeBlocks(this.held.length);
    this.told = 0;
    for (const block of blocks) {
      for (let from = 0; from < block.length; from += partLength) {
        this.held.add(block, from, Math.min(from + partLength, block.length));
        this.writePart();
      }
      this.owner.staging.recycle(block);
    }
  }

  /** A whole line that escaping would make too long for one record. */
  private writeInParts(whole: Uint8Array, delimiter: number): void {
    const line = whole.slice();
    this.held.clear();
    for (let from = 0; from < line.length; from += partLength) {
      const to = Math.min(from + partLength, line.length);
      this.held.add(line, from, to);
      if (to < line.length - delimiter) this.writePart();
    }
    this.writeLastPart(delimiter);
    this.held.clear();
    this.parts = 0;
  }

  /** Writes what is held as one part; half a character waits for its other half. */
  private writePart(): void {
    const bytes = this.held.view();
    const to = lastWholeCharacter(bytes, 0, bytes.length);
    if (to === 0) return;
    const body = bytes.subarray(0, to);
    const extra = `,"part":${++this.parts}`;
    this.writePayload(this.head(this.since, 1, extra), body, escapedText(body), to);
    this.held.keepFrom(to);
  }

  private writeLastPart(delimiter: number): void {
    const bytes = this.held.view();
    const body = bytes.subarray(0, bytes.length - delimiter);
    const extra = `,"part":${++this.parts},"last":true`;
    this.writePayload(this.head(this.since, delimiter, extra), body, escapedText(body), bytes.length);
  }

  private head(since: number, delimiter: number, extra = ''): FrameHead {
    const eol = delimiter === 1 ? '' : delimiter === 2 ? ',"eol":"\\r\\n"' : ',"eol":""';
    return { from: this.from, at: this.at, since, extra: eol + extra };
  }

  private tellHeld(): void {
    if (!this.owner.staging.hasRecovered || !this.ready()) return;
    const bytes = this.held.view().subarray(this.told);
    const head = this.head(this.since, 1, `,"held":${this.told}`);
    this.told = this.held.length;
    // Nothing is lost where this finds no room: the whole line follows.
    const escaped = escapedText(bytes);
    if (escaped === undefined) this.owner.writer.base64(head, bytes);
    else this.owner.writer.text(head, bytes, escaped);
  }

  private ready(): boolean {
    return this.owner.readyToWrite(this.from, this.at);
  }

  private lose(bytes: number): void {
    this.owner.lose(this.from, bytes);
  }
}

const crByte = Uint8Array.of(carriageReturn);

/** How long the bytes become as text; nothing where they are none. */
function escapedText(bytes: Uint8Array): number | undefined {
  return isUtf8(bytes) ? escapedLength(bytes) : undefined;
}

function isUtf8(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] as number) >= 0x80) return readUtf8(bytes) !== undefined;
  }
  return true;
}
