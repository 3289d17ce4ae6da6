import type { Machine } from '../machine.ts';
import { isNamed } from './http-headers.ts';
import { readLatin1 } from './latin1.ts';
import { SectionReader } from './section-reader.ts';

/** The head of a response. `lines` are its header lines, in order and as spelled, without the white space around values. */
export interface ResponseHead {
  version: string;
  status: number;
  reason: string;
  lines: readonly (readonly [name: string, value: string])[];
}

/** What is found in the bytes of a response, in order. */
export type ResponsePiece =
  /** 1xx: another head follows. */
  | { kind: 'information'; head: ResponseHead }
  | { kind: 'head'; head: ResponseHead }
  /** Bytes of the body, without what frames them. */
  | { kind: 'body'; bytes: Uint8Array }
  | { kind: 'trailers'; lines: ResponseHead['lines'] }
  /** The response is whole. */
  | { kind: 'end' }
  /** It is no HTTP, or not whole: nothing follows. `begins` is what cannot be read. */
  | { kind: 'fault'; why: string; begins: Uint8Array }
  /** Bytes behind the response that nobody asked for: nothing follows. */
  | { kind: 'stray'; bytes: Uint8Array };

/** `size` and `chunk-end` are the line before a chunk and the end of it. */
type State = 'nothing' | 'head' | 'length' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'over';

