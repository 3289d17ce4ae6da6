import type { HeaderLine } from '../../core/trace/format.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import type { Exchange, ResponseListener } from './exchange.ts';
import { failureOf } from './failure.ts';
import { Gate } from './gate.ts';
import type { HttpRecording } from './http-recording.ts';
import { beginningOf } from './not-http.ts';
import type { PassageRecord } from './passage-record.ts';
import type { Upstream } from './upstream.ts';

/** What is asked: `path` has the query with it, `lines` are all that are sent. */
export interface RecordedRequest {
  method: string;
  path: string;
  lines: readonly HeaderLine[];
  body: Buffer | undefined;
}

/** Why a response is not whole, or not there. */
export interface Broken {
  /** As a person is told: `nobody listens there (ECONNREFUSED)`. */
  what: string;
  /** Nothing of the request has gone out. */
  neverLeft: boolean;
  /** The system's word for it, where it has one: `ECONNREFUSED`. */
  code?: string;
}

/** Hears of a response as it comes. */
export interface AnswerListener {
  head(head: ResponseHead): void;
  body(bytes: Buffer): void;
  /** Nothing more comes. */
  over(broken: Broken | undefined): void;
}

/** Methods that may be sent again where a kept connection turns out to be closed (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/** A request of wireproof's own and its response, recorded as they pass. */
export class RecordedExchange implements ResponseListener {
  private readonly upstream: Upstream;
  private readonly recording: HttpRecording;
  private readonly record: PassageRecord;
  private readonly request: RecordedRequest;
  private readonly listener: AnswerListener;
  private exchange: Exchange;
  private gate: Gate;
  private hasAnswered = false;
  private isSentAgain = false;
  private isOver = false;

  constructor(
    parts: { upstream: Upstream; recording: HttpRecording; record: PassageRecord },
    request: RecordedRequest,
    listener: AnswerListener,
  ) {
    this.upstream = parts.upstream;
    this.recording = parts.recording;
    this.record = parts.record;
    this.request = request;
    this.listener = listener;
    this.exchange = this.send();
    this.gate = new Gate(this.exchange);
    const { method, path, lines, body } = request;
    this.record.head('client', { version: '1.1', method, target: path, lines }, undefined);
    this.record.beginBody('client', lines);
    if (body) this.record.passed('client', body);
    this.record.endBody('client');
  }

  /** Nobody wants to hear of it any more: its connection is closed. @param why as it is recorded */
  drop(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.exchange.destroy();
    this.record.end(why);
  }

  /** @internal */
  information({ version, status, reason, lines }: ResponseHead): void {
    this.record.head('server', { version, status, reason, lines }, undefined);
  }

  /** @internal */
  head(head: ResponseHead): void {
    const { version, status, reason, lines } = head;
    this.hasAnswered = true;
    this.record.head('server', { version, status, reason, lines }, undefined);
    this.record.beginBody('server', lines);
    this.listener.head(head);
  }

  /** @internal */
  body(bytes: Buffer): void {
    this.record.passed('server', bytes);
    if (this.recording.isFarBehind()) this.gate.closeUntil((go) => this.recording.whenReady(go));
    this.listener.body(bytes);
  }

  /** @internal */
  trailers(trailers: readonly HeaderLine[]): void {
    this.record.trailers('server', trailers);
  }

  /** @internal */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.record.end(undefined);
    this.listener.over(undefined);
  }

  /** @internal */
  failed(error: NodeJS.ErrnoException, begins?: Uint8Array): void {
    if (this.isOver) return;
    if (this.mayBeStale(error)) {
      this.isSentAgain = true;
      this.exchange = this.send();
      this.gate = new Gate(this.exchange);
      return;
    }
    this.isOver = true;
    const { what } = failureOf(error, this.hasAnswered, begins);
    if (begins && begins.length > 0) this.record.note('not-http', beginningOf(begins, what));
    else this.record.note('upstream-failed', what);
    this.record.end(what);
    const { code } = error;
    this.listener.over({ what, neverLeft: !this.exchange.hasLeft, ...(code === undefined ? {} : { code }) });
  }

  private send(): Exchange {
    const { method, path, lines, body } = this.request;
    const exchange = this.upstream.request(method, path, lines, this);
    if (body) exchange.write(body);
    exchange.end();
    return exchange;
  }

  /** A kept connection may have been closed by the server while the request was on its way. */
  private mayBeStale({ code }: NodeJS.ErrnoException): boolean {
    const isClosed = this.exchange.isReused && (code === 'ECONNRESET' || code === 'EPIPE');
    return isClosed && !this.hasAnswered && !this.isSentAgain && idempotent.has(this.request.method);
  }
}
