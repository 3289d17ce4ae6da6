import type { Machine } from '../machine.ts';
import { joinBytes } from './line-framer.ts';
import { showUtf8, writeUtf8 } from './utf8.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * Cuts bytes into lines that end in LF, CR or CRLF (HTML, 9.2.5). `tell` learns where each begins, where its text ends
 * and where the next begins; the last two are the same for a line that has no end within these bytes.
 */
function eachLine(bytes: Uint8Array, start: number, tell: (from: number, to: number, next: number) => void): void {
  // The next of each kind is kept until it is passed, so that bytes without one of them are searched only once.
  let feed = -1;
  let carriage = -1;
  const find = (byte: number, from: number) => {
    const at = bytes.indexOf(byte, from);
    return at < 0 ? bytes.length : at;
  };
  let from = start;
  while (from < bytes.length) {
    if (feed < from) feed = find(lineFeed, from);
    if (carriage < from) carriage = find(carriageReturn, from);
    const to = Math.min(feed, carriage);
    const next = Math.min(to === carriage && feed === to + 1 ? to + 2 : to + 1, bytes.length);
    tell(from, to, next);
    from = next;
  }
}

/**
 * Bytes of an event stream cut anywhere in; whole events out, each with all its bytes from the end of the one before up
 * to and with its blank line; at the end, the event that has none. What comes out, joined, is what went in. A blank line
 * that ends nothing is a piece of its own, and so are comments, or an event without data, up to their blank line. A
 * byte-order mark is part of the first piece. Pieces may be views of the chunks, which must not change afterwards.
 *
 * A CR at the end of a chunk may be a line end or half of one. It counts as one at once, so that an event never waits
 * for a byte that may not come. A LF that then opens the next chunk is the other half: it ends no line, and stands as
 * the first byte of the next piece (or is the last piece), where a reader takes it for a blank line that means nothing.
 */
export class SseFramer implements Machine<Uint8Array, Uint8Array> {
  private parts: Uint8Array[] = [];
  private size = 0;
  private lineIsBlank = true;
  private endedInCarriageReturn = false;
  /** How many bytes of a byte-order mark have opened the stream; 3 also when it is known that there is none. */
  private marked = 0;

  /** How many bytes are held: those of the event that has not ended, less what was taken. */
  get held(): number {
    return this.size;
  }

  feed(chunk: Uint8Array): Uint8Array[] {
    if (chunk.length === 0) return [];
    const pieces: Uint8Array[] = [];
    let start = 0;
    eachLine(chunk, this.passOpening(chunk), (from, to, next) => {
      if (to > from) this.lineIsBlank = false;
      if (next === to) return;
      if (this.lineIsBlank) {
        this.hold(chunk, start, next);
        pieces.push(this.takeHeld());
        start = next;
      }
      this.lineIsBlank = true;
    });
    this.hold(chunk, start, chunk.length);
    this.endedInCarriageReturn = chunk.at(-1) === carriageReturn;
    return pieces;
  }

  end(): Uint8Array[] {
    return this.size > 0 ? [this.takeHeld()] : [];
  }

  /** Hands out what is held; the event goes on, and the piece that ends it has only what comes from here on. */
  takeHeld(): Uint8Array {
    const bytes = joinBytes(this.parts);
    this.parts = [];
    this.size = 0;
    return bytes;
  }

  private hold(chunk: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    this.parts.push(chunk.subarray(from, to));
    this.size += to - from;
  }

  /** @returns how many of the chunk's first bytes are no part of a line: of a byte-order mark, or of a CRLF cut in two */
  private passOpening(chunk: Uint8Array): number {
    if (this.endedInCarriageReturn && chunk[0] === lineFeed) return 1;
    let at = 0;
    for (; this.marked < 3 && at < chunk.length; at++) {
      if (chunk[at] !== byteOrderMark[this.marked]) {
        if (this.marked > 0) this.lineIsBlank = false;
        this.marked = 3;
        break;
      }
      this.marked++;
    }
    return at;
  }
}

