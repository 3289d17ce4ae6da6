import type { Side } from '../../core/protocol/message.ts';
import type { Head, HeaderLine, Leg } from '../../core/trace/format.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import type { HttpStreamRecorder } from '../../core/trace/http-stream-recorder.ts';
import type { HttpRecording } from './http-recording.ts';
import type { Opening } from './opening.ts';
import type { TracePrivacy } from './trace-privacy.ts';

/** What is recorded of one request and its response: with stand-ins where there are secrets. */
export class PassageRecord {
  private readonly recording: HttpRecording;
  private readonly privacy: TracePrivacy;
  private readonly target: string;
  private method: string | undefined;
  private readonly stream: HttpStreamRecorder;

  /** @param options `target` is the path and query of the request, `c` the connection, `peer` the client's address */
  constructor(options: { recording: HttpRecording; privacy: TracePrivacy; target: string; c: number; peer: string }) {
    this.recording = options.recording;
    this.privacy = options.privacy;
    this.target = options.target;
    this.stream = options.recording.stream(options.c, options.peer);
  }

  /** @param leg which side of wireproof it passed on, where the other differs. @param made wireproof says it itself */
  head(from: Side, head: Head, leg: Leg | undefined, made = false): void {
    if (from === 'client') this.method = head.method;
    this.stream.headText(this.recording.now(), from, this.privacy.headText(head), leg, made);
    this.recording.recorded();
  }

  /** A body begins that `lines` describe. */
  beginBody(from: Side, lines: readonly HeaderLine[], leg?: Leg): void {
    const type = headerValue(lines, 'content-type') ?? '';
    const encoding = headerValue(lines, 'content-encoding');
    const isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity';
    const isEventStream = /^text\/event-stream\b/i.test(type) && !isEncoded;
    const facts = { method: this.method, target: this.target, type, encoding: isEncoded ? encoding : undefined };
    this.stream.body(from, { isEventStream, redact: this.privacy.body(facts) }, leg);
  }

  passed(from: Side, bytes: Buffer, leg?: Leg): void {
    this.stream.passed(this.recording.now(), from, bytes, leg);
    this.recording.recorded();
  }

  /** A body is over. */
  endBody(from: Side, leg?: Leg): void {
    this.stream.end(this.recording.now(), from, undefined, leg);
    this.recording.recorded();
  }

  wholeBody(from: Side, lines: readonly HeaderLine[], bytes: Buffer, leg?: Leg): void {
    this.beginBody(from, lines, leg);
    this.passed(from, bytes, leg);
    this.endBody(from, leg);
  }

  /** The beginning of an event stream, in both its forms where the server's was changed. */
  opening({ received, passed, hasChanged }: Opening, lines: readonly HeaderLine[]): void {
    this.beginBody('server', lines);
    if (hasChanged) this.wholeBody('server', lines, Buffer.concat(received), 'server');
    for (const chunk of hasChanged ? passed : received) this.passed('server', chunk);
  }

  trailers(from: Side, trailers: readonly HeaderLine[]): void {
    this.stream.trailers(this.recording.now(), from, this.privacy.trailers(trailers));
  }

  note(kind: string, text: string): void {
    this.stream.note(this.recording.now(), kind, text);
    this.recording.recorded();
  }

  /** Nothing more is seen of it. @param why it is not whole */
  end(why: string | undefined): void {
    const at = this.recording.now();
    if (why === undefined) this.stream.endAll(at);
    else this.stream.breakOff(at, why);
    this.recording.recorded();
  }
}
