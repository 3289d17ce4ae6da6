import type { Placed } from '../open-set.ts';
import type { Side } from '../protocol/message.ts';
import type { Head, HeaderLine, HttpPlace, Leg } from './format.ts';
import type { HttpRecorder } from './http-recorder.ts';
import type { RedactedJson } from './redaction/head-texts.ts';
import { type BodyForm, legMember, SideRecorder } from './side-recorder.ts';

/** Records one request and all that comes back on it. */
export class HttpStreamRecorder implements Placed {
  place: number | undefined;
  readonly c: number;
  readonly s: number;
  private readonly recorder: HttpRecorder;
  /** The bodies that have begun and not ended. */
  private sides: SideRecorder[] = [];
  private hasAnswer = false;

  constructor(recorder: HttpRecorder, c: number, s: number) {
    this.recorder = recorder;
    this.c = c;
    this.s = s;
  }

  head(at: number, from: Side, head: Head, redacted: readonly string[] = [], place: Omit<HttpPlace, 's'> = {}): void {
    const text = { json: JSON.stringify(head), places: redacted.map((one) => JSON.stringify(one)).join(',') };
    this.headText(at, from, text, place.leg, place.made);
  }

  /** A head that is written out already. */
  headText(at: number, from: Side, { json, places }: RedactedJson, leg?: Leg, made = false): void {
    const place = `${legMember(leg)}${made ? ',"made":true' : ''}`;
    const redacted = places === '' ? '' : `,"redacted":[${places}]`;
    this.recorder.writer.line(at, `,"c":${this.c},"s":${this.s},"from":"${from}"${place}${redacted},"head":${json}}`);
  }

  trailers(at: number, from: Side, trailers: readonly HeaderLine[]): void {
    this.recorder.writer.event(at, { s: this.s, from, trailers }, this.c);
  }

  note(at: number, kind: string, text: string): void {
    this.recorder.writer.event(at, { s: this.s, note: { kind, text } }, this.c);
  }

  /** A body begins. @param leg where it passes in another form on the other side */
  body(from: Side, form: BodyForm, leg?: Leg): void {
    if (from === 'server') this.hasAnswer = true;
    this.take(from, leg);
    this.sides.push(new SideRecorder(this.recorder, { c: this.c, s: this.s, from, leg }, form));
  }

  /** Bytes of a body have passed. They are kept and must not change any more. */
  passed(at: number, from: Side, bytes: Uint8Array, leg?: Leg): void {
    this.sides.find((side) => side.is(from, leg))?.passed(bytes, at);
  }

  /** A body is over. @param why it is not whole */
  end(at: number, from: Side, why?: string, leg?: Leg): void {
    this.take(from, leg)?.end(at, why);
    if (from === 'server' && leg !== 'server' && this.sides.length === 0) this.recorder.over(this);
  }

  /** All of it has passed. */
  endAll(at: number): void {
    this.endSides(at, undefined);
  }

  /** Nothing more will be seen of it. */
  breakOff(at: number, why: string): void {
    if (!this.hasAnswer) this.body('server', { isEventStream: false });
    this.endSides(at, why);
  }

  private endSides(at: number, why: string | undefined): void {
    for (const side of this.sides) side.end(at, why);
    this.sides = [];
    this.recorder.over(this);
  }

  private take(from: Side, leg: Leg | undefined): SideRecorder | undefined {
    const index = this.sides.findIndex((side) => side.is(from, leg));
    return index < 0 ? undefined : this.sides.splice(index, 1)[0];
  }
}
