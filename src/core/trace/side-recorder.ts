import type { Placed } from '../open-set.ts';
import type { Side } from '../protocol/message.ts';
import type { Outline } from '../wire/json-scanner.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import { type BodyRecorder, EventStreamRecorder, type Redaction, WholeBodyRecorder } from './body-recorder.ts';
import { type Leg, notSearchedNote, type Sum } from './format.ts';
import type { HttpRecorder } from './http-recorder.ts';
import { type ItemOwner, stillFor } from './item-recorder.ts';
import { type RecordWriter, saidInExtra } from './record-writer.ts';
import type { RunningSum } from './running-sum.ts';
import type { Staging } from './staging.ts';

/** How often the sums of a body that goes on are written. Milliseconds. */
export const betweenSums = 1000;

/** The longest first chunk that is kept as it came, in case it is all. Bytes. */
const longestOnly = 64 * 1024;

const newline = 0x0a;
const nothing = new Uint8Array();

/** A body as its head describes it. */
export interface BodyForm {
  isEventStream: boolean;
  /** Replaces what must not be kept; none where nothing can have to be. */
  redact?: Redaction['redact'] | undefined;
  /** Why it was not searched for what must not be kept, once it is over and should have been. */
  unsearched?: (() => string | undefined) | undefined;
}

/** Whose body it is. `leg` where it passes in another form on the other side. */
export interface BodyPlace {
  c: number;
  s: number;
  from: Side;
  leg: Leg | undefined;
}

/** What it takes to record a body that comes bit by bit. */
interface Parts {
  body: BodyRecorder;
  /** Of what the records give back. */
  given: RunningSum;
  /** Of what passed, where something else may stand in the records. */
  passed: RunningSum | undefined;
}

/**
 * Records one body of a stream. Most come in one chunk, which is kept as it is until the body is over: so little is made
 * for them, and for the thousands that may be under way. What takes more is only made for a body that needs it.
 */
export class SideRecorder implements ItemOwner, Placed {
  /** Among those that are watched. */
  place: number | undefined;
  readonly body: BodyPlace;
  private readonly recorder: HttpRecorder;
  private readonly form: BodyForm;
  /** The only chunk so far. */
  private only: Uint8Array | undefined;
  private onlyAt = 0;
  private onlyIsHeld = false;
  private parts: Parts | undefined;
  private hasRedacted = false;
  private untold = 0;
  private lastSumsAt: number | undefined;
  private summed = 0;

  constructor(recorder: HttpRecorder, place: BodyPlace, form: BodyForm) {
    this.recorder = recorder;
    this.body = place;
    this.form = form;
  }

  is(from: Side, leg: Leg | undefined): boolean {
    return this.body.from === from && this.body.leg === leg;
  }

  get writer(): RecordWriter {
    return this.recorder.writer;
  }

  get staging(): Staging {
    return this.recorder.staging;
  }

  /** Bytes have passed. They are kept and must not change any more. */
  passed(bytes: Uint8Array, at: number): void {
    if (bytes.length === 0) return;
    this.recorder.watch(this);
    if (this.only || this.parts || !this.mayBeAll(bytes)) this.add(this.inParts(), bytes, at);
    else {
      this.only = bytes;
      this.onlyAt = at;
    }
  }

  /** Time has passed. True where something still waits to be written. */
  settle(at: number): boolean {
    if (this.only) return !this.onlyIsHeld && !this.holdOnly(this.only, at);
    return this.parts !== undefined && this.settleParts(this.parts, at);
  }

  /** @param why it is not whole */
  end(at: number, why: string | undefined): void {
    const sum = this.parts ? this.endParts(this.parts) : this.endOnly(this.only ?? nothing);
    this.tellLoss(at, true);
    const { c, s, from, leg } = this.body;
    const unsearched = this.form.unsearched?.();
    if (unsearched !== undefined) this.writer.event(at, { s, note: { kind: notSearchedNote, text: unsearched } }, c);
    const passed = this.hasRedacted && this.parts?.passed ? `,"passed":${hmacOf(this.parts.passed)}` : '';
    const rest = passed + (why === undefined ? '' : `,"why":${JSON.stringify(why)}`);
    this.writer.line(at, `,"c":${c},"s":${s},"ended":"${from}"${legMember(leg)},"sum":${sumText(sum)}${rest}}`);
    this.only = undefined;
    this.parts = undefined;
    this.recorder.unwatch(this);
  }

  readyToWrite(at: number): boolean {
    return this.untold === 0 || this.tellLoss(at);
  }

  lose(bytes: number): void {
    this.untold += bytes;
    this.recorder.lose(this, bytes);
  }

  /** What passed in two forms is counted once. */
  sawMessages(outlines: readonly Outline[], count: number): void {
    if (this.body.leg !== 'server') this.recorder.sawMessages(outlines, count);
  }

