import { base64Length, writeBase64 } from '../wire/base64.ts';
import { writeUtf8, writeUtf8Into } from '../wire/utf8.ts';
import { escapedTextLength, longestEscape, writeEscaped } from './escape.ts';
import type { Staging } from './staging.ts';

/** Where a frame came from and when, as the head of its record says it. */
export interface FrameHead {
  /** The connection and the stream, as the record says them: `,"c":1,"from":"client"`. */
  origin: Uint8Array;
  /** Milliseconds since the start of the trace. */
  at: number;
  since: number;
  /** Written before the payload, with a comma in front: `,"eol":"\r\n"`, `,"part":1`. */
  extra: string;
}

/** Room for everything in a record but its payload and what else its head says. */
const roomForHead = 224;
const roomFor = ({ extra }: FrameHead): number => roomForHead + extra.length * 3;

const zero = 0x30;
const nine = 0x39;
const ascii = (text: string): Uint8Array => writeUtf8(text);
const numberMember = ascii('{"n":');
const atMember = ascii(',"at":');
const sinceMember = ascii(',"since":');
const msgMember = ascii(',"msg":');
const textMember = ascii(',"text":"');
const base64Member = ascii(',"b64":"');
const endOfValue = ascii('}\n');
const newline = ascii('\n');
const endOfString = ascii('"}\n');
const sseMember = ascii(',"sse":"');
const eolMember = ascii('","eol":"');
const quote = ascii('"');

/** Of a head that says where its record comes from in its `extra`. */
export const saidInExtra = new Uint8Array();

/**
 * Writes records, byte by byte and without building strings, behind one another into the staging. The
 * methods for frames say false, and have written nothing, where the staging has no room.
 */
export class RecordWriter {
  /** The next record's number, decimal, behind zeros. */
  private readonly digits = new Uint8Array(16).fill(zero);
  private firstDigit = 15;
  private readonly last = {
    at: -1,
    since: 0,
    origin: numberMember,
    extra: '',
    member: numberMember,
    bytes: new Uint8Array(roomForHead),
    length: 0,
  };
  private readonly staging: Staging;

  constructor(staging: Staging) {
    this.staging = staging;
    this.digits[this.firstDigit] = zero + 1;
  }

