import { retryAfter } from '../../core/peer/retry-after.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import { type AnswerEnd, type AnswerEvents, type HttpAnswer, isFine } from './http-answer.ts';

/** From where an event stream goes on. */
export interface StreamPlace {
  lastId?: string | undefined;
  retry?: number | undefined;
}

/** What came of asking for a stream until now. */
export interface Before {
  /** How often in a row it was refused. */
  refusals: number;
  /** It was given once. */
  wasGiven: boolean;
}

export interface KeptStreamOptions {
  /** Asks for the stream. @param place from where it is to go on */
  get: (place: StreamPlace, events: AnswerEvents) => HttpAnswer;
  /** Where it was taken up before: it is asked for again when the server wants that. Else it is asked for now, from its beginning. */
  from?: StreamPlace;
  message: (data: Uint8Array) => void;
  /** Somebody waits for what comes on it still. */
  isWanted: () => boolean;
  /** @returns whether a stream that was refused is to be asked for again now */
  refused: (end: AnswerEnd, before: Before) => Promise<boolean>;
  /** The server does not give it, or cannot be reached any more. */
  failed: (end: AnswerEnd, before: Before) => void;
}

/** Where a server does not say when it wants to be asked again. Milliseconds. */
const usualRetry = 1000;
const shortestRetry = 10;
const longestRetry = 30_000;
/** The most that a timer can wait. */
const longestTimer = 0x7fff_ffff;
/** What a server may get over. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** So often in a row a server may be out of reach. */
const mostFailures = 5;

/**
 * An event stream that is asked for by GET, and again when it ends, from where it had come to (2025-03-26 to 2025-11-25:
 * basic/transports, resumability and redelivery).
 */
export class KeptStream {
  private readonly options: KeptStreamOptions;
  private place: StreamPlace;
  private answer: HttpAnswer | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** How often nothing came of it, in a row; and how often there was not even an answer. */
  private fruitless = 0;
  private failures = 0;
  private readonly before: Before;
  private isOver = false;

  constructor(options: KeptStreamOptions) {
    this.options = options;
    this.place = options.from ?? {};
    this.before = { refusals: 0, wasGiven: options.from !== undefined };
    if (options.from) this.wait();
    else this.open();
  }

  /** @param why as it is recorded */
  stop(why: string): void {
    this.rest();
    this.answer?.drop(why);
  }

  /** Nobody waits for it any more: what is open may end by itself, and is not asked for again. */
  rest(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  /** @param least how long the server wants to be left alone, at least */
  private wait(least = 0): void {
    const { retry } = this.place;
    const usual = Math.min(usualRetry * 2 ** this.fruitless, longestRetry);
    const wanted = retry === undefined ? usual : Math.max(retry, this.failures > 0 ? usual : shortestRetry);
    this.timer = setTimeout(() => this.open(), Math.min(Math.max(wanted, least), longestTimer));
  }

  private open(): void {
    if (this.isOver) return;
    if (!this.options.isWanted()) {
      this.isOver = true;
      return;
    }
    this.answer = this.options.get(this.place, {
      event: ({ type, data }) => {
        this.fruitless = 0;
        if (type === 'message') this.options.message(data);
      },
      over: (end) => this.ended(end),
    });
  }

  private ended(end: AnswerEnd): void {
    const { head, stream } = end;
    this.answer = undefined;
    if (this.isOver || !this.options.isWanted()) return;
    const isRefused = head !== undefined && !stream && !passing.has(head.status);
    if (stream) {
      this.place = { lastId: stream.lastId, retry: stream.retry };
      this.failures = 0;
      this.before.refusals = 0;
      this.before.wasGiven = true;
    } else this.failures++;
    this.fruitless++;
    if (isRefused) void this.refused(end);
    else if (this.failures >= mostFailures) this.fail(end);
    else this.wait(retryAfter(headerValue(head?.lines ?? [], 'retry-after'), Date.now()));
  }

  private async refused(end: AnswerEnd): Promise<void> {
    const isLetIn = await this.options.refused(end, { ...this.before });
    this.before.refusals++;
    if (this.isOver) return;
    if (isLetIn) this.open();
    else this.fail(end);
  }

  private fail(end: AnswerEnd): void {
    this.isOver = true;
    this.options.failed(end, this.before);
  }
}

/** Whether an answer is an event stream that can be taken up again. */
export const canGoOn = ({ head, stream }: AnswerEnd): boolean =>
  head !== undefined && isFine(head) && stream?.lastId !== undefined;
