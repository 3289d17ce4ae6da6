import { Client, type ClientIdentity, type Heard, type Outgoing } from '../core/peer/client.ts';
import type { JsonObject } from '../core/protocol/message.ts';
import { type Channel, type ChannelEvents, isUndone, type Lost } from './channels/channel.ts';

/** What came of a request. */
export type Outcome =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; error: unknown }
  /** There will be no answer. */
  | { kind: 'lost'; lost: Lost }
  /** There was none in time: the request was given up, and the server told so. */
  | { kind: 'silence'; after: number }
  | { kind: 'cancelled' };

/** A message that may have to be sent more than once. */
export interface Asked {
  /** Its method, where it has one. */
  method: string | undefined;
  /** Nobody wants it any more. */
  signal: AbortSignal | undefined;
}

/** What the server says without being asked. */
export interface SessionHandlers {
  /** @returns the result, or an error to be answered */
  request(
    method: string,
    params: JsonObject,
  ): Promise<{ result: JsonObject } | { error: { code: number; message: string } }>;
  notification(method: string, params: JsonObject): void;
  /** A notification, or an answer to the server, did not get through. @param what its method, where it has one */
  undelivered(what: string | undefined, lost: Lost): void;
  /**
   * A message is on its way. @returns is told each time that it got nowhere and nothing was done, and says, when it is time,
   *   whether it is to be sent once more
   */
  retrying?(asked: Asked): (lost: Lost) => Promise<boolean>;
  streamRefused?(lost: Lost, attempt: number): Promise<boolean>;
  /** What the server says unasked is not heard any more. */
  unheard?(lost: Lost): void;
  /** A body that is no message, or an answer to nothing. */
  stray(heard: Extract<Heard, { kind: 'stray' | 'unasked' }>): void;
}

export interface RequestOptions {
  /** How long the answer may take, anew with each sign of progress. Milliseconds. */
  timeout: number;
  /** Claims this revision instead of what was agreed on. */
  revision?: string;
  /** Asks for progress, and hears of it. */
  progress?: (params: JsonObject) => void;
  signal?: AbortSignal | undefined;
  /** It is made once, whatever comes of it. */
  isSole?: boolean;
}

interface Waiting {
  settle: (outcome: Outcome) => void;
  alive: () => void;
  progress: ((params: JsonObject) => void) | undefined;
}

/** Requests and their answers over a channel. */
export class Session implements ChannelEvents {
  readonly client: Client;
  private readonly handlers: SessionHandlers;
  private readonly waiting = new Map<number, Waiting>();
  private readonly resending = new WeakMap<Outgoing, (lost: Lost) => Promise<boolean>>();
  private channel: Channel | undefined;
  private whyEnded: string | undefined;
  private told: (why: string) => void = () => undefined;

  constructor(identity: ClientIdentity, handlers: SessionHandlers) {
    this.client = new Client(identity);
    this.handlers = handlers;
  }

  /** Speaks over this channel from now on. */
  use(channel: Channel): void {
    this.channel = channel;
    this.whyEnded = undefined;
  }

  /** What may have been carried out is never asked for twice. */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<Outcome> {
    const { signal, isSole } = options;
    const retry = isSole ? undefined : this.handlers.retrying?.({ method, signal });
    for (;;) {
      const outcome = await this.requestOnce(method, params, options);
      if (outcome.kind !== 'lost' || !isUndone(outcome.lost)) return outcome;
      const isAgain = await retry?.(outcome.lost);
      if (signal?.aborted) return { kind: 'cancelled' };
      if (!isAgain) return outcome;
    }
  }

