import type { Side } from '../../core/protocol/message.ts';
import type { Head, HeaderLine, Leg } from '../../core/trace/format.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import type { HttpStreamRecorder } from '../../core/trace/http-stream-recorder.ts';
import type { BodyForm } from '../../core/trace/side-recorder.ts';
import type { HttpRecording } from './http-recording.ts';
import type { Opening } from './opening.ts';
import type { TracePrivacy } from './trace-privacy.ts';

/** What is recorded of one request and its response: with stand-ins where there are secrets. */
export class PassageRecord {
  private readonly recording: HttpRecording;
  private readonly privacy: TracePrivacy;
  private readonly target: string;
  private method: string | undefined;
  private stream!: HttpStreamRecorder;

  /** @param options `target` is the path and query of the request, `c` the connection, `peer` the client's address */
  constructor(options: { recording: HttpRecording; privacy: TracePrivacy; target: string; c: number; peer: string }) {
    const { recording, privacy, target, c, peer } = options;
    this.recording = recording;
    this.privacy = privacy;
    this.target = target;
    recording.later((at) => (this.stream = recording.stream(at, c, peer)));
  }

  /** @param leg which side of wireproof it passed on, where the other differs. @param made wireproof says it itself */
  head(from: Side, head: Head, leg: Leg | undefined, made = false): void {
    if (from === 'client') this.method = head.method;
    this.recording.later((at) => this.stream.headText(at, from, this.privacy.headText(head), leg, made));
  }

  /** A body begins that `lines` describe. */
  beginBody(from: Side, lines: readonly HeaderLine[], leg?: Leg): void {
    this.recording.later(() => this.stream.body(from, this.formOf(from, lines), leg));
  }

  /** Bytes of a body have passed. They are kept and must not change any more. */
  passed(from: Side, bytes: Buffer, leg?: Leg): void {
    this.recording.later((at) => this.stream.passed(at, from, bytes, leg), bytes.length);
  }

  /** A body is over. */
  endBody(from: Side, leg?: Leg): void {
    this.recording.later((at) => this.stream.end(at, from, undefined, leg));
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
    this.recording.later((at) => this.stream.trailers(at, from, this.privacy.trailers(trailers)));
  }

  note(kind: string, text: string): void {
    this.recording.later((at) => this.stream.note(at, kind, text));
  }

  /** Nothing more is seen of it. @param why it is not whole */
  end(why: string | undefined): void {
    this.recording.later((at) => (why === undefined ? this.stream.endAll(at) : this.stream.breakOff(at, why)));
  }

  private formOf(from: Side, lines: readonly HeaderLine[]): BodyForm {
    const type = headerValue(lines, 'content-type') ?? '';
    const encoding = headerValue(lines, 'content-encoding');
    const isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity';
    const isEventStream = /^text\/event-stream\b/i.test(type) && !isEncoded;
    const facts = { method: this.method, target: this.target, type, encoding: isEncoded ? encoding : undefined };
    return { isEventStream, ...this.privacy.passing(from, facts) };
  }
}
