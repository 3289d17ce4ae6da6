import { readBase64 } from '../wire/base64.ts';
import { JsonScanner } from '../wire/json-scanner.ts';
import { readUtf8, writeUtf8 } from '../wire/utf8.ts';
import type { FrameEvent, HeldEvent, StreamName } from './format.ts';

/**
 * Reads a record of bytes that stands as the recorder writes it, without parsing what passed: several times as
 * fast as `JSON.parse`. Nothing where it stands in any other way, or is no such record.
 */
export const readWrittenFrame = (line: Uint8Array): FrameEvent | HeldEvent | undefined => readFrame(line, isJson);

/**
 * The same for one who holds the bytes against their sums, and by that alone sees whether they are right: does
 * not look whether a message is JSON.
 */
export const readUnprovenFrame = (line: Uint8Array): FrameEvent | HeldEvent | undefined => readFrame(line, () => true);

type IsMessage = (line: Uint8Array, from: number, to: number) => boolean;

function readFrame(line: Uint8Array, isMessage: IsMessage): FrameEvent | HeldEvent | undefined {
  const head = new HeadReader(line);
  if (!head.read()) return undefined;
  const { n, at, c, from, held } = head;
  if (held >= 0) {
    const bytes = payload(line, head, '', isMessage);
    return bytes && { kind: 'held', n, at, c, from, offset: held, bytes };
  }
  const eol = head.eol ?? (head.part > 0 && !head.last ? '' : '\n');
  const bytes = payload(line, head, eol, isMessage);
  if (!bytes) return undefined;
  const event: FrameEvent = { kind: 'frame', n, at, c, from, bytes, eol, form: head.form };
  if (head.since >= 0) event.since = head.since;
  if (head.part > 0) event.part = head.part;
  if (head.last) event.last = true;
  return event;
}

const scanner = new JsonScanner();
const backslash = 0x5c;
const closingBrace = 0x7d;
const quote = 0x22;

/** The bytes that the value from here to the end of the record stands for, and the delimiter after them. */
function payload(line: Uint8Array, head: HeadReader, eol: string, isMessage: IsMessage): Uint8Array | undefined {
  const { form, position: from } = head;
  const to = line.length - 1;
  if (line[to] !== closingBrace) return undefined;
  if (form === 'msg') return isMessage(line, from, to) ? withDelimiter(line, from, to, eol) : undefined;
  if (form === 'b64') {
    if (line[from] !== quote || line[to - 1] !== quote) return undefined;
    const bytes = readBase64(line, from + 1, to - 1);
    return bytes && withDelimiter(bytes, 0, bytes.length, eol);
  }
  if (!isJson(line, from, to) || line[from] !== quote || line[to - 1] !== quote) return undefined;
  const escape = line.indexOf(backslash, from);
  if (escape < 0 || escape >= to) return withDelimiter(line, from + 1, to - 1, eol);
  const bytes = writeUtf8(JSON.parse(readUtf8(line.subarray(from, to)) as string) as string);
  return withDelimiter(bytes, 0, bytes.length, eol);
}

function isJson(line: Uint8Array, from: number, to: number): boolean {
  scanner.reset();
  scanner.feed(line, from, to);
  return scanner.end();
}

/** A copy: the line may lie in an array that is used again. */
function withDelimiter(bytes: Uint8Array, from: number, to: number, eol: string): Uint8Array {
  const whole = newArray(to - from + eol.length);
  whole.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
  for (let at = 0; at < eol.length; at++) whole[to - from + at] = eol.charCodeAt(at);
  return whole;
}

const poolSize = 16 * 1024;
let pool = new Uint8Array(poolSize);
let poolUsed = 0;

/** Short arrays share their memory, as Node's buffers do: one of its own costs more than what is done with it. */
function newArray(length: number): Uint8Array {
  if (length > poolSize / 8) return new Uint8Array(length);
  if (poolUsed + length > poolSize) {
    pool = new Uint8Array(poolSize);
    poolUsed = 0;
  }
  poolUsed += length;
  return pool.subarray(poolUsed - length, poolUsed);
}