  private requestOnce(method: string, params: JsonObject, options: RequestOptions): Promise<Outcome> {
    const { revision, progress, timeout, signal } = options;
    const message = this.client.request(method, params, {
      ...(revision === undefined ? {} : { revision }),
      progress: progress !== undefined,
    });
    const id = message.id as number;
    if (this.whyEnded !== undefined) {
      this.client.forget(id);
      return Promise.resolve({ kind: 'lost', lost: { why: this.whyEnded, neverLeft: true } });
    }
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const cancelled = (): void => this.giveUp(id, method, 'the person who asked gave it up', { kind: 'cancelled' });
      const settle = (outcome: Outcome): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancelled);
        this.waiting.delete(id);
        resolve(outcome);
      };
      const alive = (): void => {
        clearTimeout(timer);
        timer = setTimeout(
          () => this.giveUp(id, method, `no answer in ${timeout} ms`, { kind: 'silence', after: timeout }),
          timeout,
        );
      };
      this.waiting.set(id, { settle, alive, progress });
      alive();
      this.channel?.send(message);
      if (signal?.aborted) cancelled();
      else signal?.addEventListener('abort', cancelled);
    });
  }

  /** Calls back when the server has gone without having been asked to. */
  whenEnded(told: (why: string) => void): void {
    this.told = told;
    if (this.whyEnded !== undefined) told(this.whyEnded);
  }

  notify(method: string, params: JsonObject = {}): void {
    this.channel?.send(this.client.notification(method, params));
  }

  body(bytes: Uint8Array): void {
    for (const heard of this.client.hear(bytes)) this.take(heard);
  }

  lost(id: number, lost: Lost): void {
    this.client.forget(id);
    this.waiting.get(id)?.settle({ kind: 'lost', lost });
  }

  undelivered(message: Outgoing, lost: Lost): void {
    void this.deliver(message, lost);
  }

  async streamRefused(lost: Lost, attempt: number): Promise<boolean> {
    return (await this.handlers.streamRefused?.(lost, attempt)) ?? false;
  }

  unheard(lost: Lost): void {
    this.handlers.unheard?.(lost);
  }

  ended(why: string): void {
    this.whyEnded = why;
    for (const id of Array.from(this.waiting.keys())) this.lost(id, { why, neverLeft: false });
    this.told(why);
  }

  /** Sends a message anew that nobody answers, where that is of use. */
  private async deliver(message: Outgoing, lost: Lost): Promise<void> {
    const { method } = message;
    // It means nothing in another session.
    const isLater = isUndone(lost) && lost.session === undefined;
    const retry = this.resending.get(message) ?? this.handlers.retrying?.({ method, signal: undefined });
    if (retry) this.resending.set(message, retry);
    try {
      if (isLater && (await retry?.(lost))) this.channel?.send(message);
      else this.handlers.undelivered(method, lost);
    } catch (error) {
      this.handlers.undelivered(method, { ...lost, why: error instanceof Error ? error.message : String(error) });
    }
  }

  private take(heard: Heard): void {
    switch (heard.kind) {
      case 'answer': {
        const { result, error } = heard;
        this.waiting.get(heard.id)?.settle(error === undefined ? { kind: 'result', result } : { kind: 'error', error });
        return;
      }
      case 'request':
        void this.answer(heard.id, heard.method, heard.params);
        return;
      case 'notification':
        this.notified(heard.method, heard.params);
        return;
      default:
        this.handlers.stray(heard);
    }
  }

  private notified(method: string, params: JsonObject): void {
    const token = params['progressToken'];
    const waiting =
      method === 'notifications/progress' && typeof token === 'number' ? this.waiting.get(token) : undefined;
    waiting?.alive();
    if (waiting?.progress) waiting.progress(params);
    else this.handlers.notification(method, params);
  }

  /** The server's requests may need a person: what was asked meanwhile waits longer. */
  private async answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    const beat = setInterval(() => this.keepAlive(), 1000);
    const outcome = await this.handlers.request(method, params).catch((error: unknown) => ({
      error: { code: -32_603, message: error instanceof Error ? error.message : String(error) },
    }));
    clearInterval(beat);
    this.keepAlive();
    this.channel?.send(this.client.answer(id, outcome));
  }

  private keepAlive(): void {
    for (const { alive } of this.waiting.values()) alive();
  }

  /** Cancels a request by the protocol's way (basic/utilities/cancellation; never `initialize`). */
  private giveUp(id: number, method: string, reason: string, outcome: Outcome): void {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    this.client.forget(id);
    if (method !== 'initialize' && !this.channel?.cancelsByDropping) {
      this.notify('notifications/cancelled', { requestId: id, reason });
    }
    this.channel?.drop(id);
    waiting.settle(outcome);
  }
}
