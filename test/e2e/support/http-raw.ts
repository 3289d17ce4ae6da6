import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { until } from './until.ts';

/** Header lines in order, as spelled. */
export type Lines = [name: string, value: string][];

export interface ResponseHead {
  version: string;
  status: number;
  reason: string;
  lines: Lines;
}

/** One response as far as it has come. */
export interface RawResponse extends ResponseHead {
  /** The 1xx responses before it. */
  informational: ResponseHead[];
  /** Without the framing that carried it. */
  body: Buffer;
  trailers: Lines;
  /** All of it has come, as its framing says. */
  isWhole: boolean;
}

/** What goes on the wire for a request. */
export function requestBytes(method: string, target: string, lines: Lines, body: string | Uint8Array = ''): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\n${headerText(lines)}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body as string)]);
}

const headerText = (lines: Lines): string => lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');

/** A body in chunks of all sizes, and the trailers behind them. */
export function chunked(body: Uint8Array, trailers: Lines = []): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, size = 1; at < body.length; at += size, size = (size * 7 + 1) % 70_001) {
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), Buffer.from(piece), Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${headerText(trailers)}\r\n`, 'latin1')]);
}

/** The value of a header, whatever its case. */
export const valueOf = (lines: Lines, name: string): string | undefined =>
  lines.find(([spelled]) => spelled.toLowerCase() === name.toLowerCase())?.[1];

/** Sends exact bytes on one connection, and keeps the exact bytes that come back. */
export class RawClient {
  readonly socket: Socket;
  /** The other side has ended or reset the connection. */
  hasEnded = false;
  private chunks: Buffer[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    for (const event of ['end', 'close', 'error']) socket.on(event, () => (this.hasEnded = true));
  }

  static async open({ hostname, port }: URL): Promise<RawClient> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** What has come and is not yet taken. */
  get bytes(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The response as far as it has come; the method that was asked with says whether a body follows. */
  sofar(method = 'POST'): RawResponse | undefined {
    return readResponse(this.bytes, method, this.hasEnded)?.response;
  }

  /** Waits for the body to hold some text. */
  async body(text: string): Promise<RawResponse> {
    return until(`the body holds ${text}`, () => {
      const response = this.sofar();
      if (response?.body.includes(text)) return response;
      if (this.hasEnded) throw new Error(`The connection ended without ${text}: ${this.bytes.toString()}`);
      return undefined;
    });
  }

  /** Waits until a response is whole, or the connection is over, and takes it. */
  async response(method = 'POST'): Promise<RawResponse> {
    const { response, length } = await until('the response is whole', () => {
      const read = readResponse(this.bytes, method, this.hasEnded);
      if (!read && this.hasEnded) throw new Error(`The connection ended before a response: ${this.bytes.toString()}`);
      return read?.response.isWhole || this.hasEnded ? read : undefined;
    });
    this.chunks = [this.bytes.subarray(length)];
    return response;
  }

  /** Waits until the other side has ended the connection. */
  async ended(): Promise<void> {
    await until('the connection is over', () => this.hasEnded);
  }

  /** Is gone without a word. */
  leave(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own, and its response. */
export async function ask(url: URL, method: string, lines: Lines, body?: string | Uint8Array): Promise<RawResponse> {
  const client = await RawClient.open(url);
  client.send(requestBytes(method, url.pathname + url.search, [['Host', url.host], ...lines], body));
  const response = await client.response(method);
  client.leave();
  return response;
}

/** The header lines of a message that is posted. */
export const messageLines = (body: string | Uint8Array): Lines => [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
  ['Content-Length', String(Buffer.byteLength(body))],
];

/** Posts one message on a connection of its own. */
export const post = (url: URL, body: string, lines: Lines = []): Promise<RawResponse> =>
  ask(url, 'POST', [...messageLines(body), ...lines], body);

interface Read {
  response: RawResponse;
  length: number;
}

function readResponse(bytes: Buffer, method: string, hasEnded: boolean): Read | undefined {
  const informational: ResponseHead[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return undefined;
    const head = readHead(bytes.subarray(at, end).toString('latin1'));
    at = end + 4;
    if (head.status < 200) {
      informational.push(head);
      continue;
    }
    const { body, trailers = [], isWhole, length } = readBody(head, bytes.subarray(at), method, hasEnded);
    return { response: { ...head, informational, body, trailers, isWhole }, length: at + length };
  }
}

function readHead(text: string): ResponseHead {
  const [first = '', ...rest] = text.split('\r\n');
  const [, version = '', status = '', reason = ''] = /^HTTP\/(\d\.\d) (\d{3})(?: (.*))?$/.exec(first) ?? [];
  if (!version) throw new Error(`No status line: ${first}`);
  return { version, status: Number(status), reason, lines: readLines(rest) };
}

const readLines = (lines: readonly string[]): Lines =>
  lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });

interface Body {
  body: Buffer;
  trailers?: Lines;
  isWhole: boolean;
  length: number;
}

function readBody({ status, lines }: ResponseHead, bytes: Buffer, method: string, hasEnded: boolean): Body {
  if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), isWhole: true, length: 0 };
  if (/\bchunked\b/i.test(valueOf(lines, 'transfer-encoding') ?? '')) return readChunks(bytes);
  const announced = valueOf(lines, 'content-length');
  if (announced === undefined) return { body: bytes, isWhole: hasEnded, length: bytes.length };
  const body = bytes.subarray(0, Number(announced));
  return { body, isWhole: body.length === Number(announced), length: body.length };
}

function readChunks(bytes: Buffer): Body {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const sofar = { body: Buffer.concat(pieces), isWhole: false, length: bytes.length };
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return sofar;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    const start = lineEnd + 2;
    if (size === 0) {
      if (bytes.subarray(start, start + 2).toString() === '\r\n') return { ...sofar, isWhole: true, length: start + 2 };
      const end = bytes.indexOf('\r\n\r\n', start);
      if (end < 0) return sofar;
      const trailers = readLines(bytes.subarray(start, end).toString('latin1').split('\r\n'));
      return { ...sofar, trailers, isWhole: true, length: end + 4 };
    }
    if (Number.isNaN(size)) return sofar;
    pieces.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
