import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Placed } from '../../core/open-set.ts';
import { closedByClient, type Head, type HeaderLine } from '../../core/trace/format.ts';
import { endToEnd, headerValue, isNamed, linesOf, withHeader } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { Collector } from './collector.ts';
import type { Exchange, ResponseListener } from './exchange.ts';
import { type Failure, failureOf } from './failure.ts';
import { Gate } from './gate.ts';
import { type BodyMapping, mapRequest } from './mapping.ts';
import { keptForId, OwnAnswer } from './own-answer.ts';
import { beginningOf } from './not-http.ts';
import { PassageRecord } from './passage-record.ts';
import { ResponsePassage } from './response-passage.ts';
import type { ProxyParts } from './reverse-proxy.ts';

/** How long the first bytes of a body are waited for, to see whose it is. Milliseconds. */
const waitForBody = 5;

/** Methods that may be sent again where a kept connection turns out to be closed (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** One request on its way to the server; its response comes back by `ResponsePassage`. */
export class Passage implements ResponseListener, Placed {
  place: number | undefined;
  private readonly parts: ProxyParts;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly lines: readonly HeaderLine[];
  private readonly method: string;
  private readonly target: string;
  private readonly hasBody: boolean;
  private readonly address: string;
  private readonly host: string | undefined;
  /** The origin that the client calls us by. */
  private readonly own: string;
  private c = 0;
  private record!: PassageRecord;
  private exchange: Exchange | undefined;
  /** As it goes to the server. */
  private sent: { target: string; lines: readonly HeaderLine[] } | undefined;
  private isSentAgain = false;
  private back: ResponsePassage | undefined;
  private gate: Gate | undefined;
  /** What a body becomes that has to be whole before it can be passed on. */
  private form: { collected: Collector; pass: (bytes: Buffer) => void } | undefined;
  /** The beginning of the body, to find its id in it. */
  private begun: Buffer[] = [];
  /** How much of the body has come. Bytes. */
  private came = 0;
  private hasBegun = false;
  private isRequestWhole: boolean;
  private hasAnswered = false;
  private isOver = false;

  constructor(parts: ProxyParts, request: IncomingMessage, response: ServerResponse) {
    this.parts = parts;
    this.request = request;
    this.response = response;
    this.lines = linesOf(request.rawHeaders);
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.hasBody = describesBody(this.lines);
    this.address = request.socket.remoteAddress ?? '';
    this.host = headerValue(this.lines, 'host');
    this.own = `http://${this.host ?? ''}`;
    this.isRequestWhole = !this.hasBody;
    response.sendDate = false;
    // That nobody reads what is written is heard of by its close.
    response.on('error', ignore);
    request.on('error', ignore);
  }

  private get requestHead(): Head {
    return { version: this.request.httpVersion, method: this.method, target: this.target, lines: this.lines };
  }

  /** Whose request it is may only be told by its first bytes: an `initialize` is always another client's. */
  start(): void {
    const { request, response } = this;
    response.on('close', () => this.clientLeft());
    if (!this.hasBody || headerValue(this.lines, 'expect') !== undefined) this.begin(undefined);
    if (!this.hasBody) return;
    request.on('data', (chunk: Buffer) => this.bodyCame(chunk));
    request.on('end', () => this.bodyEnded());
    if (this.hasBegun) return;
    // What comes with the head goes out with it.
    setImmediate(() => this.bodyIsLate());
  }

  private bodyIsLate(): void {
    if (this.hasBegun) return;
    const mayOpen = this.method === 'POST' && headerValue(this.lines, 'mcp-session-id') === undefined;
    if (mayOpen) setTimeout(() => this.begin(undefined), waitForBody);
    else this.begin(undefined);
  }

  /** @param first the first bytes of the body, where these are here already */
  private begin(first: Buffer | undefined): void {
    if (this.hasBegun || this.isOver) return;
    this.hasBegun = true;
    const { clients, recording, privacy } = this.parts;
    const { address } = this;
    const opens = first !== undefined && opensSession(first);
    const c = clients.of({ target: this.target, lines: this.lines, address, opens });
    this.c = c;
    this.record = new PassageRecord({ recording, privacy, target: this.target, c, peer: address });
    const { host } = this;
    if (this.response.destroyed) {
      this.record.head('client', this.requestHead, undefined);
      this.finish(closedByClient);
    } else if (!this.parts.isForUs(host)) this.refuse(host);
    else if (!this.target.startsWith('/') && this.target !== '*') {
      this.record.head('client', this.requestHead, undefined);
      this.answer(400, 'This is a reverse proxy: a request names a path, not a whole URL.', undefined);
    } else this.pass(first);
  }