const ascii = (text: string): Uint8Array => writeUtf8(text);
const streams = (['client', 'server', 'stderr'] as const).map((from) => ({ from, word: ascii(`"${from}"`) }));
const words = {
  n: ascii('{"n":'),
  at: ascii(',"at":'),
  since: ascii(',"since":'),
  c: ascii(',"c":'),
  from: ascii(',"from":'),
  crlf: ascii(',"eol":"\\r\\n"'),
  none: ascii(',"eol":""'),
  part: ascii(',"part":'),
  last: ascii(',"last":true'),
  held: ascii(',"held":'),
  msg: ascii(',"msg":'),
  text: ascii(',"text":'),
  b64: ascii(',"b64":'),
};

/** Reads what stands before the payload, member by member in the order in which they are written. */
class HeadReader {
  position = 0;
  n = 0;
  at = 0;
  /** -1 where it is not said, as with `held`; `part` is 0 then. */
  since = -1;
  c = 0;
  from: StreamName = 'client';
  eol: string | undefined;
  part = 0;
  last = false;
  held = -1;
  form: FrameEvent['form'] = 'msg';
  private readonly line: Uint8Array;

  constructor(line: Uint8Array) {
    this.line = line;
  }

  /** False where it does not stand so. */
  read(): boolean {
    if (!this.skip(words.n) || (this.n = this.digits()) < 0) return false;
    if (!this.skip(words.at) || (this.at = this.milliseconds()) < 0) return false;
    if (this.skip(words.since) && (this.since = this.milliseconds()) < 0) return false;
    if (!this.skip(words.c) || (this.c = this.digits()) < 0) return false;
    if (!this.skip(words.from) || !this.readStream()) return false;
    if (this.skip(words.crlf)) this.eol = '\r\n';
    else if (this.skip(words.none)) this.eol = '';
    if (this.skip(words.part)) {
      if ((this.part = this.digits()) < 1) return false;
      this.last = this.skip(words.last);
    } else if (this.skip(words.held) && (this.held = this.digits()) < 0) return false;
    return this.readForm();
  }

  private readStream(): boolean {
    for (const { from, word } of streams) {
      if (!this.skip(word)) continue;
      this.from = from;
      return true;
    }
    return false;
  }

  private readForm(): boolean {
    if (this.skip(words.msg)) this.form = 'msg';
    else if (this.skip(words.text)) this.form = 'text';
    else if (this.skip(words.b64)) this.form = 'b64';
    else return false;
    return true;
  }

  private skip(word: Uint8Array): boolean {
    const { line, position } = this;
    for (let at = 0; at < word.length; at++) if (line[position + at] !== word[at]) return false;
    this.position = position + word.length;
    return true;
  }

  /** A whole number as JSON has it; -1 where there is none, or one too large to be told exactly. */
  private digits(): number {
    const from = this.position;
    let value = 0;
    for (let digit = this.digit(); digit >= 0; digit = this.digit()) {
      value = value * 10 + digit;
      this.position++;
    }
    const length = this.position - from;
    return length === 0 || length > 12 || (length > 1 && this.line[from] === 0x30) ? -1 : value;
  }

  /** Digits, a point and three digits; -1 where it does not stand so. */
  private milliseconds(): number {
    const whole = this.digits();
    if (whole < 0 || this.line[this.position] !== 0x2e) return -1;
    this.position++;
    let thousandths = 0;
    for (let count = 0; count < 3; count++, this.position++) {
      const digit = this.digit();
      if (digit < 0) return -1;
      thousandths = thousandths * 10 + digit;
    }
    // One division rounds as reading the decimal number does; a sum of two would not.
    return (whole * 1000 + thousandths) / 1000;
  }

  /** The value of the digit at hand; -1 where there is none. */
  private digit(): number {
    const value = (this.line[this.position] ?? 0) - 0x30;
    return value >= 0 && value <= 9 ? value : -1;
  }
}
