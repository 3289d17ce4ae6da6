import type { JsonScanner, Outline } from '../wire/json-scanner.ts';
import { lastWholeCharacter } from '../wire/utf8.ts';
import { escapedLength, escapedTextLength, longestEscape } from './escape.ts';
import { longestRecordedLine } from './format.ts';
import { HeldLine } from './held-line.ts';
import type { FrameHead, RecordWriter } from './record-writer.ts';
import type { Staging } from './staging.ts';

const carriageReturn = 0x0d;

/** From this length on an item that came in pieces is handed on in its blocks instead of being copied. */
const worthNoCopy = 64 * 1024;

/** About how long the parts are that a longer item is written in: several fit into a block of the staging, escaped or not. */
const partLength = 60 * 1024;

/** An item that stands still for so long is written as far as it came. Milliseconds. */
export const stillFor = 40;

/** Of a piece of an item nothing is said of its delimiter. */
const unsaid = -1;

/** What the recorder of a stream tells of and asks for. */
export interface ItemOwner {
  readonly writer: RecordWriter;
  readonly staging: Staging;
  /** Called before each record; false where what was lost before could not be told yet. */
  readyToWrite(at: number): boolean;
  lose(bytes: number): void;
  /** An item with JSON-RPC messages in it; `item` gives its bytes. */
  sawMessages(outlines: readonly Outline[], count: number, item: () => Uint8Array): void;
}

/** How the items of a stream stand in their records. */
export interface ItemForm {
  /** What their records say of where they come from: `,"c":1,"from":"client"`. */
  readonly origin: Uint8Array;
  /** What they say of a delimiter of so many bytes: `,"eol":""`; nothing where it need not be said. */
  eol(delimiter: number): string;
  /** There may be thousands of such streams at once. */
  readonly isOneOfMany?: boolean;
  /** Nothing of an item is written before it is whole, or as long as a part. */
  readonly isHeldBack?: boolean;
  /** What stands before everything else in each of their records: `,"sse":""`. */
  readonly before?: string;
  /**
   * What stands in the record instead, and what else it says, where that is not simply what passed.
   *
   * @param part which part of an item it is; nothing for a whole one
   */
  stand?(
    body: Uint8Array,
    isJson: boolean,
    part?: number,
  ): { bytes: Uint8Array; extra: string; isJson: boolean } | undefined;
  /** Reads them as JSON; none where they are never written as `msg`. */
  readonly scanner: JsonScanner | undefined;
}

/** Makes records of the items of one stream: a record an item, and parts of an item that is too long for one. */
export class ItemRecorder {
  private readonly owner: ItemOwner;
  private readonly form: ItemForm;
  private readonly held: HeldLine;
  private since = 0;
  private lastByteAt = 0;
  /** Bytes of the held item that `held` records say already. */
  private told = 0;
  /** How long the held item becomes as text, once that matters. */
  private escaped: number | undefined;
  /** Parts of the item at hand that are written; 0 where it is not written in parts. */
  private parts = 0;
  /** The scanner has not been shown the carriage return that the held bytes end with: it may be half of the delimiter. */
  private sparedCarriageReturn = false;
  private at = 0;

  constructor(owner: ItemOwner, form: ItemForm) {
    this.owner = owner;
    this.form = form;
    this.held = new HeldLine(owner.staging, form.isOneOfMany);
  }

  /** Bytes that no record holds yet, since their item goes on. */
  get pending(): number {
    return this.held.length;
  }

  /** An item has begun and not ended. */
  get isOpen(): boolean {
    return this.held.length > 0 || this.parts > 0;
  }

  /** Time has passed: writes what has stood still; true where something still waits to be. */
  settle(at: number): boolean {
    if (this.held.length === 0 || (this.parts === 0 && this.told === this.held.length)) return false;
    if (at - this.lastByteAt < stillFor) return true;
    this.at = this.lastByteAt;
    if (this.parts === 0) return !this.tellHeld();
    this.writePart();
    return false;
  }

  /** A `held` record says already what is held. */
  heldIsTold(): void {
    this.told = this.held.length;
  }

  /** A whole item that lies in one chunk, with a delimiter of so many bytes at its end. */
  whole(bytes: Uint8Array, from: number, to: number, delimiter: number, at: number): void {
    this.at = at;
    const end = to - delimiter;
    const head = this.head(at, delimiter);
    if (!this.isJson(bytes, from, end)) this.writeWhole(head, bytes.slice(from, to), delimiter, false);
    else {
      this.tellMessages(() => bytes.slice(from, end));
      if (this.form.stand) this.writeWhole(head, bytes.slice(from, to), delimiter, true);
      else if (!this.ready() || !this.owner.writer.msg(head, bytes, from, end)) this.lose(to - from);
    }
  }

