import { JsonScanner } from '../wire/json-scanner.ts';
import { SseFramer, soleDataLine } from '../wire/sse-framer.ts';
import { readUtf8 } from '../wire/utf8.ts';
import { longestRecordedLine } from './format.ts';
import { type ItemForm, type ItemOwner, ItemRecorder, stillFor } from './item-recorder.ts';

const newline = 0x0a;

/** How what stands in the records may differ from what passed. */
export interface Redaction {
  /** What stands in place of an item, with the places that were replaced; nothing where all stays. */
  redact(item: Uint8Array): { bytes: Uint8Array; redacted: readonly string[] } | undefined;
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

/** @param redaction where something in it may have to be replaced */
export function bodyRecorder(owner: ItemOwner, origin: Uint8Array, redaction: Redaction | undefined): BodyRecorder {
  const scanner = new JsonScanner();
  const items = new ItemRecorder(owner, {
    origin,
    eol: () => '',
    scanner,
    stand: standing(redaction),
    isOneOfMany: true,
    isHeldBack: redaction !== undefined,
  });
  return {
    get pending() {
      return items.pending;
    },
    passed: (bytes, at) => items.add(bytes, 0, bytes.length, false, at),
    settle: (at) => items.settle(at),
    end: () => items.end(),
  };
}

/** JSON on several lines is no record of one line. */
const standing =
  (redaction: Redaction | undefined): NonNullable<ItemForm['stand']> =>
  (body, isJson) => {
    const changed = redaction?.redact(body);
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

/** Makes records of an event stream: a record an event. */
export class EventStreamRecorder implements BodyRecorder {
  private readonly framer = new SseFramer();
  private readonly owner: ItemOwner;
  private readonly origin: Uint8Array;
  private readonly redaction: Redaction | undefined;
  private readonly scanner = new JsonScanner();
  /** For events that are no JSON, that are too long, or that stand still. */
  private readonly items: ItemRecorder;
  private isFirst = true;
  private lastByteAt = 0;

  constructor(owner: ItemOwner, origin: Uint8Array, redaction: Redaction | undefined) {
    this.owner = owner;
    this.origin = origin;
    this.redaction = redaction;
    this.items = new ItemRecorder(owner, {
      origin,
      eol: () => '',
      scanner: undefined,
      stand: standing(redaction),
      isOneOfMany: true,
      isHeldBack: redaction !== undefined,
      before: ',"sse":""',
    });
  }

  get pending(): number {
    return this.items.pending + this.framer.held;
  }

  passed(bytes: Uint8Array, at: number): void {
    this.lastByteAt = at;
    for (const event of this.framer.feed(bytes)) this.event(event, at);
    if (this.framer.held > longestRecordedLine) this.hold();
  }

  settle(at: number): boolean {
    if (this.framer.held > 1 && at - this.lastByteAt >= stillFor) this.hold();
    // One byte may be the second half of a line end that has been handed on already.
    return this.items.settle(at) || this.framer.held > 1;
  }

  end(): void {
    this.hold();
    this.items.end();
  }

  /** What the framer holds of an event is kept here from now on. */
  private hold(): void {
    if (this.framer.held === 0) return;
    const held = this.framer.takeHeld();
    this.items.add(held, 0, held.length, false, this.lastByteAt);
  }

  private event(bytes: Uint8Array, at: number): void {
    const { isFirst } = this;
    this.isFirst = false;
    if (this.items.isOpen) {
      this.items.add(bytes, 0, bytes.length, false, at);
      this.items.end();
    } else if (!this.writeMessage(bytes, at, isFirst)) this.items.whole(bytes, 0, bytes.length, 0, at);
  }

  /** Writes an event whose one line of data is JSON, with that as the message; false where it is none. */
  private writeMessage(bytes: Uint8Array, at: number, isFirst: boolean): boolean {
    const passed = messageIn(bytes, isFirst);
    if (!passed || !this.isJson(bytes, passed.from, passed.to)) return false;
    const { messageCount, outlines } = this.scanner;
    if (messageCount > 0) this.owner.sawMessages(outlines, messageCount, () => bytes.subarray(passed.from, passed.to));
    const changed = this.redaction?.redact(bytes);
    const event = changed?.bytes ?? bytes;
    const stand = changed ? messageIn(event, isFirst) : passed;
    if (!stand || (changed && !this.isJson(event, stand.from, stand.to))) return false;
    this.redaction?.given(event);
    const around = `,"sse":${JSON.stringify(stand.before)},"eol":${JSON.stringify(stand.behind)}`;
    const head = {
      origin: this.origin,
      at,
      since: at,
      extra: around + (changed ? redactedMember(changed.redacted) : ''),
    };
    if (!this.owner.readyToWrite(at) || !this.owner.writer.msg(head, event, stand.from, stand.to)) {
      this.owner.lose(event.length);
    }
    return true;
  }

  private isJson(bytes: Uint8Array, from: number, to: number): boolean {
    this.scanner.reset();
    this.scanner.feed(bytes, from, to);
    return this.scanner.end();
  }
}

/** The one line of data of an event, and what stands around it. */
function messageIn(
  event: Uint8Array,
  isFirst: boolean,
): { from: number; to: number; before: string; behind: string } | undefined {
  const data = soleDataLine(event, isFirst);
  const before = data && readUtf8(event.subarray(0, data.from));
  const behind = data && readUtf8(event.subarray(data.to));
  return before === undefined || behind === undefined || !data ? undefined : { ...data, before, behind };
}
