import { showUtf8 } from '../../core/wire/utf8.ts';
import type { Lost } from './channel.ts';
import { type AnswerEvents, type HttpAnswer, isFine } from './http-answer.ts';
import { lostOf } from './http-lost.ts';

export interface EventEndpointOptions {
  url: URL;
  /** Asks for the event stream. */
  get: (events: AnswerEvents) => HttpAnswer;
  /** How long the server may take to name the place to post to. Milliseconds. */
  patience: number;
  message: (data: Uint8Array) => void;
  /** The stream has ended, and with it the connection. */
  ended: (why: string) => void;
}

/** The one event stream of HTTP+SSE, and the place that it names to post to (2024-11-05: basic/transports, HTTP with SSE). */
export class EventEndpoint {
  /** Where messages are posted, or why there is no such place. */
  readonly opened: Promise<URL | Lost>;
  private readonly options: EventEndpointOptions;
  private readonly answer: HttpAnswer;
  private readonly timer: NodeJS.Timeout;
  private settle!: (opened: URL | Lost) => void;
  private isOpen = false;
  private isOver = false;

  constructor(options: EventEndpointOptions) {
    this.options = options;
    this.opened = new Promise((resolve) => (this.settle = resolve));
    this.timer = setTimeout(() => this.fail('there was no endpoint event in time'), options.patience);
    this.answer = options.get({
      event: ({ type, data }) => {
        if (type === 'endpoint' && !this.isOpen) this.open(showUtf8(data));
        else if (type === 'message') options.message(data);
      },
      over: (end) => {
        const isStream = end.head !== undefined && isFine(end.head) && end.stream !== undefined;
        const lost = lostOf(end);
        if (this.isOpen) this.close(end.broken?.what ?? 'the server ended the event stream');
        else this.fail(isStream ? 'the event stream ended before it had named an endpoint' : lost.why, lost);
      },
    });
  }

  /** @param why as it is recorded */
  stop(why: string): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.answer.drop(why);
    this.settle({ why, neverLeft: false });
  }

  /** Other origins would get what was meant for this one. */
  private open(named: string): void {
    const { url } = this.options;
    const endpoint = URL.canParse(named, url.href) ? new URL(named, url) : undefined;
    if (endpoint?.origin !== url.origin) {
      this.fail(`the endpoint event names ${JSON.stringify(named)}, which is not of ${url.origin}`);
      return;
    }
    clearTimeout(this.timer);
    this.isOpen = true;
    this.settle(endpoint);
  }

  private fail(why: string, lost: Lost = { why, neverLeft: false }): void {
    if (this.isOver) return;
    this.settle({ ...lost, why });
    this.stop(why);
  }

  private close(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.ended(why);
  }
}
