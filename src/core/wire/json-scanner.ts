import { plain, PlainRun } from './plain-run.ts';

/** What a message says of itself at its outermost level. */
export interface Outline {
  hasMethod: boolean;
  /**
   * The id: a whole number of at most 15 digits as that number, any other as its JSON token (`"7"`,
   * `1.0`); none where it is missing, or longer than 256 bytes.
   */
  id: number | string | undefined;
  /** It has a `result` or an `error` member. */
  answers: boolean;
  /** It has an `error` member, or its result says `isError: true`. */
  failed: boolean;
  /** Its method is `notifications/cancelled`. */
  cancels: boolean;
}

/** Deepest nesting of arrays and objects that still counts as JSON here. */
export const deepestNesting = 200;

const quote = 0x22;
const longestToken = 256;
/** So many messages of a batch are told of; more are not. */
const mostMessages = 1000;

// What the scanner expects of the next byte.
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
const AFTER = 5;
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const CONTINUATION = 9;
const MINUS = 10;
const ZERO = 11;
const INTEGER = 12;
const POINT = 13;
const FRACTION = 14;
const EXPONENT = 15;
const EXPONENT_SIGN = 16;
const EXPONENT_DIGITS = 17;
const LITERAL = 18;
const BROKEN = 19;

// The members that an outline tells of.
const OTHER = 0;
const ID = 1;
const METHOD = 2;
const RESULT = 3;
const IS_ERROR = 4;

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const idName = ascii('id');
const methodName = ascii('method');
const resultName = ascii('result');
const errorName = ascii('error');
const isErrorName = ascii('isError');
const cancelledMethod = ascii('"notifications/cancelled"');
const literals = [ascii('true'), ascii('false'), ascii('null')] as const;
const [trueWord] = literals;

/**
 * Reads JSON as bytes, in pieces cut anywhere, without building it: says whether it is exactly one
 * value that `JSON.parse` takes (RFC 8259) with valid UTF-8, no carriage return between its tokens
 * and no more than 200 levels, and what the messages in it say of themselves. It is several times as
 * fast as `JSON.parse`, and holds nothing but a few hundred bytes.
 */
export class JsonScanner {
  /**
   * The messages found: one, or those of a batch, `messageCount` of them. To be read when `end` has
   * said true, and until the next `reset`: the objects are used again.
   */
  readonly outlines: Outline[] = [];
  messageCount = 0;

  private readonly run = new PlainRun();
  private mode = VALUE;
  private depth = 0;
  /** Per level, 1 for an object and 0 for an array. */
  private readonly levels = new Uint8Array(deepestNesting + 1);
  /** The level of the members of a message: 1, or 2 in a batch. */
  private messageLevel = 1;
  /** The deepest level whose members' names matter now: of a message, or of its result. */
  private deepestTold = 1;
  private outline: Outline = emptyOutline();
  private member = OTHER;
  private inKey = false;
  private hexLeft = 0;
  private continuationsLeft = 0;
  private lowest = 0x80;
  private highest = 0xbf;
  private literal: Uint8Array = trueWord;
  private literalAt = 0;
  /** Where the token being kept began in the piece at hand; -1 when none is. */
  private tokenFrom = -1;
  private readonly token = new Uint8Array(longestToken);
  private tokenLength = 0;

  reset(): void {
    this.messageCount = 0;
    this.mode = VALUE;
    this.depth = 0;
    this.messageLevel = 1;
    this.member = OTHER;
    this.deepestTold = 1;
    this.tokenFrom = -1;
    this.tokenLength = 0;
    this.beginOutline();
  }