  /** Ends it on both sides, wherever it is. */
  abort(why: string): void {
    if (this.isOver) return;
    if (this.hasBegun) this.finish(why);
    this.isOver = true;
    this.exchange?.destroy();
    this.response.destroy();
  }

  private pass(first: Buffer | undefined): void {
    const { options } = this.parts;
    const mapped = options.rewrites ? mapRequest(options.target.origin, this.own, this.target, this.lines) : undefined;
    const target = mapped?.target ?? this.target;
    const lines = withHeader(endToEnd(mapped?.lines ?? this.lines), 'Host', options.target.host);
    lines.push(['Connection', 'keep-alive']);
    if (mapped?.body) {
      this.passForm(mapped.body, target, lines);
      if (first) this.bodyCame(first);
      return;
    }
    // What frames the body on the next hop: its length where that is known, else chunks.
    if (headerValue(this.lines, 'transfer-encoding') !== undefined) lines.push(['Transfer-Encoding', 'chunked']);
    const exchange = this.send(target, lines);
    // It is passed on before it is looked at.
    const taken = first === undefined || exchange.write(first);
    if (!this.hasBody) exchange.end();
    else exchange.flush();
    this.record.head('client', this.requestHead, 'client');
    this.record.head('client', { ...this.requestHead, target, lines }, 'server');
    this.record.beginBody('client', this.lines);
    if (first) this.passedOn(first, taken);
    if (!this.hasBody) this.record.endBody('client');
  }

  private send(target: string, lines: readonly HeaderLine[]): Exchange {
    const { method, record, response } = this;
    const exchange = this.parts.upstream.request(method, target, lines, this);
    const asked = { c: this.c, method, target: this.target, own: this.own, version: this.request.httpVersion };
    this.exchange = exchange;
    this.sent = { target, lines };
    this.back = new ResponsePassage(this.parts, { asked, record, response, exchange });
    this.gate = new Gate(this.request);
    return exchange;
  }

  private bodyCame(chunk: Buffer): void {
    if (!this.hasBegun) {
      this.begin(chunk);
      return;
    }
    if (this.isOver) return;
    if (!this.form) this.passedOn(chunk, (this.exchange as Exchange).write(chunk));
    else if (!this.form.collected.add(chunk)) this.answer(413, 'This form is too long to be passed on.', undefined);
  }

  /** @param taken the server's end is not full */
  private passedOn(chunk: Buffer, taken: boolean): void {
    const { gate, exchange, parts } = this;
    this.record.passed('client', chunk);
    this.keepForId(chunk);
    if (!taken) gate?.closeUntil((go) => exchange?.onceDrained(go));
    if (parts.recording.isFarBehind()) gate?.closeUntil((go) => parts.recording.whenReady(go));
  }

  private bodyEnded(): void {
    this.isRequestWhole = true;
    if (!this.hasBegun) this.begin(undefined);
    if (this.isOver) return;
    if (this.form) {
      this.form.pass(this.form.collected.bytes);
      return;
    }
    const trailers = linesOf(this.request.rawTrailers);
    this.exchange?.end(trailers);
    if (trailers.length > 0) this.record.trailers('client', trailers);
    this.record.endBody('client');
  }

  /** A body that names URLs has to be whole before it can be passed on: it is small. */
  private passForm(mapping: BodyMapping, target: string, lines: readonly HeaderLine[]): void {
    const { record } = this;
    record.head('client', this.requestHead, 'client');
    if (headerValue(this.lines, 'expect') !== undefined) this.response.writeContinue();
    const pass = (bytes: Buffer): void => {
      const mapped = mapping(bytes, headerValue(this.lines, 'content-encoding'));
      const sent = mapped?.bytes ?? bytes;
      const asked = lines.filter((line) => !isNamed(line, 'expect'));
      const sentLines = withHeader(asked, 'Content-Length', String(sent.length));
      this.keepForId(bytes);
      const exchange = this.send(target, sentLines);
      exchange.write(sent);
      exchange.end();
      record.wholeBody('client', this.lines, bytes, mapped && 'client');
      if (mapped) record.wholeBody('client', this.lines, sent, 'server');
      record.head('client', { ...this.requestHead, target, lines: sentLines }, 'server');
    };
    this.form = { collected: new Collector(), pass };
  }