  private isJson(bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.form.scanner) return false;
    this.form.scanner.reset();
    this.form.scanner.feed(bytes, from, to);
    return this.form.scanner.end();
  }

  /**
   * A piece of an item that does not lie in one chunk.
   *
   * @param ends it is the last one, and its newline stands at its end
   */
  add(bytes: Uint8Array, from: number, to: number, ends: boolean, at: number): void {
    this.at = at;
    this.lastByteAt = at;
    if (!this.isOpen) {
      this.since = this.at;
      this.sparedCarriageReturn = false;
      this.escaped = undefined;
      this.form.scanner?.reset();
    }
    this.scanHeld(bytes, from, ends ? to - 1 : to);
    const body = this.held.length + (to - from) - (ends ? 1 : 0) - (this.sparedCarriageReturn ? 1 : 0);
    if (this.parts === 0 && (body > longestRecordedLine || this.escapesTooLong(bytes, from, to))) this.beginParts();
    this.held.add(bytes, from, to);
    if (ends) this.endHeld(this.held.byteFromEnd(1) === carriageReturn ? 2 : 1);
    else if (this.parts > 0 && this.held.length >= partLength) this.writePart();
  }

  /** The stream is over: what is held was its last item, without a delimiter. */
  end(): void {
    if (!this.isOpen) return;
    this.at = this.lastByteAt;
    this.endHeld(0);
  }

  /** It is no JSON, and its escapes make it too long for one record. */
  private escapesTooLong(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.form.scanner?.isBroken === false || this.held.length < longestRecordedLine / longestEscape) return false;
    this.escaped ??= escapedLength(this.held.view());
    this.escaped += escapedLength(bytes.subarray(from, to));
    return this.escaped > longestRecordedLine;
  }

  private scanHeld(bytes: Uint8Array, from: number, to: number): void {
    if (!this.form.scanner || from === to) return;
    if (this.sparedCarriageReturn) this.form.scanner.feed(crByte, 0, 1);
    this.sparedCarriageReturn = bytes[to - 1] === carriageReturn;
    this.form.scanner.feed(bytes, from, this.sparedCarriageReturn ? to - 1 : to);
  }

  /** @param delimiter How many of the held bytes are the delimiter. */
  private endHeld(delimiter: number): void {
    const isJson = this.form.scanner?.end() === true && !(delimiter === 0 && this.sparedCarriageReturn);
    if (isJson) this.tellMessages(() => this.held.view().subarray(0, this.held.length - delimiter));
    if (this.parts > 0) this.writeLastPart(delimiter);
    else if (isJson && !this.form.stand)
      this.writeHeldJson(this.head(this.since, delimiter), this.held.length - delimiter);
    else this.writeWhole(this.head(this.since, delimiter), this.held.view(), delimiter, isJson);
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
    if (!this.form.scanner || this.form.scanner.messageCount === 0) return;
    this.owner.sawMessages(this.form.scanner.outlines, this.form.scanner.messageCount, line);
  }

  /** An item that is not JSON, or of which something else may stand in its record. */
  private writeWhole(head: FrameHead, item: Uint8Array, delimiter: number, isJson: boolean): void {
    const body = item.subarray(0, item.length - delimiter);
    const asText = isJson ? undefined : escapedTextLength(body);
    if (asText !== undefined && asText > longestRecordedLine) {
      this.writeInParts(item, delimiter);
      return;
    }
    const stand = this.form.stand?.(body, isJson) ?? { bytes: body, extra: '', isJson };
    const standing = { ...head, extra: head.extra + stand.extra };
    const { length } = stand.bytes;
    if (stand.isJson) {
      if (!this.ready() || !this.owner.writer.msg(standing, stand.bytes, 0, length)) this.lose(length + delimiter);
      return;
    }
    const escaped = stand.bytes === body ? asText : undefined;
    this.writePayload(standing, stand.bytes, escaped ?? escapedTextLength(stand.bytes), length + delimiter);
  }

  /**
   * @param escaped How long the body becomes as text; nothing where it is no text.
   * @param whole How long it is with its delimiter.
   */
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
    this.writePartOf(bytes.subarray(0, to), unsaid, '', to);
    this.held.keepFrom(to);
  }

  private writeLastPart(delimiter: number): void {
    const bytes = this.held.view();
    this.writePartOf(bytes.subarray(0, bytes.length - delimiter), delimiter, ',"last":true', bytes.length);
  }

  private writePartOf(part: Uint8Array, delimiter: number, last: string, whole: number): void {
    const number = ++this.parts;
    const stand = this.form.stand?.(part, false, number) ?? { bytes: part, extra: '' };
    const head = this.head(this.since, delimiter, `,"part":${number}${last}${stand.extra}`);
    this.writePayload(head, stand.bytes, escapedTextLength(stand.bytes), whole - part.length + stand.bytes.length);
  }

  private head(since: number, delimiter: number, extra = ''): FrameHead {
    const eol = delimiter === unsaid ? '' : this.form.eol(delimiter);
    return { origin: this.form.origin, at: this.at, since, extra: (this.form.before ?? '') + eol + extra };
  }

  /** False where there is no room for that now. */
  private tellHeld(): boolean {
    if (this.form.isHeldBack) return true;
    if (!this.owner.staging.hasRecovered || !this.ready()) return false;
    const bytes = this.held.view().subarray(this.told);
    const head = this.head(this.since, unsaid, `,"held":${this.told}`);
    this.told = this.held.length;
    // Nothing is lost where this finds no room: the whole line follows.
    this.owner.writer.textOrBase64(head, bytes);
    return true;
  }

  private ready(): boolean {
    return this.owner.readyToWrite(this.at);
  }

  private lose(bytes: number): void {
    this.owner.lose(bytes);
  }
}

const crByte = Uint8Array.of(carriageReturn);