  feed(bytes: Uint8Array, from: number, to: number): void {
    // The mode is kept in a variable, not a member: that alone halves the time.
    let mode = this.mode;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (mode === KEY || mode === KEY_OR_END) {
        if (byte === quote) {
          const end = this.readPlainKey(bytes, at, to);
          if (end === 0) mode = this.beginKey(at);
          else {
            at = end - 1;
            mode = COLON;
          }
        } else if (byte === 0x7d && mode === KEY_OR_END) mode = this.close();
        else if (!isSpace(byte)) mode = BROKEN;
      } else if (mode === COLON) {
        if (byte === 0x3a) mode = VALUE;
        else if (!isSpace(byte)) mode = BROKEN;
      } else if (mode === VALUE) {
        const end = this.readPlainValue(byte, bytes, at, to);
        if (end > 0) {
          at = end - 1;
          mode = AFTER;
        } else if (!isSpace(byte)) mode = this.beginValue(byte, at);
      } else if (mode === AFTER) {
        mode = byte === 0x2c && this.levels[this.depth] === 1 ? KEY : this.afterValue(byte);
      } else if (mode === STRING) {
        if (plain[byte] === 1) at = this.run.end(bytes, at + 1, to) - 1;
        else if (byte === quote) mode = this.endString(bytes, at);
        else if (byte !== 0x5c) mode = this.beginCharacter(byte);
        else if (at + 1 < to && escapeLetters[bytes[at + 1] as number] === 1) at++;
        else mode = ESCAPE;
      } else if (mode === BROKEN) break;
      else mode = this.rareStep(mode, byte, bytes, at);
    }
    this.mode = mode;
    if (this.tokenFrom >= 0) {
      this.keepToken(bytes, this.tokenFrom, to);
      this.tokenFrom = 0;
    }
  }

  /** It is no JSON, whatever follows. */
  get isBroken(): boolean {
    return this.mode === BROKEN;
  }

  /** The bytes are over: was it one whole value? */
  end(): boolean {
    if (this.depth !== 0) return false;
    return (
      this.mode === AFTER ||
      this.mode === ZERO ||
      this.mode === INTEGER ||
      this.mode === FRACTION ||
      this.mode === EXPONENT_DIGITS
    );
  }

  // Nearly all keys and values are plain and lie in one piece. These two read them at a stroke; what they do not take,
  // saying 0, is read byte by byte.

  /** @returns where the key ends that begins with the quote at `at`, or 0 */
  private readPlainKey(bytes: Uint8Array, at: number, to: number): number {
    const end = this.run.end(bytes, at + 1, to);
    if (end === to || bytes[end] !== quote) return 0;
    this.member = this.depth <= this.deepestTold ? this.namedMember(bytes, at + 1, end) : OTHER;
    return end + 1;
  }

  /** @returns where the string or whole number ends that begins with `byte` at `at`, or 0 */
  private readPlainValue(byte: number, bytes: Uint8Array, at: number, to: number): number {
    let end = at + 1;
    if (byte === quote) {
      end = this.run.end(bytes, end, to);
      if (end === to || bytes[end++] !== quote) return 0;
    } else if (byte >= 0x31 && byte <= 0x39) {
      while (end < to && (bytes[end] as number) >= 0x30 && (bytes[end] as number) <= 0x39) end++;
      if (end === to || (bytes[end] !== 0x2c && bytes[end] !== 0x7d)) return 0;
    } else return 0;
    if (this.depth === this.messageLevel && (this.member === ID || this.member === METHOD)) {
      this.inKey = false;
      this.useToken(bytes, at, end);
    }
    return end;
  }

  private rareStep(mode: number, byte: number, bytes: Uint8Array, at: number): number {
    switch (mode) {
      case VALUE_OR_END:
        if (byte === 0x5d) return this.close();
        return isSpace(byte) ? VALUE_OR_END : this.beginValue(byte, at);
      case ESCAPE:
        if (byte !== 0x75) return isEscapeLetter(byte) ? STRING : BROKEN;
        this.hexLeft = 4;
        return HEX;
      case HEX:
        if (!isHexDigit(byte)) return BROKEN;
        return --this.hexLeft === 0 ? STRING : HEX;
      case CONTINUATION:
        return this.continueCharacter(byte);
      case LITERAL:
        return this.readLiteral(byte);
      default:
        return this.readNumber(mode, byte, bytes, at);
    }
  }

  private beginValue(byte: number, at: number): number {
    if (this.depth === this.messageLevel && (this.member === ID || this.member === METHOD)) {
      this.tokenFrom = at;
      // Of a member that stands twice the last one counts, as it does for JSON.parse.
      if (this.member === ID) this.outline.id = undefined;
    }
    this.inKey = false;
    if (byte === 0x22) return STRING;
    if (byte === 0x7b || byte === 0x5b) return this.open(byte === 0x7b);
    if (byte >= 0x30 && byte <= 0x39) return byte === 0x30 ? ZERO : INTEGER;
    if (byte === 0x2d) return MINUS;
    const literal = literals.find((word) => word[0] === byte);
    if (!literal) return BROKEN;
    this.literal = literal;
    this.literalAt = 1;
    return LITERAL;
  }

  private open(object: boolean): number {
    this.dropToken();
    if (this.depth === deepestNesting) return BROKEN;
    if (this.depth === 0) this.messageLevel = this.deepestTold = object ? 1 : 2;
    else if (this.depth === this.messageLevel)
      this.deepestTold = this.depth + (this.member === RESULT && object ? 1 : 0);
    this.depth++;
    this.levels[this.depth] = object ? 1 : 0;
    this.member = OTHER;
    return object ? KEY_OR_END : VALUE_OR_END;
  }

  private close(): number {
    if (this.depth === this.messageLevel && this.levels[this.depth] === 1) {
      if (this.messageCount < mostMessages) this.messageCount++;
      this.beginOutline();
    }
    this.depth--;
    this.member = OTHER;
    return AFTER;
  }

  private afterValue(byte: number): number {
    if (isSpace(byte)) return AFTER;
    if (this.depth === 0) return BROKEN;
    const object = this.levels[this.depth] === 1;
    if (byte === 0x2c) return object ? KEY : VALUE;
    return byte === (object ? 0x7d : 0x5d) ? this.close() : BROKEN;
  }

  private beginKey(at: number): number {
    this.inKey = true;
    this.member = OTHER;
    if (this.depth <= this.deepestTold) this.tokenFrom = at + 1;
    return STRING;
  }

  private endString(bytes: Uint8Array, at: number): number {
    if (this.inKey) {
      if (this.tokenFrom >= 0) this.endToken(bytes, at);
      return COLON;
    }
    if (this.tokenFrom >= 0) this.endToken(bytes, at + 1);
    return AFTER;
  }

  /** The token that began at `tokenFrom` ends before `to`: a member's name, an id or a method. */
  private endToken(bytes: Uint8Array, to: number): void {
    const from = this.tokenFrom;
    if (this.tokenLength === 0) this.useToken(bytes, from, to);
    else {
      this.keepToken(bytes, from, to);
      this.useToken(this.token, 0, this.tokenLength);
    }
    this.dropToken();
  }

  private useToken(bytes: Uint8Array, from: number, to: number): void {
    if (this.inKey) this.member = this.namedMember(bytes, from, to);
    else if (this.member === METHOD) this.outline.cancels = isWord(bytes, from, to, cancelledMethod);
    else this.outline.id = to - from < longestToken ? readId(bytes, from, to) : undefined;
  }

  private namedMember(bytes: Uint8Array, from: number, to: number): number {
    if (this.depth !== this.messageLevel) return isWord(bytes, from, to, isErrorName) ? IS_ERROR : OTHER;
    switch (to - from) {
      case 2:
        return isWord(bytes, from, to, idName) ? ID : OTHER;
      case 5:
        if (isWord(bytes, from, to, errorName)) this.outline.answers = this.outline.failed = true;
        return OTHER;
      case 6:
        if (isWord(bytes, from, to, methodName)) {
          this.outline.hasMethod = true;
          return METHOD;
        }
        if (!isWord(bytes, from, to, resultName)) return OTHER;
        this.outline.answers = true;
        return RESULT;
      default:
        return OTHER;
    }
  }

  private beginOutline(): void {
    const outline = (this.outlines[this.messageCount] ??= emptyOutline());
    outline.hasMethod = outline.answers = outline.failed = outline.cancels = false;
    outline.id = undefined;
    this.outline = outline;
  }

  /** The first byte of a character that is not ASCII, or one that no string may hold. */
  private beginCharacter(byte: number): number {
    if (byte < 0xc2 || byte > 0xf4) return BROKEN;
    this.continuationsLeft = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // Neither longer than need be, nor half of a surrogate pair, nor beyond U+10FFFF (RFC 3629, section 4).
    this.lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    return CONTINUATION;
  }

  private continueCharacter(byte: number): number {
    if (byte < this.lowest || byte > this.highest) return BROKEN;
    this.lowest = 0x80;
    this.highest = 0xbf;
    return --this.continuationsLeft === 0 ? STRING : CONTINUATION;
  }

  private readLiteral(byte: number): number {
    if (byte !== this.literal[this.literalAt++]) return BROKEN;
    if (this.literalAt < this.literal.length) return LITERAL;
    if (this.member === IS_ERROR && this.literal === trueWord) this.outline.failed = true;
    this.dropToken();
    return AFTER;
  }

  private readNumber(mode: number, byte: number, bytes: Uint8Array, at: number): number {
    const next = afterNumberByte(mode, byte);
    if (next !== AFTER) return next;
    if (this.tokenFrom >= 0) this.endToken(bytes, at);
    return this.afterValue(byte);
  }

  private keepToken(bytes: Uint8Array, from: number, to: number): void {
    const kept = bytes.subarray(from, Math.min(to, from + longestToken - this.tokenLength));
    this.token.set(kept, this.tokenLength);
    this.tokenLength += kept.length;
  }

  private dropToken(): void {
    this.tokenFrom = -1;
    this.tokenLength = 0;
  }
}