/** What one event says. A field that is not there, or that a browser ignores, is left out. */
export interface SseEvent {
  /** Left out also where it is empty, which means the same. */
  event?: string;
  /** Empty where the event takes back the id that came before. */
  id?: string;
  /** Milliseconds. */
  retry?: number;
  /** All data lines, joined with LF. A browser hands on only an event that has some, be it an empty line. */
  data?: string;
  comments: string[];
  /** How many lines are fields, known or not: all but comments and blank lines. */
  fields: number;
}

/**
 * Reads the bytes of one event as a browser would (HTML, 9.2.6), comments too; blank lines mean nothing. An event that the
 * stream's end has cut off is read as far as it goes, though a browser drops it. `isFirst`: a byte-order mark may open it.
 */
export function readSseEvent(bytes: Uint8Array, isFirst = false): SseEvent {
  const read: SseEvent = { comments: [], fields: 0 };
  eachField(bytes, isFirst, (name, from, to) => {
    const value = showUtf8(bytes.subarray(from, to));
    if (name === '') {
      read.comments.push(value);
      return;
    }
    read.fields++;
    if (name === 'data') read.data = read.data === undefined ? value : `${read.data}\n${value}`;
    else if (name === 'event') read.event = value;
    else if (name === 'id' && !value.includes('\0')) read.id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) read.retry = Number(value);
  });
  if (read.event === '') delete read.event;
  return read;
}

/**
 * Where the value of an event's one data line stands: behind `data:` and at most one space, up to its line end. Nothing
 * where the event has no data line or more than one.
 */
export function soleDataLine(bytes: Uint8Array, isFirst = false): { from: number; to: number } | undefined {
  let count = 0;
  let found: { from: number; to: number } | undefined;
  eachField(bytes, isFirst, (name, from, to) => {
    if (name !== 'data') return;
    count++;
    found = { from, to };
  });
  return count === 1 ? found : undefined;
}

/** A line of an event that is not blank. */
export interface SseLine {
  /** Empty for a comment. */
  name: string;
  /** Where it begins, where its value does, where both end, and where the next line begins. */
  start: number;
  from: number;
  to: number;
  next: number;
}

/** The lines of an event that are not blank, in order. `isFirst`: a byte-order mark may open it. */
export function sseLines(bytes: Uint8Array, isFirst = false): SseLine[] {
  const lines: SseLine[] = [];
  eachField(bytes, isFirst, (name, from, to, start, next) => lines.push({ name, start, from, to, next }));
  return lines;
}

/** Tells of each line that is not blank its name, which is empty for a comment, and where its value and it stand. */
function eachField(
  bytes: Uint8Array,
  isFirst: boolean,
  tell: (name: string, from: number, to: number, start: number, next: number) => void,
): void {
  const isMarked = isFirst && byteOrderMark.every((byte, at) => bytes[at] === byte);
  eachLine(bytes, isMarked ? byteOrderMark.length : 0, (start, to, next) => {
    if (start === to) return;
    let end = start;
    while (end < to && bytes[end] !== colon) end++;
    const value = Math.min(end + 1, to);
    tell(nameOf(bytes, start, end), end < to && bytes[value] === space ? value + 1 : value, to, start, next);
  });
}

/** The names that nearly all fields have, and a comment's. */
const usualNames = ['data', 'event', 'id', 'retry', ''].map((name) => ({ name, bytes: writeUtf8(name) }));

/** The text from `from` to `to`: where it is a usual name, without making it. */
function nameOf(bytes: Uint8Array, from: number, to: number): string {
  const usual = usualNames.find((one) => one.bytes.length === to - from && isAt(bytes, from, one.bytes));
  return usual?.name ?? showUtf8(bytes.subarray(from, to));
}

function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}
