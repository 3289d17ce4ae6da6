import { type ClientRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { isObject } from '../../core/protocol/message.ts';
import type { Head, HeaderLine } from '../../core/trace/format.ts';
import { headerValue } from '../../core/trace/http-clients.ts';
import { endToEnd, linesOf, withHeader } from '../../core/wire/http-headers.ts';
import { isAllowedHost } from './allowed-host.ts';
import { collect } from './collect.ts';
import { type Failure, failureOf } from './failure.ts';
import { Gate } from './gate.ts';
import { type BodyMapping, type FirstEvent, mapRequest, mapResponse } from './mapping.ts';
import { Opening } from './opening.ts';
import { PassageRecord } from './passage-record.ts';
import type { ProxyParts } from './reverse-proxy.ts';

/** So much of a request's body is kept to find its id, should wireproof have to answer it. Bytes. */
const keptForId = 64 * 1024;

/** How long a connection of a client that says nothing is kept. Milliseconds. */
export const keepAliveFor = 75_000;

/** How long the first bytes of a body are waited for, to see whose it is. Milliseconds. */
const waitForBody = 5;

/** Methods that may be sent again where a kept connection turns out to be closed (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** One request on its way to the server, and its response on the way back. */
export class Passage {
  private readonly parts: ProxyParts;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly lines: readonly HeaderLine[];
  private readonly method: string;
  private readonly target: string;
  private c = 0;
  private record!: PassageRecord;
  private outgoing: ClientRequest | undefined;
  private begun: Buffer[] = [];
  private begunLength = 0;
  private isRequestWhole = false;
  private hasAnswered = false;
  private isOver = false;

  constructor(parts: ProxyParts, request: IncomingMessage, response: ServerResponse) {
    this.parts = parts;
    this.request = request;
    this.response = response;
    this.lines = linesOf(request.rawHeaders);
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    response.sendDate = false;
    // That nobody reads what is written is heard of by its close.
    response.on('error', () => undefined);
    request.on('error', () => undefined);
  }

  private get head(): Head {
    return { version: this.request.httpVersion, method: this.method, target: this.target, lines: this.lines };
  }

  /** Whose request it is may only be told by its first bytes: an `initialize` is always another client's. */
  start(): void {
    const { request } = this;
    const mayOpen = this.method === 'POST' && hasBody(this.lines) && !headerValue(this.lines, 'mcp-session-id');
    if (!mayOpen || headerValue(this.lines, 'expect') !== undefined) this.begin(undefined);
    else {
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        clearTimeout(timer);
        request.off('readable', look);
        this.response.off('close', look);
        const chunk = request.read() as Buffer | null;
        if (chunk) request.unshift(chunk);
        this.begin(chunk ?? undefined);
      };
      request.once('readable', look);
      this.response.once('close', look);
      timer = setTimeout(look, waitForBody);
    }
  }

  private begin(beginning: Buffer | undefined): void {
    if (this.isOver) return;
    const { clients, recording, privacy } = this.parts;
    const address = this.request.socket.remoteAddress ?? '';
    const opens = beginning !== undefined && opensSession(beginning);
    this.c = clients.of({ target: this.target, lines: this.lines, address, opens });
    this.record = new PassageRecord({ recording, privacy, target: this.target, c: this.c, peer: address });
    if (this.response.destroyed) {
      this.record.head('client', this.head, undefined);
      this.finish('the client went away');
      return;
    }
    const host = headerValue(this.lines, 'host');
    const { options } = this.parts;
    if (!isAllowedHost(host, options.host, options.allowHosts)) {
      this.refuse(host);
      return;
    }
    if (!this.target.startsWith('/') && this.target !== '*') {
      this.record.head('client', this.head, undefined);
      this.answer(400, 'This is a reverse proxy: a request names a path, not a whole URL.', undefined);
      return;
    }
    this.pass(host ?? '');
  }

  /** Ends it on both sides, wherever it is. */
  abort(why: string): void {
    if (this.isOver) return;
    if (this.c > 0) this.finish(why);
    this.isOver = true;
    this.outgoing?.destroy();
    this.response.destroy();
  }

  private pass(host: string): void {
    const { options } = this.parts;
    const own = `http://${host}`;
    const mapped = options.rewrites ? mapRequest(options.target.origin, own, this.target, this.lines) : undefined;
    const target = mapped?.target ?? this.target;
    const passed = withHeader(endToEnd(mapped?.lines ?? this.lines), 'Host', options.target.host);
    // What Node would add by itself stands here, so that the recording has it.
    const lines: readonly HeaderLine[] = [...passed, ['Connection', 'keep-alive']];
    this.record.head('client', this.head, 'client');
    this.response.once('close', () => this.clientLeft());
    if (mapped?.body) this.passMappedBody(mapped.body, target, lines);
    else {
      this.record.beginBody('client', this.lines);
      this.send(target, this.framed(lines));
      this.passRequestBody();
    }
  }

  /** What frames the body on the next hop: its length where that is known, else chunks. */
  private framed(lines: readonly HeaderLine[]): readonly HeaderLine[] {
    const isChunked = headerValue(this.lines, 'transfer-encoding') !== undefined;
    return isChunked ? [...lines, ['Transfer-Encoding', 'chunked']] : lines;
  }

  private send(target: string, lines: readonly HeaderLine[], body?: Buffer, isAgain = false): void {
    if (!isAgain) this.record.head('client', { ...this.head, target, lines }, 'server');
    const outgoing = this.parts.upstream.open(this.method, target, lines);
    this.outgoing = outgoing;
    outgoing.on('response', (incoming) => this.passResponse(incoming));
    outgoing.on('continue', () => this.response.writeContinue());
    outgoing.on('information', (info) => this.passInformation(info));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing !== this.outgoing) return;
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET' && !isAgain && idempotent.has(this.method);
      if (isStale && body === undefined && !hasBody(this.lines) && !this.hasAnswered) {
        this.send(target, lines, undefined, true);
        this.outgoing.end();
      } else this.failed(error);
    });
    if (body) outgoing.end(body);
  }

  private passRequestBody(): void {
    const { request, record } = this;
    const outgoing = (): ClientRequest => this.outgoing as ClientRequest;
    const gate = new Gate(request);
    request.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      const taken = outgoing().write(chunk);
      record.passed('client', chunk);
      this.keepForId(chunk);
      this.hold(taken, gate, (go) => outgoing().once('drain', go));
    });
    request.on('end', () => {
      this.isRequestWhole = true;
      if (this.isOver) return;
      const trailers = linesOf(request.rawTrailers);
      if (trailers.length > 0) {
        outgoing().addTrailers(trailers as [string, string][]);
        record.trailers('client', trailers);
      }
      outgoing().end();
      record.endBody('client');
    });
    if (!hasBody(this.lines)) request.resume();
  }

  /** A body that names URLs has to be whole before it can be passed on: it is small. */
  private passMappedBody(mapping: BodyMapping, target: string, lines: readonly HeaderLine[]): void {
    const { record } = this;
    const isAwaited = headerValue(this.lines, 'expect') !== undefined;
    if (isAwaited) this.response.writeContinue();
    const whole = (bytes: Buffer): void => {
      if (this.isOver) return;
      this.isRequestWhole = true;
      const mapped = mapping(bytes, headerValue(this.lines, 'content-encoding'));
      this.keepForId(bytes);
      const sent = mapped?.bytes ?? bytes;
      record.wholeBody('client', this.lines, bytes, mapped && 'client');
      if (mapped) record.wholeBody('client', this.lines, sent, 'server');
      const asked = lines.filter(([name]) => name.toLowerCase() !== 'expect');
      this.send(target, withHeader(asked, 'Content-Length', String(sent.length)), sent);
    };
    collect(this.request, whole, () => this.answer(413, 'This form is too long to be passed on.', undefined));
  }

  /** 103 and its kind: what comes before the response. */
  private passInformation({ statusCode, statusMessage, rawHeaders, httpVersion }: InformationEvent): void {
    const lines = linesOf(rawHeaders);
    const head = { version: httpVersion, status: statusCode, reason: statusMessage, lines };
    this.record.head('server', head, undefined);
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    if (this.hasAnswered || statusCode === 100) return;
    this.response.socket?.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${text}\r\n`, 'latin1');
  }

  private passResponse(incoming: IncomingMessage): void {
    if (this.isOver) {
      incoming.destroy();
      return;
    }
    const { options, clients } = this.parts;
    this.hasAnswered = true;
    const received = linesOf(incoming.rawHeaders);
    const status = incoming.statusCode ?? 0;
    const own = `http://${headerValue(this.lines, 'host') ?? ''}`;
    const mapped = options.rewrites
      ? mapResponse(options.target.origin, own, { target: this.target, method: this.method, status, lines: received })
      : undefined;
    const session = headerValue(received, 'mcp-session-id');
    if (session !== undefined) clients.gaveSession(this.c, session);
    const lines = [...endToEnd(mapped?.lines ?? received), ...this.nextHop(received, status)];
    const isChanged = !isSame(lines, received);
    const head = { version: incoming.httpVersion, status, reason: incoming.statusMessage ?? '' };
    this.record.head('server', { ...head, lines: received }, isChanged ? 'server' : undefined);
    if (mapped?.body) this.passMappedResponse(incoming, mapped.body, { ...head, lines });
    else {
      if (isChanged) this.record.head('server', { ...head, lines }, 'client');
      this.passResponseBody(incoming, { ...head, lines }, mapped?.firstEvent);
    }
  }

  private passResponseBody(incoming: IncomingMessage, head: Head, firstEvent: FirstEvent | undefined): void {
    const { response, record } = this;
    const sendHead = (): void => {
      if (response.headersSent || this.isOver) return;
      response.writeHead(head.status as number, head.reason, head.lines.flat());
    };
    // What comes in the same turn goes out together with the head; a head that nothing follows does not wait for it.
    setImmediate(() => {
      sendHead();
      if (!response.writableEnded && !response.destroyed && response.headersSent) response.flushHeaders();
    });
    const opening = firstEvent && new Opening(firstEvent, (target) => this.parts.clients.gaveEndpoint(this.c, target));
    if (!opening) record.beginBody('server', head.lines);
    const gate = new Gate(incoming);
    incoming.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      sendHead();
      const passed = opening && !opening.isOver ? opening.feed(chunk) : chunk;
      const taken = passed.length === 0 || response.write(passed);
      if (!opening || opening.isOver) record.passed('server', chunk);
      else if (opening.isDecided) this.endOpening(opening, head);
      this.hold(taken, gate, (go) => response.once('drain', go));
    });
    incoming.on('end', () => {
      if (this.isOver) return;
      sendHead();
      if (opening && !opening.isOver) {
        const rest = opening.end();
        if (rest.length > 0) response.write(rest);
        this.endOpening(opening, head);
      }
      const trailers = linesOf(incoming.rawTrailers);
      if (trailers.length > 0) {
        response.addTrailers(trailers as [string, string][]);
        record.trailers('server', trailers);
      }
      response.end();
      this.finish();
    });
    incoming.on('close', () => {
      if (!incoming.complete) this.brokenOff();
    });
    incoming.on('error', () => undefined);
  }

  /** The server's answer ends too soon. Why may be known in the same turn. */
  private brokenOff(): void {
    setImmediate(() => this.failed(Object.assign(new Error('broken off'), { code: 'ECONNRESET' })));
  }

  /** Lines of a response that are for the client's connection only: those that Node would add by itself. */
  private nextHop(received: readonly HeaderLine[], status: number): HeaderLine[] {
    const { request, response } = this;
    const hasBody = this.method !== 'HEAD' && status !== 204 && status !== 304;
    const isChunked = hasBody && request.httpVersion === '1.1' && headerValue(received, 'content-length') === undefined;
    const lines: HeaderLine[] = response.shouldKeepAlive
      ? [
          ['Connection', 'keep-alive'],
          ['Keep-Alive', `timeout=${keepAliveFor / 1000}`],
        ]
      : [['Connection', 'close']];
    return isChunked ? [...lines, ['Transfer-Encoding', 'chunked']] : lines;
  }

  private endOpening(opening: Opening, head: Head): void {
    opening.isOver = true;
    this.record.opening(opening, head.lines);
  }

  private passMappedResponse(incoming: IncomingMessage, mapping: BodyMapping, head: Head): void {
    const { record } = this;
    const whole = (bytes: Buffer): void => {
      if (this.isOver) return;
      const mapped = mapping(bytes, headerValue(head.lines, 'content-encoding'));
      const sent = mapped?.bytes ?? bytes;
      const lines = mapped ? withLength(head.lines, sent.length) : head.lines;
      record.head('server', { ...head, lines }, 'client');
      record.wholeBody('server', head.lines, bytes, mapped && 'server');
      if (mapped) record.wholeBody('server', lines, sent, 'client');
      for (const note of mapped?.notes ?? []) record.note('not-mapped', note);
      this.response.writeHead(head.status as number, head.reason, lines.flat());
      this.response.end(sent);
      this.finish();
    };
    collect(incoming, whole, () => this.failed(new Error('this answer is too long to be looked through')));
    incoming.on('close', () => {
      if (!incoming.complete) this.brokenOff();
    });
  }

  /** Reads no more while the other end is full, or the store is far behind. */
  private hold(taken: boolean, gate: Gate, onceDrained: (go: () => void) => void): void {
    if (!taken) gate.closeUntil(onceDrained);
    const { recording } = this.parts;
    if (recording.isFarBehind()) gate.closeUntil((go) => recording.whenReady(go));
  }

  private clientLeft(): void {
    if (this.isOver) return;
    this.finish('the client went away');
    this.outgoing?.destroy();
  }

  /** Nothing more is recorded of it. @param why it is not whole */
  private finish(why?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    const isWhole = this.isRequestWhole || !hasBody(this.lines);
    this.record.end(why ?? (isWhole ? undefined : 'the server had answered before'));
  }

  private failed(error: NodeJS.ErrnoException): void {
    if (this.isOver) return;
    const failure = failureOf(error, this.hasAnswered);
    this.record.note('upstream-failed', failure.what);
    if (this.response.headersSent) {
      this.finish(failure.what);
      this.response.destroy();
      return;
    }
    const { target } = this.parts.options;
    this.answer(failure.status, `wireproof could not get an answer from ${target.origin}: ${failure.what}.`, failure);
  }

  private refuse(host: string | undefined): void {
    this.record.head('client', this.head, undefined);
    const named = host === undefined ? 'names no host' : `is for the host ${JSON.stringify(host)}`;
    this.record.note('refused', `it ${named}, which is not this listener`);
    this.answer(403, `This request ${named}, and wireproof only takes those for its own. See --allow-host.`, undefined);
  }

  /** Answers in the server's place: with a JSON-RPC error where it is known what was asked. */
  private answer(status: number, message: string, failure: Failure | undefined): void {
    const id = failure ? this.requestId() : undefined;
    // A code of JSON-RPC's reserved range would say that the server itself had answered.
    const error = { code: status, message, ...(failure ? { data: { wireproof: failure.what } } : {}) };
    const body = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error })}\n`);
    const lines: HeaderLine[] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['Connection', 'close'],
    ];
    const head = { version: '1.1', status, reason: STATUS_CODES[status] ?? '', lines };
    this.hasAnswered = true;
    this.record.head('server', head, undefined, true);
    this.record.beginBody('server', lines);
    this.record.passed('server', body);
    if (this.response.headersSent) this.response.destroy();
    else this.response.writeHead(status, head.reason, lines.flat()).end(body);
    this.request.resume();
    this.finish(
      this.isRequestWhole || !hasBody(this.lines) ? undefined : 'wireproof answered before all of it had come',
    );
  }

  /** The id of the request in the body, as far as that is here. */
  private requestId(): unknown {
    try {
      const json: unknown = JSON.parse(Buffer.concat(this.begun).toString());
      return isObject(json) ? json['id'] : undefined;
    } catch {
      return undefined;
    }
  }

  private keepForId(chunk: Buffer): void {
    if (this.begunLength > keptForId) return;
    this.begunLength += chunk.length;
    if (this.begunLength > keptForId) this.begun = [];
    else this.begun.push(chunk);
  }
}

interface InformationEvent {
  statusCode: number;
  statusMessage: string;
  httpVersion: string;
  rawHeaders: string[];
}

const isSame = (one: readonly HeaderLine[], other: readonly HeaderLine[]): boolean =>
  one.length === other.length && one.every(([name, value], at) => name === other[at]?.[0] && value === other[at][1]);

/** A client opens a session with it (specification up to 2025-11-25: basic/lifecycle). */
const opensSession = (beginning: Buffer): boolean =>
  /"method"\s*:\s*"initialize"/.test(beginning.toString('latin1', 0, keptForId));

const hasBody = (lines: readonly HeaderLine[]): boolean =>
  headerValue(lines, 'transfer-encoding') !== undefined || Number(headerValue(lines, 'content-length') ?? 0) > 0;

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
    lines.filter(([name]) => !stale.has(name.toLowerCase())),
    'Content-Length',
    String(length),
  );