const emptyOutline = (): Outline => ({
  hasMethod: false,
  id: undefined,
  answers: false,
  failed: false,
  cancels: false,
});

/** What follows one more byte of a number (RFC 8259, section 6); AFTER when the byte is not part of it. */
function afterNumberByte(mode: number, byte: number): number {
  const digit = byte >= 0x30 && byte <= 0x39;
  switch (mode) {
    case MINUS:
      return byte === 0x30 ? ZERO : digit ? INTEGER : BROKEN;
    case INTEGER:
      if (digit) return INTEGER;
      break;
    case ZERO:
      if (digit) return BROKEN;
      break;
    case POINT:
    case FRACTION:
      if (digit) return FRACTION;
      if (mode === POINT) return BROKEN;
      return isExponentLetter(byte) ? EXPONENT : AFTER;
    case EXPONENT:
      if (byte === 0x2b || byte === 0x2d) return EXPONENT_SIGN;
      return digit ? EXPONENT_DIGITS : BROKEN;
    case EXPONENT_SIGN:
      return digit ? EXPONENT_DIGITS : BROKEN;
    default:
      return digit ? EXPONENT_DIGITS : AFTER;
  }
  if (byte === 0x2e) return POINT;
  return isExponentLetter(byte) ? EXPONENT : AFTER;
}

// A carriage return is white space to JSON, but ends lines for too many readers to stand in a record.
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a;
const isExponentLetter = (byte: number): boolean => byte === 0x65 || byte === 0x45;
const isHexDigit = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
const escapeLetters = new Uint8Array(256);
for (const letter of ascii('"\\/bfnrt')) escapeLetters[letter] = 1;
const isEscapeLetter = (byte: number): boolean => escapeLetters[byte] === 1;

function isWord(bytes: Uint8Array, from: number, to: number, word: Uint8Array): boolean {
  if (to - from !== word.length) return false;
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}

const decoder = new TextDecoder();
function readId(bytes: Uint8Array, from: number, to: number): number | string {
  let whole = 0;
  let at = to - from <= 15 ? from : to;
  for (; at < to; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    whole = whole * 10 + digit;
  }
  const isWhole = at === to && to - from <= 15;
  return isWhole ? whole : decoder.decode(bytes.subarray(from, to));
}
