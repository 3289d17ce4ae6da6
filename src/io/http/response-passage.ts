import type { ServerResponse } from 'node:http';
import type { Head, HeaderLine } from '../../core/trace/format.ts';
import { endToEnd, headerValue, lowerName, rawOf, withHeader } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { Collector } from './collector.ts';
import type { Exchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { type BodyMapping, mapResponse } from './mapping.ts';
import { Opening } from './opening.ts';
import type { PassageRecord } from './passage-record.ts';
import type { ProxyParts } from './reverse-proxy.ts';

/** How long a connection of a client that says nothing is kept. Milliseconds. */
export const keepAliveFor = 75_000;

/** The request that is answered. */
export interface Asked {
  /** The client's connection, as `HttpClients` counts. */
  c: number;
  method: string;
  target: string;
  /** The origin that the client calls us by. */
  own: string;
  /** Of HTTP: `1.1`. */
  version: string;
}

/** A response on its way back to the client. */
export class ResponsePassage {
  private readonly parts: ProxyParts;
  private readonly record: PassageRecord;
  private readonly asked: Asked;
  private readonly response: ServerResponse;
  private readonly gate: Gate;
  /** As the client gets it. */
  private sent: Head | undefined;
  private opening: Opening | undefined;
  private mapping: BodyMapping | undefined;
  private collected: Collector | undefined;

  constructor(
    parts: ProxyParts,
    of: { asked: Asked; record: PassageRecord; response: ServerResponse; exchange: Exchange },
  ) {
    this.parts = parts;
    this.record = of.record;
    this.asked = of.asked;
    this.response = of.response;
    this.gate = new Gate(of.exchange);
  }

  /** 100, 103 and their kind: what comes before the response. */
  information({ version, status, reason, lines }: ResponseHead): void {
    this.record.head('server', { version, status, reason, lines }, undefined);
    // HTTP/1.0 knows none of them (RFC 9110, section 15.2).
    if (this.asked.version === '1.0') return;
    if (status === 100) {
      this.response.writeContinue();
      return;
    }
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.response.socket?.write(`HTTP/1.1 ${status} ${reason}\r\n${text}\r\n`, 'latin1');
  }

  /** @param isLast nothing has come behind it yet */
  head({ version, status, reason, lines: received }: ResponseHead, isLast: boolean): void {
    const { asked, record } = this;
    const { options, clients } = this.parts;
    const mapped = options.rewrites
      ? mapResponse(options.target.origin, asked.own, { ...asked, status, lines: received })
      : undefined;
    const session = headerValue(received, 'mcp-session-id');
    if (session !== undefined) clients.gaveSession(asked.c, session);
    const lines = [...endToEnd(mapped?.lines ?? received), ...this.nextHop(received, status)];
    const isChanged = !isSame(lines, received);
    const sent = { version, status, reason, lines };
    this.sent = sent;
    record.head('server', { version, status, reason, lines: received }, isChanged ? 'server' : undefined);
    this.mapping = mapped?.body;
    if (this.mapping) {
      this.collected = new Collector();
      return;
    }
    if (isChanged) record.head('server', sent, 'client');
    if (mapped?.firstEvent) {
      this.opening = new Opening(mapped.firstEvent, (target) => clients.gaveEndpoint(asked.c, target));
    } else record.beginBody('server', lines);
    // What came with the head goes out with it.
    if (isLast) this.flushHead();
  }

  /** @returns false where it is too long to be looked through */
  body(bytes: Buffer, isLast: boolean): boolean {
    if (this.collected) return this.collected.add(bytes);
    const { response, record, opening } = this;
    this.sendHead();
    const isPlain = !opening || opening.isOver;
    const passed = isPlain ? bytes : opening.feed(bytes);
    let taken = true;
    if (isPlain && isLast) endWith(response, bytes);
    else taken = passed.length === 0 || response.write(passed);
    if (isPlain) record.passed('server', bytes);
    else if (opening.isDecided) this.endOpening(opening);
    this.hold(taken);
    return true;
  }

  trailers(trailers: readonly HeaderLine[]): void {
    if (!this.mapping) this.response.addTrailers(trailers as [string, string][]);
    this.record.trailers('server', trailers);
  }

  end(): void {
    if (this.mapping) {
      this.passMapped(this.mapping);
      return;
    }
    this.sendHead();
    this.passRestOfOpening();
    if (!this.response.writableEnded) this.response.end();
  }

  /** Something of it is on its way to the client, or will be at once. */
  get hasBegun(): boolean {
    return this.sent !== undefined && !this.mapping;
  }

  /** No more of it comes: what came goes out, and then the connection is closed, which says so. */
  breakOff(): void {
    const { response } = this;
    this.flushHead();
    this.passRestOfOpening();
    const { socket } = response;
    // What was written in this turn may still be gathered by the response (Node.js 26).
    if (socket) process.nextTick(() => socket.destroySoon());
    else response.destroy();
  }

  private sendHead(): void {
    const { response, sent } = this;
    if (response.headersSent || response.destroyed || !sent) return;
    response.writeHead(sent.status as number, sent.reason, rawOf(sent.lines));
  }

  private flushHead(): void {
    const { response } = this;
    this.sendHead();
    if (!response.writableEnded && !response.destroyed) response.flushHeaders();
  }

  /** Lines of a response that are for the client's connection only: those that Node would add by itself. */
  private nextHop(received: readonly HeaderLine[], status: number): HeaderLine[] {
    const { method, version } = this.asked;
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    const isChunked = hasBody && version === '1.1' && headerValue(received, 'content-length') === undefined;
    const lines = this.response.shouldKeepAlive ? keptLines : closedLines;
    return isChunked ? [...lines, ['Transfer-Encoding', 'chunked']] : lines;
  }

  private passRestOfOpening(): void {
    const { opening } = this;
    if (!opening || opening.isOver) return;
    const rest = opening.end();
    if (rest.length > 0) this.response.write(rest);
    this.endOpening(opening);
  }

  private endOpening(opening: Opening): void {
    opening.isOver = true;
    this.record.opening(opening, (this.sent as Head).lines);
  }

  private passMapped(mapping: BodyMapping): void {
    const { record, response } = this;
    const head = this.sent as Head;
    const bytes = (this.collected as Collector).bytes;
    const mapped = mapping(bytes, headerValue(head.lines, 'content-encoding'));
    const sent = mapped?.bytes ?? bytes;
    const lines = mapped ? withLength(head.lines, sent.length) : head.lines;
    record.head('server', { ...head, lines }, 'client');
    record.wholeBody('server', head.lines, bytes, mapped && 'server');
    if (mapped) record.wholeBody('server', lines, sent, 'client');
    for (const note of mapped?.notes ?? []) record.note('not-mapped', note);
    response.writeHead(head.status as number, head.reason, rawOf(lines));
    response.end(sent);
  }

  /** Reads no more while the client is full, or the store is far behind. */
  private hold(taken: boolean): void {
    if (!taken) this.gate.closeUntil((go) => this.response.once('drain', go));
    const { recording } = this.parts;
    if (recording.isFarBehind()) this.gate.closeUntil((go) => recording.whenReady(go));
  }
}

/** So long a body goes out in one piece with the head before it. Bytes. */
const joined = 4 * 1024;

/** Node puts a head and a text into one piece, but not a head and bytes. */
function endWith(response: ServerResponse, bytes: Buffer): void {
  if (bytes.length <= joined) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(bytes);
}

const keptLines: HeaderLine[] = [
  ['Connection', 'keep-alive'],
  ['Keep-Alive', `timeout=${keepAliveFor / 1000}`],
];
const closedLines: HeaderLine[] = [['Connection', 'close']];

const isSame = (one: readonly HeaderLine[], other: readonly HeaderLine[]): boolean =>
  one.length === other.length && one.every(([name, value], at) => name === other[at]?.[0] && value === other[at][1]);

/** What vouches for a body, or frames it: none of that is so of one that was changed. */
const stale: ReadonlySet<string> = new Set([
  'etag',
  'digest',
  'content-digest',
  'repr-digest',
  'content-md5',
  'content-encoding',
  'transfer-encoding',
]);

const withLength = (lines: readonly HeaderLine[], length: number): HeaderLine[] =>
  withHeader(
    lines.filter(([name]) => !stale.has(lowerName(name))),
    'Content-Length',
    String(length),
  );