  /** A line that is one JSON value, as it came. */
  msg(head: FrameHead, bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.staging.makeRoom(roomFor(head) + to - from)) return false;
    this.writeHead(head, msgMember);
    this.staging.block.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.staging.length);
    this.staging.length += to - from;
    this.put(endOfValue);
    return true;
  }

  /** The same in blocks, which become the staging's own. */
  msgInBlocks(head: FrameHead, takeBlocks: () => readonly Uint8Array[], length: number): boolean {
    if (!this.staging.fits(roomFor(head) + length) || !this.staging.makeRoom(roomFor(head))) return false;
    this.writeHead(head, msgMember);
    for (const block of takeBlocks()) this.staging.append(block);
    this.put(endOfValue);
    return true;
  }

  /** An event whose one line of data is JSON, from `from` to `to`. What stands around it is valid UTF-8. */
  sse(head: FrameHead, event: Uint8Array, from: number, to: number): boolean {
    const around = from + event.length - to;
    if (!this.staging.makeRoom(roomFor(head) + around * longestEscape + to - from)) return false;
    this.writeNumberAndTime(head.at);
    this.put(head.origin);
    this.put(sseMember);
    this.putEscaped(event, 0, from);
    this.put(eolMember);
    this.putEscaped(event, to, event.length);
    this.put(quote);
    if (head.extra !== '') this.putText(head.extra);
    this.put(msgMember);
    this.staging.block.set(event.subarray(from, to), this.staging.length);
    this.staging.length += to - from;
    this.put(endOfValue);
    return true;
  }

  /** Valid UTF-8 that is no JSON, or stands on stderr. */
  text(head: FrameHead, bytes: Uint8Array, escapedLength: number): boolean {
    if (!this.staging.makeRoom(roomFor(head) + escapedLength)) return false;
    this.writeHead(head, textMember);
    // Where nothing has to be escaped, it is copied at a stroke.
    if (escapedLength === bytes.length) this.staging.block.set(bytes, this.staging.length);
    else writeEscaped(bytes, this.staging.block, this.staging.length);
    this.staging.length += escapedLength;
    this.put(endOfString);
    return true;
  }

  /** Whatever else passed. */
  base64(head: FrameHead, bytes: Uint8Array): boolean {
    if (!this.staging.makeRoom(roomFor(head) + base64Length(bytes.length))) return false;
    this.writeHead(head, base64Member);
    this.staging.length = writeBase64(bytes, 0, bytes.length, this.staging.block, this.staging.length);
    this.put(endOfString);
    return true;
  }

  /** As text where it is any, else as base64. */
  textOrBase64(head: FrameHead, bytes: Uint8Array): boolean {
    const escaped = escapedTextLength(bytes);
    return escaped === undefined ? this.base64(head, bytes) : this.text(head, bytes, escaped);
  }

  /** A record of another kind. It is small, and it is written whatever the budget says. */
  event(at: number, members: object, c = 1): void {
    this.line(at, `,"c":${c},${JSON.stringify(members).slice(1)}`);
  }

  /** The same, with all that stands behind its time written out: `,"c":1,"ended":"client"}`. */
  line(at: number, rest: string): void {
    this.staging.reserve(roomForHead + rest.length * 3);
    this.writeNumberAndTime(at);
    this.putText(rest);
    this.put(newline);
  }

  /** Leaves a number out: a reader sees that a record is missing here. */
  skip(): void {
    this.countOn();
  }

  /** Ends the line of a record of which only the beginning is kept. */
  endTorn(): void {
    this.staging.reserve(1);
    this.put(newline);
  }

  private writeHead(head: FrameHead, member: Uint8Array): void {
    this.put(numberMember);
    this.putNumber();
    const { last } = this;
    const isSame =
      head.at === last.at &&
      head.since === last.since &&
      head.origin === last.origin &&
      head.extra === last.extra &&
      member === last.member;
    if (isSame) this.put(last.bytes, last.length);
    else this.writeRest(head, member);
  }

  /** What follows the number in a head. Lines that passed together have it in common, so it is kept. */
  private writeRest(head: FrameHead, member: Uint8Array): void {
    const { block, length: from } = this.staging;
    this.put(atMember);
    this.putMilliseconds(head.at);
    if (head.since < head.at) {
      this.put(sinceMember);
      this.putMilliseconds(head.since);
    }
    this.put(head.origin);
    if (head.extra !== '') this.putText(head.extra);
    this.put(member);
    if (head.origin !== saidInExtra) this.keepRest(head, member, block, from, this.staging.length);
  }

  private keepRest(head: FrameHead, member: Uint8Array, block: Uint8Array, from: number, to: number): void {
    const { last } = this;
    // One that is long is made anew each time.
    last.at = to - from > last.bytes.length ? -1 : head.at;
    last.since = head.since;
    last.origin = head.origin;
    last.extra = head.extra;
    last.member = member;
    last.length = to - from;
    for (let at = from; at < to && last.at >= 0; at++) last.bytes[at - from] = block[at] as number;
  }

  private writeNumberAndTime(at: number): void {
    this.put(numberMember);
    this.putNumber();
    this.put(atMember);
    this.putMilliseconds(at);
  }

  private put(bytes: Uint8Array, length = bytes.length): void {
    const { block } = this.staging;
    let out = this.staging.length;
    for (let at = 0; at < length; at++) block[out++] = bytes[at] as number;
    this.staging.length = out;
  }

  private putEscaped(bytes: Uint8Array, from: number, to: number): void {
    this.staging.length = writeEscaped(bytes, this.staging.block, this.staging.length, from, to);
  }

  private putText(text: string): void {
    this.staging.length = writeUtf8Into(text, this.staging.block, this.staging.length);
  }

  private putMilliseconds(milliseconds: number): void {
    // Rounded, so that a time that was read is written as it stood.
    const all = Math.round(milliseconds * 1000);
    const whole = Math.floor(all / 1000);
    this.putDigits(whole);
    const thousandths = all - whole * 1000;
    const { block } = this.staging;
    let out = this.staging.length;
    block[out++] = 0x2e;
    block[out++] = 0x30 + Math.floor(thousandths / 100);
    block[out++] = 0x30 + (Math.floor(thousandths / 10) % 10);
    block[out++] = 0x30 + (thousandths % 10);
    this.staging.length = out;
  }

  private putDigits(value: number): void {
    const { block } = this.staging;
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    let out = this.staging.length + digits;
    this.staging.length = out;
    for (let rest = value; out > this.staging.length - digits; rest = Math.floor(rest / 10)) {
      block[--out] = 0x30 + (rest % 10);
    }
  }

  /** The number of the record at hand, and counts on: adding to digits is far cheaper than making them. */
  private putNumber(): void {
    const { digits } = this;
    const { block } = this.staging;
    let out = this.staging.length;
    for (let at = this.firstDigit; at < digits.length; at++) block[out++] = digits[at] as number;
    this.staging.length = out;
    this.countOn();
  }

  private countOn(): void {
    const { digits } = this;
    let at = digits.length - 1;
    for (; digits[at] === nine; at--) digits[at] = zero;
    digits[at]!++;
    this.firstDigit = Math.min(this.firstDigit, at);
  }
}
