import { JsonScanner } from '../wire/json-scanner.ts';
import { SseFramer, soleDataLine } from '../wire/sse-framer.ts';
import { readUtf8 } from '../wire/utf8.ts';
import { longestRecordedLine } from './format.ts';
import { type ItemForm, type ItemOwner, ItemRecorder, stillFor } from './item-recorder.ts';

const newline = 0x0a;

/** How what stands in the records may differ from what passed. */
export interface Redaction {
  /**
   * What stands in place of an item, with the places that were replaced; nothing where all stays.
   *
   * @param part which part of a long item it is; nothing for a whole one
   */
  redact(item: Uint8Array, part?: number): { bytes: Uint8Array; redacted: readonly string[] } | undefined;
  /** Told of all bytes that the records give back, in order. */
  given(bytes: Uint8Array): void;
}

/** Makes records of one body on HTTP: of the whole of it, or of each event where it is an event stream. */
export interface BodyRecorder {
  /** Bytes that no record holds yet. */
  readonly pending: number;
  passed(bytes: Uint8Array, at: number): void;
  /** True where something still waits to be written. */
  settle(at: number): boolean;
  end(): void;
}

/** Makes records of a body that is one item. */
export class WholeBodyRecorder implements BodyRecorder {
  private readonly items: ItemRecorder;

  /**
   * @param origin what its records say of where they come from: `,"c":1,"s":1,"from":"client"`
   * @param redaction where something in it may have to be replaced
   */
  constructor(owner: ItemOwner, origin: Uint8Array, redaction: Redaction | undefined) {
    this.items = new ItemRecorder(owner, {
      origin,
      eol: () => '',
      scanner: new JsonScanner(),
      stand: standing(redaction),
      isOneOfMany: true,
      isHeldBack: redaction !== undefined,
    });
  }

  get pending(): number {
    return this.items.pending;
  }

  passed(bytes: Uint8Array, at: number): void {
    this.items.add(bytes, 0, bytes.length, false, at);
  }

  settle(at: number): boolean {
    return this.items.settle(at);
  }

  /** A `held` record says already what has passed so far. */
  heldIsTold(): void {
    this.items.heldIsTold();
  }

  end(): void {
    this.items.end();
  }
}

/** JSON on several lines is no record of one line. */
const standing =
  (redaction: Redaction | undefined): NonNullable<ItemForm['stand']> =>
  (body, isJson, part) => {
    const changed = redaction?.redact(body, part);
    const bytes = changed?.bytes ?? body;
    redaction?.given(bytes);
    const extra = changed ? redactedMember(changed.redacted) : '';
    const stands = isJson && !bytes.includes(newline) && (!changed || isWholeJson(bytes));
    return changed || stands !== isJson ? { bytes, extra, isJson: stands } : undefined;
  };

/** What stands instead of JSON need not be any. */
function isWholeJson(bytes: Uint8Array): boolean {
  const scanner = new JsonScanner();
  scanner.reset();
  scanner.feed(bytes, 0, bytes.length);
  return scanner.end();
}

const redactedMember = (places: readonly string[]): string => `,"redacted":${JSON.stringify(places)}`;

/** Where the events of a stream come from, and how they are read. */
interface EventForm {
  /** What their records say of it: `,"c":1,"s":1,"from":"server"`. */
  origin: Uint8Array;
  redaction: Redaction | undefined;
  /** Many streams may have one in common: events are only read when they are whole. */
  scanner: JsonScanner;
}

/** Makes records of an event stream: a record an event. */
export class EventStreamRecorder implements BodyRecorder {
  private readonly framer = new SseFramer();
  private readonly owner: ItemOwner;
  private readonly form: EventForm;
  /** For events that are no JSON, that are too long, or that stand still. */
  private items: ItemRecorder | undefined;
  private isFirst = true;
  private lastByteAt = 0;

  constructor(owner: ItemOwner, form: EventForm) {
    this.owner = owner;
    this.form = form;
  }

  get pending(): number {
    return (this.items?.pending ?? 0) + this.framer.held;
  }

  passed(bytes: Uint8Array, at: number): void {
    this.lastByteAt = at;
    for (const event of this.framer.feed(bytes)) this.event(event, at);
    if (this.framer.held > longestRecordedLine) this.hold();
  }

  settle(at: number): boolean {
    if (this.framer.held > 1 && at - this.lastByteAt >= stillFor) this.hold();
    // One byte may be the second half of a line end that has been handed on already.
    return this.items?.settle(at) === true || this.framer.held > 1;
  }

  end(): void {
    this.hold();
    this.items?.end();
  }

  /** What the framer holds of an event is kept here from now on. */
  private hold(): void {
    if (this.framer.held === 0) return;
    const held = this.framer.takeHeld();
    this.others().add(held, 0, held.length, false, this.lastByteAt);
  }

  private others(): ItemRecorder {
    const { origin, redaction } = this.form;
    this.items ??= new ItemRecorder(this.owner, {
      origin,
      eol: () => '',
      scanner: undefined,
      stand: standing(redaction),
      isOneOfMany: true,
      isHeldBack: redaction !== undefined,
      before: ',"sse":""',
    });
    return this.items;
  }

  private event(bytes: Uint8Array, at: number): void {
    const { isFirst, items } = this;
    this.isFirst = false;
    if (items?.isOpen) {
      items.add(bytes, 0, bytes.length, false, at);
      items.end();
    } else if (!this.writeMessage(bytes, at, isFirst)) this.others().whole(bytes, 0, bytes.length, 0, at);
  }

  /** Writes an event whose one line of data is JSON, with that as the message; false where it is none. */
  private writeMessage(bytes: Uint8Array, at: number, isFirst: boolean): boolean {
    const { redaction, scanner, origin } = this.form;
    const passed = messageIn(bytes, isFirst);
    if (!passed || !this.isJson(bytes, passed)) return false;
    if (scanner.messageCount > 0) {
      this.owner.sawMessages(scanner.outlines, scanner.messageCount, () => bytes.subarray(passed.from, passed.to));
    }
    const changed = redaction?.redact(bytes);
    const event = changed?.bytes ?? bytes;
    const stand = changed ? messageIn(event, isFirst) : passed;
    if (!stand || (changed && !this.isJson(event, stand))) return false;
    redaction?.given(event);
    const head = { origin, at, since: at, extra: changed ? redactedMember(changed.redacted) : '' };
    if (!this.owner.readyToWrite(at) || !this.owner.writer.sse(head, event, stand.from, stand.to)) {
      this.owner.lose(event.length);
    }
    return true;
  }

  private isJson(bytes: Uint8Array, { from, to }: { from: number; to: number }): boolean {
    const { scanner } = this.form;
    scanner.reset();
    scanner.feed(bytes, from, to);
    return scanner.end();
  }
}

/** Where the one line of data of an event stands, if what stands around it is text. */
function messageIn(event: Uint8Array, isFirst: boolean): { from: number; to: number } | undefined {
  const data = soleDataLine(event, isFirst);
  return data && isText(event, 0, data.from) && isText(event, data.to, event.length) ? data : undefined;
}

function isText(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if ((bytes[at] as number) >= 0x80) return readUtf8(bytes.subarray(from, to)) !== undefined;
  }
  return true;
}
