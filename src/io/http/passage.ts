import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Head, HeaderLine, Leg } from '../../core/trace/format.ts';
import { headerValue } from '../../core/trace/http-clients.ts';
import type { HttpStreamRecorder } from '../../core/trace/http-recorder.ts';
import { isObject, type Side } from '../../core/protocol/message.ts';
import { endToEnd, linesOf, withHeader } from '../../core/wire/http-headers.ts';
import { type BodyMapping, type FirstEvent, mapRequest, mapResponse } from './mapping.ts';
import { isAllowedHost } from './allowed-host.ts';
import type { ProxyParts } from './reverse-proxy.ts';

/** So much of a request's body is kept to find its id, should wireproof have to answer it. Bytes. */
const keptForId = 64 * 1024;

/** How long a connection of a client that says nothing is kept. Milliseconds. */
export const keepAliveFor = 75_000;

/** How long the first bytes of a body are waited for, to see whose it is. Milliseconds. */
const waitForBody = 5;

/** Methods that may be sent again where a kept connection turns out to be closed (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** What went wrong at the server, as a client is told. */
interface Failure {
  status: 502 | 504;
  what: string;
}

/** One request on its way to the server, and its response on the way back. */
export class Passage {
  private readonly parts: ProxyParts;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly lines: readonly HeaderLine[];
  private readonly method: string;
  private readonly target: string;
  private c = 0;
  private stream!: HttpStreamRecorder;
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
        const chunk = request.read() as Buffer | null;
        if (chunk) request.unshift(chunk);
        this.begin(chunk ?? undefined);
      };
      request.once('readable', look);
      timer = setTimeout(look, waitForBody);
    }
  }

  private begin(beginning: Buffer | undefined): void {
    if (this.isOver) return;
    const { clients, recording } = this.parts;
    const address = this.request.socket.remoteAddress ?? '';
    const opens = beginning !== undefined && opensSession(beginning);
    this.c = clients.of({ target: this.target, lines: this.lines, address, opens });
    this.stream = recording.stream(this.c, address);
    const host = headerValue(this.lines, 'host');
    const { options } = this.parts;
    if (!isAllowedHost(host, options.host, options.allowHosts)) {
      this.refuse(host);
      return;
    }
    if (!this.target.startsWith('/') && this.target !== '*') {
      this.recordRequestHead(undefined, this.lines, this.target);
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
    this.recordRequestHead('client', this.lines, this.target);
    this.response.once('close', () => this.clientLeft());
    if (mapped?.body) this.passMappedBody(mapped.body, target, lines);
    else {
      this.beginBody('client', this.lines, undefined);
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
    if (!isAgain) this.recordRequestHead('server', lines, target);
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
    const { request, parts, stream } = this;
    const outgoing = (): ClientRequest => this.outgoing as ClientRequest;
    const gate = new Gate(request);
    request.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      const taken = outgoing().write(chunk);
      stream.passed(parts.recording.now(), 'client', chunk);
      this.keepForId(chunk);
      parts.recording.recorded();
      this.hold(taken, gate, (go) => outgoing().once('drain', go));
    });
    request.on('end', () => {
      this.isRequestWhole = true;
      if (this.isOver) return;
      const trailers = linesOf(request.rawTrailers);
      if (trailers.length > 0) {
        outgoing().addTrailers(trailers as [string, string][]);
        stream.trailers(parts.recording.now(), 'client', parts.privacy.trailers(trailers));
      }
      outgoing().end();
      stream.end(parts.recording.now(), 'client');
      parts.recording.recorded();
    });
    if (!hasBody(this.lines)) request.resume();
  }

  /** A body that names URLs has to be whole before it can be passed on: it is small. */
  private passMappedBody(mapping: BodyMapping, target: string, lines: readonly HeaderLine[]): void {
    collect(this.request, (bytes) => {
      this.isRequestWhole = true;
      const mapped = mapping(bytes, headerValue(this.lines, 'content-encoding'));
      const { recording } = this.parts;
      this.keepForId(bytes);
      const sent = mapped?.bytes ?? bytes;
      if (mapped) {
        this.recordBody('client', this.lines, bytes, 'client');
        this.recordBody('client', this.lines, sent, 'server');
      } else this.recordBody('client', this.lines, bytes, undefined);
      recording.recorded();
      this.send(target, withHeader(lines, 'Content-Length', String(sent.length)), sent);
    });
  }

  /** 103 and its kind: what comes before the response. */
  private passInformation({ statusCode, statusMessage, rawHeaders, httpVersion }: InformationEvent): void {
    const lines = linesOf(rawHeaders);
    const head = { version: httpVersion, status: statusCode, reason: statusMessage, lines };
    this.recordHead('server', head, undefined);
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
    this.recordHead('server', { ...head, lines: received }, isChanged ? 'server' : undefined);
    if (mapped?.body) this.passMappedResponse(incoming, mapped.body, { ...head, lines });
    else {
      if (isChanged) this.recordHead('server', { ...head, lines }, 'client');
      this.passResponseBody(incoming, { ...head, lines }, mapped?.firstEvent);
    }
  }

  private passResponseBody(incoming: IncomingMessage, head: Head, firstEvent: FirstEvent | undefined): void {
    const { response, stream, parts } = this;
    const { recording } = parts;
    const sendHead = (): void => {
      if (response.headersSent || this.isOver) return;
      response.writeHead(head.status as number, head.reason, head.lines.flat() as unknown as string[]);
    };
    // What comes in the same turn goes out together with the head; a head that nothing follows does not wait for it.
    setImmediate(() => {
      sendHead();
      if (!response.writableEnded && !response.destroyed && response.headersSent) response.flushHeaders();
    });
    const opening = firstEvent && new Opening(firstEvent, (target) => parts.clients.gaveEndpoint(this.c, target));
    if (!opening) this.beginBody('server', head.lines, undefined);
    const gate = new Gate(incoming);
    incoming.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      sendHead();
      const passed = opening && !opening.isOver ? opening.feed(chunk) : chunk;
      const taken = passed.length === 0 || response.write(passed);
      if (!opening || opening.isOver) stream.passed(recording.now(), 'server', chunk);
      else if (opening.isDecided) this.recordOpening(opening, head.lines);
      recording.recorded();
      this.hold(taken, gate, (go) => response.once('drain', go));
    });
    incoming.on('end', () => {
      if (this.isOver) return;
      sendHead();
      if (opening && !opening.isOver) {
        const rest = opening.end();
        if (rest.length > 0) response.write(rest);
        this.recordOpening(opening, head.lines);
      }
      const trailers = linesOf(incoming.rawTrailers);
      if (trailers.length > 0) {
        response.addTrailers(trailers as [string, string][]);
        stream.trailers(recording.now(), 'server', parts.privacy.trailers(trailers));
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
    const isChunked =
      hasBody && request.httpVersion === '1.1' && headerValue(received, 'content-length') === undefined;
    const lines: HeaderLine[] = response.shouldKeepAlive
      ? [
          ['Connection', 'keep-alive'],
          ['Keep-Alive', `timeout=${keepAliveFor / 1000}`],
        ]
      : [['Connection', 'close']];
    return isChunked ? [...lines, ['Transfer-Encoding', 'chunked']] : lines;
  }

  /** The beginning of an event stream, in both its forms where the server's was changed. */
  private recordOpening(opening: Opening, lines: readonly HeaderLine[]): void {
    const { received, passed, hasChanged } = opening;
    opening.isOver = true;
    const at = this.parts.recording.now();
    this.beginBody('server', lines, undefined);
    if (hasChanged) {
      this.beginBody('server', lines, 'server');
      for (const chunk of received) this.stream.passed(at, 'server', chunk, 'server');
      this.stream.end(at, 'server', undefined, 'server');
    }
    for (const chunk of hasChanged ? passed : received) this.stream.passed(at, 'server', chunk);
  }

  private passMappedResponse(incoming: IncomingMessage, mapping: BodyMapping, head: Head): void {
    collect(incoming, (bytes) => {
      if (this.isOver) return;
      const mapped = mapping(bytes, headerValue(head.lines, 'content-encoding'));
      const sent = mapped?.bytes ?? bytes;
      const lines = mapped ? withLength(head.lines, sent.length) : head.lines;
      this.recordHead('server', { ...head, lines }, 'client');
      if (mapped) {
        this.recordBody('server', head.lines, bytes, 'server');
        this.recordBody('server', lines, sent, 'client');
        for (const note of mapped.notes) this.stream.note(this.parts.recording.now(), 'not-mapped', note);
      } else this.recordBody('server', head.lines, bytes, undefined);
      this.response.writeHead(head.status as number, head.reason, lines.flat() as unknown as string[]);
      this.response.end(sent);
      this.finish();
    });
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
    const { recording } = this.parts;
    const at = recording.now();
    if (why === undefined && (this.isRequestWhole || !hasBody(this.lines))) this.stream.endAll(at);
    else this.stream.breakOff(at, why ?? 'the server had answered before');
    recording.recorded();
  }

  private failed(error: NodeJS.ErrnoException): void {
    if (this.isOver) return;
    const failure = failureOf(error, this.hasAnswered);
    this.stream.note(this.parts.recording.now(), 'upstream-failed', failure.what);
    if (this.response.headersSent) {
      this.finish(failure.what);
      this.response.destroy();
      return;
    }
    const { target } = this.parts.options;
    this.answer(failure.status, `wireproof could not get an answer from ${target.origin}: ${failure.what}.`, failure);
  }

  private refuse(host: string | undefined): void {
    this.recordRequestHead(undefined, this.lines, this.target);
    const named = host === undefined ? 'names no host' : `is for the host ${JSON.stringify(host)}`;
    this.stream.note(this.parts.recording.now(), 'refused', `it ${named}, which is not this listener`);
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
    const { recording } = this.parts;
    const head = { version: '1.1', status, reason: reasons[status] ?? '', lines };
    this.hasAnswered = true;
    this.recordHead('server', head, undefined, true);
    this.beginBody('server', lines, undefined);
    this.stream.passed(recording.now(), 'server', body);
    if (this.response.headersSent) this.response.destroy();
    else this.response.writeHead(status, head.reason, lines.flat() as unknown as string[]).end(body);
    this.request.resume();
    this.finish(this.isRequestWhole || !hasBody(this.lines) ? undefined : 'wireproof answered before all of it had come');
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

  private recordRequestHead(leg: Leg | undefined, lines: readonly HeaderLine[], target: string): void {
    this.recordHead('client', { version: this.request.httpVersion, method: this.method, target, lines }, leg);
  }

  private recordHead(from: Side, head: Head, leg: Leg | undefined, made = false): void {
    const { privacy, recording } = this.parts;
    const kept = privacy.head(head);
    const place = { ...(leg === undefined ? {} : { leg }), ...(made ? { made } : {}) };
    this.stream.head(recording.now(), from, kept.head, kept.redacted, place);
    recording.recorded();
  }

  private beginBody(from: Side, lines: readonly HeaderLine[], leg: Leg | undefined): void {
    const type = headerValue(lines, 'content-type') ?? '';
    const encoding = headerValue(lines, 'content-encoding');
    const isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity';
    const isEventStream = /^text\/event-stream\b/i.test(type) && !isEncoded;
    const redact = this.parts.privacy.body({ target: this.target, type, encoding: isEncoded ? encoding : undefined });
    this.stream.body(from, { isEventStream, redact }, leg);
  }

  private recordBody(from: Side, lines: readonly HeaderLine[], bytes: Buffer, leg: Leg | undefined): void {
    this.beginBody(from, lines, leg);
    const at = this.parts.recording.now();
    this.stream.passed(at, from, bytes, leg);
    this.stream.end(at, from, undefined, leg);
  }
}

/** Lets a source flow while nothing stands in its way. */
class Gate {
  private readonly source: IncomingMessage;
  private inTheWay = 0;

  constructor(source: IncomingMessage) {
    this.source = source;
  }

  /** @param whenOver calls back when what stands in the way is gone */
  closeUntil(whenOver: (go: () => void) => void): void {
    this.inTheWay++;
    this.source.pause();
    whenOver(() => {
      if (--this.inTheWay === 0) this.source.resume();
    });
  }
}

/** The beginning of an event stream, until it is known whether something in it is to be changed. */
class Opening {
  readonly received: Buffer[] = [];
  readonly passed: Buffer[] = [];
  /** It is recorded. */
  isOver = false;
  private readonly firstEvent: FirstEvent;
  private readonly gaveEndpoint: (target: string) => void;

  constructor(firstEvent: FirstEvent, gaveEndpoint: (target: string) => void) {
    this.firstEvent = firstEvent;
    this.gaveEndpoint = gaveEndpoint;
  }

  get isDecided(): boolean {
    return this.firstEvent.isDone;
  }

  get hasChanged(): boolean {
    return this.firstEvent.hasChanged;
  }

  feed(chunk: Buffer): Buffer {
    this.received.push(chunk);
    const passed = this.firstEvent.feed(chunk, this.gaveEndpoint);
    this.passed.push(passed);
    return passed;
  }

  /** The stream is over: what was waited with. */
  end(): Buffer {
    const passed = this.passed.reduce((sum, { length }) => sum + length, 0);
    const rest = this.firstEvent.hasChanged ? Buffer.alloc(0) : Buffer.concat(this.received).subarray(passed);
    this.passed.push(rest);
    return rest;
  }
}

interface InformationEvent {
  statusCode: number;
  statusMessage: string;
  httpVersion: string;
  rawHeaders: string[];
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
};

const isSame = (one: readonly HeaderLine[], other: readonly HeaderLine[]): boolean =>
  one.length === other.length && one.every(([name, value], at) => name === other[at]?.[0] && value === other[at][1]);

/** A client opens a session with it (specification up to 2025-11-25: basic/lifecycle). */
const opensSession = (beginning: Buffer): boolean => /"method"\s*:\s*"initialize"/.test(beginning.toString('latin1', 0, keptForId));

const hasBody = (lines: readonly HeaderLine[]): boolean =>
  headerValue(lines, 'transfer-encoding') !== undefined || Number(headerValue(lines, 'content-length') ?? 0) > 0;

/** A body that was changed: its length is another, and what vouched for the old one goes. */
function withLength(lines: readonly HeaderLine[], length: number): HeaderLine[] {
  const stale = ['etag', 'digest', 'content-digest', 'repr-digest', 'content-md5', 'content-encoding'];
  return withHeader(
    lines.filter(([name]) => !stale.includes(name.toLowerCase()) && name.toLowerCase() !== 'transfer-encoding'),
    'Content-Length',
    String(length),
  ) as HeaderLine[];
}

function failureOf(error: NodeJS.ErrnoException & { reason?: string }, hasAnswered: boolean): Failure {
  const { code = '', message } = error;
  if (code === 'ETIMEDOUT') return { status: 504, what: 'the connection was not made in time' };
  if (code === 'ECONNREFUSED') return { status: 502, what: 'nobody listens there (ECONNREFUSED)' };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { status: 502, what: `the name cannot be resolved (${code})` };
  if (code === 'ECONNRESET') {
    return { status: 502, what: `it closed the connection ${hasAnswered ? 'in the middle of its answer' : 'without an answer'}` };
  }
  if (code.startsWith('HPE_')) return { status: 502, what: `what it answered is no HTTP (${error.reason ?? message})` };
  const isUntrusted = /CERT|ISSUER|VERIFY/.test(code);
  if (isUntrusted) return { status: 502, what: `its certificate is not trusted: ${message} (${code}); --ca FILE trusts another issuer` };
  return { status: 502, what: `${message}${code === '' || message.includes(code) ? '' : ` (${code})`}` };
}

/** So much is collected of a message that may have to be mapped; a longer one is passed as it is. Bytes. */
function collect(source: IncomingMessage, whole: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  source.on('data', (chunk: Buffer) => chunks.push(chunk));
  source.on('end', () => whole(Buffer.concat(chunks)));
  source.on('error', () => undefined);
}