  /** @param must whether there is room or not */
  tellLoss(at: number, must = false): boolean {
    if (this.untold === 0) return true;
    if (!must && !this.staging.hasRecovered) return false;
    const { c, s, from, leg } = this.body;
    const lost = { from, bytes: this.untold, why: this.recorder.lossReason };
    this.writer.event(at, { s, ...(leg === undefined ? {} : { leg }), lost }, c);
    this.untold = 0;
    this.recorder.told(this);
    return true;
  }

  private mayBeAll(bytes: Uint8Array): boolean {
    return bytes.length <= longestOnly && !this.form.isEventStream && !this.form.redact;
  }

  /** It stands still for long enough: its bytes are shown. False where that is still to be done. */
  private holdOnly(bytes: Uint8Array, at: number): boolean {
    if (at - this.onlyAt < stillFor || !this.staging.hasRecovered) return false;
    this.writer.textOrBase64(this.headOfOnly(',"held":0'), bytes);
    this.onlyIsHeld = true;
    // It may be long until more comes, and the chunk may be a piece of something longer.
    this.only = new Uint8Array(bytes);
    return true;
  }

  /** All of it has come in one chunk. */
  private endOnly(bytes: Uint8Array): Sum {
    if (bytes.length > 0 && !this.writeOnly(bytes)) this.lose(bytes.length);
    return { bytes: bytes.length, sha256: this.recorder.digest(bytes) };
  }

  private writeOnly(bytes: Uint8Array): boolean {
    const { scanner } = this.recorder;
    scanner.reset();
    scanner.feed(bytes, 0, bytes.length);
    const isJson = scanner.end();
    if (isJson) this.sawMessages(scanner.outlines, scanner.messageCount);
    const head = this.headOfOnly('');
    return isJson && !bytes.includes(newline)
      ? this.writer.msg(head, bytes, 0, bytes.length)
      : this.writer.textOrBase64(head, bytes);
  }

  private headOfOnly(more: string) {
    return { origin: saidInExtra, at: this.onlyAt, since: this.onlyAt, extra: this.origin() + more };
  }

  /** It takes more than one chunk. */
  private inParts(): Parts {
    if (this.parts) return this.parts;
    const { form, recorder, only } = this;
    const redaction = form.redact && this.redaction(form.redact);
    const origin = writeUtf8(this.origin());
    const whole = form.isEventStream ? undefined : new WholeBodyRecorder(this, origin, redaction);
    const body = whole ?? new EventStreamRecorder(this, { origin, redaction, scanner: recorder.scanner });
    const parts = { body, given: recorder.sum(), passed: form.redact && recorder.keyedSum() };
    this.parts = parts;
    this.only = undefined;
    if (only) this.add(parts, only, this.onlyAt);
    if (this.onlyIsHeld) whole?.heldIsTold();
    return parts;
  }

  private add({ body, given, passed }: Parts, bytes: Uint8Array, at: number): void {
    (passed ?? given).add(bytes);
    this.lastSumsAt ??= at;
    body.passed(bytes, at);
  }

  private settleParts({ body, given }: Parts, at: number): boolean {
    const isRestless = body.settle(at);
    // As long as something is held, no sum is due: it would be of bytes that no record has.
    if (given.bytes === this.summed || this.lastSumsAt === undefined || body.pending > 0) return isRestless;
    if (at - this.lastSumsAt < betweenSums || !this.staging.hasRecovered) return true;
    this.lastSumsAt = at;
    this.summed = given.bytes;
    this.writer.line(at, `${this.origin()},"sum":${sumText(given.sum())}}`);
    return isRestless;
  }

  private endParts({ body, given }: Parts): Sum {
    body.end();
    return given.sum();
  }

  /** What each of its records says of where it comes from. */
  private origin(): string {
    const { c, s, from, leg } = this.body;
    return `,"c":${c},"s":${s},"from":"${from}"${legMember(leg)}`;
  }

  private redaction(redact: Redaction['redact']): Redaction {
    return {
      redact: (item, part) => {
        const changed = redact(item, part);
        if (changed) this.hasRedacted = true;
        return changed;
      },
      given: (bytes) => this.parts?.given.add(bytes),
    };
  }
}

/** What a record says of the leg, where there is one. */
export const legMember = (leg: Leg | undefined): string => (leg === undefined ? '' : `,"leg":"${leg}"`);

const sumText = ({ bytes, sha256 }: Sum): string => `{"bytes":${bytes},"sha256":"${sha256}"}`;

function hmacOf(sum: RunningSum): string {
  const { bytes, sha256 } = sum.sum();
  return `{"bytes":${bytes},"hmac":"${sha256}"}`;
}
