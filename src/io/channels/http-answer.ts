import { headerValue } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { plainBody } from '../http/recorded-client.ts';
import type { AnswerListener, Broken, RecordedExchange } from '../http/recorded-exchange.ts';
import { EventStreamReader, type StreamEvent } from './event-stream-reader.ts';

/** An answer of which nothing more comes. */
export interface AnswerEnd {
  /** Nothing where there was no answer. */
  head: ResponseHead | undefined;
  /** Of an answer that is no event stream, without its `Content-Encoding`. */
  body: Buffer;
  /** Of an event stream. */
  stream: EventStreamReader | undefined;
  /** Why it is not whole, where it is not. */
  broken: Broken | undefined;
}

export interface AnswerEvents {
  head?(head: ResponseHead): void;
  event(event: StreamEvent): void;
  over(end: AnswerEnd): void;
}

export const isFine = ({ status }: ResponseHead): boolean => status >= 200 && status < 300;

/** Reads one answer of a server: a body, or an event stream as it comes. */
export class HttpAnswer implements AnswerListener {
  private readonly exchange: RecordedExchange;
  private readonly events: AnswerEvents;
  private readonly longest: number;
  private readonly stream: EventStreamReader;
  private received: ResponseHead | undefined;
  private isStream = false;
  private chunks: Buffer[] = [];
  private length = 0;
  private isOver = false;

  /**
   * @param options `begin` makes the request; `longest` is how much of a body, or of an event, may come, in bytes;
   *   `from` is what is known of an event stream that is taken up again
   */
  constructor(
    options: {
      begin: (listener: AnswerListener) => RecordedExchange;
      longest: number;
      from?: { lastId?: string | undefined; retry?: number | undefined } | undefined;
    },
    events: AnswerEvents,
  ) {
    this.events = events;
    this.longest = options.longest;
    this.stream = new EventStreamReader(options.from);
    this.exchange = options.begin(this);
  }

  /** Nobody wants to hear of it any more. @param why as it is recorded */
  drop(why: string): void {
    this.isOver = true;
    this.chunks = [];
    this.exchange.drop(why);
  }

  /** @internal */
  head(head: ResponseHead): void {
    const type = headerValue(head.lines, 'content-type') ?? '';
    this.received = head;
    this.isStream = isFine(head) && /^text\/event-stream\b/i.test(type);
    this.events.head?.(head);
  }

  /** @internal */
  body(bytes: Buffer): void {
    if (this.isOver) return;
    if (this.isStream && !this.isEncoded) this.take(bytes);
    else {
      this.length += bytes.length;
      this.chunks.push(bytes);
    }
    const { length, stream, longest } = this;
    if (Math.max(length, stream.held) <= longest) return;
    const what = `${length > 0 ? 'it' : 'an event'} is longer than ${inWords(longest)}, more than wireproof takes`;
    this.exchange.drop(what);
    this.over({ what, neverLeft: false });
  }

  /** @internal */
  over(broken: Broken | undefined): void {
    if (this.isOver) return;
    const { received: head, isStream, stream } = this;
    const body = Buffer.concat(broken && this.length > this.longest ? [] : this.chunks);
    const plain = head && !broken ? plainBody(head.lines, body) : body;
    if (isStream && this.isEncoded) this.take(plain);
    // Whoever takes the last event may have dropped it.
    if (this.isOver) return;
    this.isOver = true;
    this.chunks = [];
    this.events.over({ head, body: isStream ? Buffer.alloc(0) : plain, stream: isStream ? stream : undefined, broken });
  }

  private get isEncoded(): boolean {
    const encoding = headerValue(this.received?.lines ?? [], 'content-encoding') ?? 'identity';
    return encoding.toLowerCase() !== 'identity';
  }

  private take(bytes: Buffer): void {
    for (const event of this.stream.feed(bytes)) if (!this.isOver) this.events.event(event);
  }
}

const inWords = (bytes: number): string => (bytes >= 1024 * 1024 ? `${bytes / (1024 * 1024)} MiB` : `${bytes} bytes`);