  /** @internal */
  information(head: ResponseHead): void {
    if (!this.hasAnswered) this.back?.information(head);
  }

  /** @internal */
  head(head: ResponseHead, isLast: boolean): void {
    this.hasAnswered = true;
    this.begun = [];
    this.back?.head(head, isLast);
  }

  /** @internal */
  body(bytes: Buffer, isLast: boolean): void {
    if (this.back?.body(bytes, isLast) === false) {
      this.exchange?.destroy();
      this.failed(new Error('this answer is too long to be looked through'));
    }
  }

  /** @internal */
  trailers(trailers: readonly HeaderLine[]): void {
    this.back?.trailers(trailers);
  }

  /** @internal */
  end(): void {
    this.back?.end();
    this.answered('the server had answered before');
  }

  /** @internal */
  failed(error: NodeJS.ErrnoException, begins?: Uint8Array): void {
    if (this.isOver) return;
    if (this.sent && this.mayBeStale(error)) {
      this.isSentAgain = true;
      this.send(this.sent.target, this.sent.lines).end();
      return;
    }
    const failure = failureOf(error, this.hasAnswered, begins);
    if (begins && begins.length > 0) this.record.note('not-http', beginningOf(begins, failure.what));
    else this.record.note('upstream-failed', failure.what);
    if (this.back?.hasBegun) {
      this.back.breakOff();
      this.finish(failure.what);
      return;
    }
    const { target } = this.parts.options;
    if (!this.hasAnswered) this.parts.unreachable(failure.what);
    this.answer(failure.status, `wireproof could not get an answer from ${target.origin}: ${failure.what}.`, failure);
  }

  /** A kept connection may have been closed by the server while the request was on its way. */
  private mayBeStale({ code }: NodeJS.ErrnoException): boolean {
    const isClosed = this.exchange?.isReused === true && (code === 'ECONNRESET' || code === 'EPIPE');
    return isClosed && !this.hasBody && !this.hasAnswered && !this.isSentAgain && idempotent.has(this.method);
  }

  private clientLeft(): void {
    if (!this.hasBegun) this.begin(undefined);
    if (this.isOver) return;
    this.finish(closedByClient);
    this.exchange?.destroy();
  }

  /** The response is whole. @param why the request is not, where that is so */
  private answered(why: string): void {
    if (this.isOver) return;
    if (!this.isRequestWhole) this.record.endBody('server');
    this.finish(this.isRequestWhole ? undefined : why);
  }

  /** Nothing more is recorded of it. @param why it is not whole */
  private finish(why: string | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.record.end(why);
  }

  private refuse(host: string | undefined): void {
    this.record.head('client', this.requestHead, undefined);
    const named = host === undefined ? 'names no host' : `is for the host ${JSON.stringify(host)}`;
    this.record.note('refused', `it ${named}, which is not this listener`);
    this.answer(403, `This request ${named}, and wireproof only takes those for its own. See --allow-host.`, undefined);
  }

  /** Answers in the server's place. */
  private answer(status: number, message: string, failure: Failure | undefined): void {
    const answer = new OwnAnswer({ status, message, failure, begun: this.begun });
    this.hasAnswered = true;
    this.record.head('server', answer.head, undefined, true);
    this.record.beginBody('server', answer.head.lines);
    this.record.passed('server', answer.body);
    answer.send(this.response);
    this.request.resume();
    this.answered('wireproof answered before all of it had come');
  }

  private keepForId(chunk: Buffer): void {
    this.came += chunk.length;
    if (Number(headerValue(this.lines, 'content-length')) === this.came) this.isRequestWhole = true;
    if (this.hasAnswered) return;
    if (this.came > keptForId) this.begun = [];
    else this.begun.push(chunk);
  }
}

const ignore = (): void => undefined;

/** A client opens a session with it (specification up to 2025-11-25: basic/lifecycle). */
const opensSession = (beginning: Buffer): boolean =>
  /"method"\s*:\s*"initialize"/.test(beginning.toString('latin1', 0, keptForId));

const describesBody = (lines: readonly HeaderLine[]): boolean =>
  headerValue(lines, 'transfer-encoding') !== undefined || Number(headerValue(lines, 'content-length') ?? 0) > 0;