const newline = 0x0a;
/** All that HTTP/1 answers begins with it. */
const protocol = 'HTTP/1.';
const token = /^[!#$%&'*+.^_`|~\w-]+$/;
// oxlint-disable-next-line no-control-regex -- what no head may hold (RFC 9110, section 5.5), and a CR that ends no line
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;
const statusLine = /^HTTP\/(1\.\d) (\d{3})(?: (.*))?$/;
const sizeLine = /^([\da-f]{1,13})[\t ]*(?:;.*)?$/i;

/**
 * Cuts the bytes that come from a server on one connection into responses (RFC 9112). It is as strict as a proxy has
 * to be: a response whose length could be told in two ways is none.
 */
export class HttpResponseFramer implements Machine<Uint8Array, ResponsePiece> {
  private state: State = 'nothing';
  private method = '';
  /** Bytes that are still to come of the body or of the chunk at hand. */
  private left = 0;
  private staysOpen = false;
  /** Bytes of a head that goes on, as far as they were found to be right. */
  private looked = 0;
  private readonly section: SectionReader;

  /** @param longest of a head, or of trailers. Bytes. */
  constructor(longest: number) {
    this.section = new SectionReader(longest);
  }

  /** A request was sent: its response is to come. */
  expect(method: string): void {
    this.method = method;
    this.state = 'head';
    this.staysOpen = false;
  }

  /** The response is over, and the server keeps the connection for another. */
  get canBeUsedAgain(): boolean {
    return this.state === 'nothing' && this.staysOpen;
  }

  feed(bytes: Uint8Array): ResponsePiece[] {
    const pieces: ResponsePiece[] = [];
    let at = 0;
    while (at < bytes.length && this.state !== 'over') at = this.step(bytes, at, pieces);
    return pieces;
  }

  /** The server has closed the connection. */
  end(): ResponsePiece[] {
    const { state } = this;
    this.state = 'over';
    if (state === 'nothing' || state === 'over') return [];
    if (state === 'until-close') return [{ kind: 'end' }];
    return [{ kind: 'fault', why: 'it ends too early', begins: this.section.begun }];
  }

  /** @returns up to where the bytes were read */
  private step(bytes: Uint8Array, at: number, pieces: ResponsePiece[]): number {
    switch (this.state) {
      case 'nothing':
        this.state = 'over';
        pieces.push({ kind: 'stray', bytes: bytes.subarray(at) });
        return bytes.length;
      case 'until-close':
        pieces.push({ kind: 'body', bytes: at === 0 ? bytes : bytes.subarray(at) });
        return bytes.length;
      case 'length':
      case 'chunk':
        return this.takeBody(bytes, at, pieces);
      case 'head':
        return this.takeHead(bytes, at, pieces);
      case 'trailers':
        return this.takeTrailers(bytes, at, pieces);
      default:
        return this.takeLine(bytes, at, pieces);
    }
  }

  private takeBody(bytes: Uint8Array, from: number, pieces: ResponsePiece[]): number {
    const to = Math.min(bytes.length, from + this.left);
    pieces.push({ kind: 'body', bytes: from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to) });
    this.left -= to - from;
    if (this.left > 0) return to;
    if (this.state === 'length') this.whole(pieces);
    else this.state = 'chunk-end';
    return to;
  }

  private takeHead(bytes: Uint8Array, at: number, pieces: ResponsePiece[]): number {
    const { section } = this;
    if (section.isEmpty) this.looked = 0;
    const from = section.isEmpty ? behindLineEnds(bytes, at) : at;
    const to = section.section(bytes, from);
    this.look('its head', pieces, (text) => this.headHasCome(linesOf(text), pieces));
    if (this.state === 'head' && !section.isEmpty) this.lookAhead(pieces);
    return to;
  }

  /** Whether what has come of a head can become one: who speaks something else may never say what ends a head. */
  private lookAhead(pieces: ResponsePiece[]): void {
    const { begun } = this.section;
    const isFirst = this.looked === 0;
    if (isFirst && !protocol.startsWith(readLatin1(begun.subarray(0, protocol.length)))) {
      this.fault('no status line', begun, pieces);
      return;
    }
    const to = begun.lastIndexOf(newline) + 1;
    if (to <= this.looked) return;
    const lines = linesOf(readLatin1(begun.subarray(this.looked, to)));
    this.looked = to;
    const [first = ''] = lines;
    const isWrong = isFirst && !statusLine.test(first);
    const why = isWrong ? wrongStatusLine(first) : wrongField(lines.slice(isFirst ? 1 : 0));
    if (why !== undefined) this.fault(why, begun, pieces);
  }

  private takeTrailers(bytes: Uint8Array, at: number, pieces: ResponsePiece[]): number {
    const to = this.section.section(bytes, at);
    this.look('what follows its body', pieces, (text) => this.trailersHaveCome(linesOf(text), pieces));
    return to;
  }

  /** The line before a chunk, and the end of the line behind it. */
  private takeLine(bytes: Uint8Array, at: number, pieces: ResponsePiece[]): number {
    const to = this.section.line(bytes, at);
    const isEnd = this.state === 'chunk-end';
    this.look('the line before a chunk', pieces, (text) => (isEnd ? this.chunkHasEnded(text) : this.sizeHasCome(text)));
    return to;
  }

  /** @param take is given what was collected once it is whole, and says what is wrong with it */
  private look(what: string, pieces: ResponsePiece[], take: (text: string) => string | undefined): void {
    const { text, bytes, begun, isTooLong } = this.section;
    if (isTooLong) this.fault(`${what} is too long`, begun, pieces);
    if (isTooLong || text === undefined) return;
    const why = forbidden.test(text) ? `control characters in ${what}` : take(text);
    if (why !== undefined) this.fault(why, bytes, pieces);
  }

  private chunkHasEnded(text: string): string | undefined {
    if (text !== '') return 'a chunk is longer than it says';
    this.state = 'size';
    return undefined;
  }

  private sizeHasCome(text: string): string | undefined {
    const size = sizeLine.exec(text)?.[1];
    if (size === undefined) return 'a chunk without a size';
    this.left = Number.parseInt(size, 16);
    this.state = this.left === 0 ? 'trailers' : 'chunk';
    return undefined;
  }

  private headHasCome(lines: readonly string[], pieces: ResponsePiece[]): string | undefined {
    const [, version = '', status = '', reason = ''] = statusLine.exec(lines[0] ?? '') ?? [];
    if (version === '') return wrongStatusLine(lines[0] ?? '');
    const fields = readFields(lines, 1);
    if (typeof fields === 'string') return fields;
    const head = { version, status: Number(status), reason, lines: fields };
    if (head.status === 101) return 'it changes the protocol, which nobody asked for';
    if (head.status < 200) {
      pieces.push({ kind: 'information', head });
      return undefined;
    }
    const framing = readFraming(head);
    if (typeof framing === 'string') return framing;
    pieces.push({ kind: 'head', head });
    this.beginBody(head.status, framing, pieces);
    return undefined;
  }

  /** How the length of a body is told (RFC 9112, section 6.3). */
  private beginBody(
    status: number,
    { length, isChunked, isEndless, staysOpen }: Framing,
    pieces: ResponsePiece[],
  ): void {
    this.staysOpen = staysOpen;
    if (this.method === 'HEAD' || status === 204 || status === 304 || (length === 0 && !isEndless)) this.whole(pieces);
    else if (isChunked) this.state = 'size';
    else if (length !== undefined) {
      this.left = length;
      this.state = 'length';
    } else {
      this.staysOpen = false;
      this.state = 'until-close';
    }
  }

  private trailersHaveCome(lines: readonly string[], pieces: ResponsePiece[]): string | undefined {
    const fields = readFields(lines, 0);
    if (typeof fields === 'string') return fields;
    if (fields.length > 0) pieces.push({ kind: 'trailers', lines: fields });
    this.whole(pieces);
    return undefined;
  }

  private whole(pieces: ResponsePiece[]): void {
    this.state = 'nothing';
    pieces.push({ kind: 'end' });
  }

  private fault(why: string, begins: Uint8Array, pieces: ResponsePiece[]): void {
    this.state = 'over';
    pieces.push({ kind: 'fault', why, begins });
  }
}

interface Framing {
  length: number | undefined;
  isChunked: boolean;
  /** It has a transfer coding that does not say where the body ends. */
  isEndless: boolean;
  staysOpen: boolean;
}

function readFraming({ version, lines }: ResponseHead): Framing | string {
  let length: string | undefined;
  let codings = '';
  let connection = '';
  for (const line of lines) {
    const value = line[1];
    if (isNamed(line, 'content-length')) {
      if (!/^\d{1,15}$/.test(value)) return 'a length that is no number';
      if (length !== undefined && length !== value) return 'two lengths';
      length = value;
    } else if (isNamed(line, 'transfer-encoding')) codings += `,${value.toLowerCase()}`;
    else if (isNamed(line, 'connection')) connection += `,${value.toLowerCase()}`;
  }
  if (length !== undefined && codings !== '') return 'a length and a transfer coding';
  return {
    length: length === undefined ? undefined : Number(length),
    isChunked: /,[\t ]*chunked[\t ]*$/.test(codings),
    isEndless: codings !== '',
    staysOpen: version === '1.0' ? hasOption(connection, 'keep-alive') : !hasOption(connection, 'close'),
  };
}

const hasOption = (connection: string, option: string): boolean =>
  connection.includes(option) && connection.split(',').some((named) => named.trim() === option);

/** Header lines, or what is wrong with one. */
function readFields(lines: readonly string[], from: number): [string, string][] | string {
  const fields: [string, string][] = [];
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string;
    const last = fields.at(-1);
    if (line.startsWith(' ') || line.startsWith('\t')) {
      // A value that goes on in the next line (RFC 9112, section 5.2).
      if (!last) return 'a header line without a name';
      last[1] = `${last[1]} ${line.trim()}`.trim();
      continue;
    }
    const name = nameIn(line);
    if (!token.test(name)) return wrongName(name);
    fields.push([name, trimmed(line, name.length + 1)]);
  }
  return fields;
}

const nameIn = (line: string): string => line.slice(0, Math.max(0, line.indexOf(':')));

const wrongName = (name: string): string =>
  token.test(name.trimEnd()) ? 'white space before the colon of a header line' : 'a header line without a name';

/** What is wrong with lines of which more are to come, as far as it can be seen yet. */
function wrongField(lines: readonly string[]): string | undefined {
  const wrong = lines.find((line) => !/^[\t ]/.test(line) && !token.test(nameIn(line)));
  return wrong === undefined ? undefined : wrongName(nameIn(wrong));
}

/** What is wrong with the first line. */
const wrongStatusLine = (line: string): string =>
  line.startsWith(protocol) ? 'a status line without a status of three digits' : 'no status line';

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** Without spaces and tabs around it: what else `trim` takes away belongs to the value. */
function trimmed(line: string, start: number): string {
  let from = start;
  let to = line.length;
  while (from < to && isSpace(line.charCodeAt(from))) from++;
  while (to > from && isSpace(line.charCodeAt(to - 1))) to--;
  return line.slice(from, to);
}

/** Each ends with a line end. */
const linesOf = (text: string): string[] => text.split(/\r?\n/).slice(0, -1);

/** Empty lines before a response are not looked at (RFC 9112, section 2.2). */
function behindLineEnds(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at++;
  return at;
}
