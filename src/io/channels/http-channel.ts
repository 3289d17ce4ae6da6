import type { Outgoing } from '../../core/peer/client.ts';
import type { Agreement } from '../../core/peer/opening.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { beginClientRecording, type ClientRecording, type ClientRecordingOptions } from '../http/client-recording.ts';
import type { ClientRequest, RecordedClient } from '../http/recorded-client.ts';
import type { Channel, ChannelEvents, Lost } from './channel.ts';
import { EventEndpoint } from './event-endpoint.ts';
import { type AnswerEnd, type AnswerEvents, HttpAnswer, isFine } from './http-answer.ts';
import { claimedIn, HttpLines, type HttpLinesOptions } from './http-lines.ts';
import { answeredIn, isJson, isSessionGone, lostOf, needsNone, notResumed } from './http-lost.ts';
import { type Before, canGoOn, KeptStream, type StreamPlace } from './kept-stream.ts';
import { Outbox } from './outbox.ts';

/** Longest body, or event, that is taken. Bytes. */
const longestAnswer = 64 * 1024 * 1024;
/** Streams can be taken up again from this revision on. */
const firstToResume = '2025-03-26';
/** How long the end of a session is waited for, and that of what was just sent. Milliseconds. */
const endPatience = 2000;
/** How long the `endpoint` event is waited for. Milliseconds. */
const endpointPatience = 10_000;
const givenUp = 'wireproof gave it up';
const closedIt = 'wireproof closed the connection';

export interface HttpChannelOptions {
  /** The server's endpoint. */
  url: URL;
  lines: HttpLines;
  /** `longestAnswer` where it is left out. */
  longest?: number | undefined;
}

/** A request that is waited for. */
interface Waited {
  /** Closing its stream cancels it (2026-07-28: basic/transports/streamable-http, cancellation). */
  isModern: boolean;
  answer?: HttpAnswer;
  /** Its stream broke off, and is taken up again. */
  resumed?: KeptStream;
}

/**
 * Begins a recording, and opens a line to a server on HTTP: nothing is asked yet.
 *
 * @throws WireproofError `bad-usage` where a line of the user's cannot be sent, or certificates cannot be read
 */
export function openHttp(
  options: HttpLinesOptions & ClientRecordingOptions & { longest?: number | undefined },
  events: ChannelEvents,
): HttpChannel {
  const lines = new HttpLines(options);
  return new HttpChannel({ ...options, lines }, beginClientRecording(options), events);
}

/** Speaks with a server over Streamable HTTP, of either era, or over HTTP+SSE (specification: basic/transports). */
export class HttpChannel implements Channel {
  readonly isProcess = false;
  /** Makes requests to any origin, which are recorded in the same trace. */
  readonly client: RecordedClient;
  private readonly recording: ClientRecording;
  private readonly events: ChannelEvents;
  private readonly url: URL;
  private readonly longest: number;
  private readonly lines: HttpLines;
  private readonly waiting = new Map<number, Waited>();
  private readonly answers = new Set<HttpAnswer>();
  private readonly outbox = new Outbox((message) => this.post(message));
  private listening: KeptStream | undefined;
  private older: EventEndpoint | undefined;
  private postTo: URL;
  private closing: Promise<void> | undefined;
  private isClosed = false;

  constructor(options: HttpChannelOptions, recording: ClientRecording, events: ChannelEvents) {
    this.recording = recording;
    this.client = recording.client;
    this.events = events;
    this.url = options.url;
    this.postTo = options.url;
    this.longest = options.longest ?? longestAnswer;
    this.lines = options.lines;
  }

  get trace(): string {
    return this.recording.trace;
  }

  get cancelsByDropping(): boolean {
    return this.lines.agreement?.era !== 'legacy';
  }

  /** What the server has given to this client by which it knows it again, where it has. */
  get session(): string | undefined {
    return this.lines.session;
  }

  /** Requests from now on carry this value of `Authorization`, unless the user gave one. */
  authorize(value: string | undefined): void {
    this.lines.authorization = value;
  }

  send(message: Outgoing): void {
    if (this.closing) return;
    const { id } = message;
    if (id !== undefined) this.waiting.set(id, { isModern: claimedIn(message.json) !== undefined });
    this.outbox.add(message);
  }

  drop(id: number): void {
    const waited = this.waiting.get(id);
    this.waiting.delete(id);
    this.outbox.remove(id);
    waited?.resumed?.stop(givenUp);
    // Elsewhere a closed stream means nothing, and more may come on it (up to 2025-11-25: basic/transports).
    if (waited?.isModern && waited.answer) this.dropAnswer(waited.answer, givenUp);
  }

  agreed(agreement: Agreement): void {
    this.lines.agreement = agreement;
  }

  /**
   * Speaks HTTP+SSE from now on (2024-11-05: basic/transports): opens the event stream and waits for the place to post to.
   *
   * @returns why that is not possible, where it is not
   */
  async fallBack(patience = endpointPatience): Promise<Lost | undefined> {
    this.startAnew();
    this.older?.stop(closedIt);
    const older = new EventEndpoint({
      url: this.url,
      patience,
      get: (events) => this.ask(this.url, { method: 'GET', lines: this.lines.get() }, events),
      message: (data) => this.deliver(data),
      ended: (why) => this.ended(why),
    });
    this.older = older;
    const opened = await older.opened;
    if (opened instanceof URL) this.postTo = opened;
    else this.older = undefined;
    return opened instanceof URL ? undefined : opened;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private post(message: Outgoing): void {
    const { id, method } = message;
    if (method === 'initialize') this.startAnew();
    // Requests go on connections of their own, and would overtake it: that they must not.
    if (method === 'notifications/initialized') this.outbox.hold(endPatience);
    const { session } = this.lines;
    const request = { method: 'POST', lines: this.lines.post(message), body: message.body };
    const answer = this.ask(this.postTo, request, {
      head: (head) => this.answered(message, head),
      event: ({ type, data }) => {
        if (type === 'message') this.deliver(data);
      },
      over: (end) => this.posted(message, end, session),
    });
    const waited = id === undefined ? undefined : this.waiting.get(id);
    if (waited) waited.answer = answer;
  }

  private ask(url: URL, request: ClientRequest, events: AnswerEvents, from?: StreamPlace): HttpAnswer {
    const answer: HttpAnswer = new HttpAnswer(
      { begin: (listener) => this.client.begin(url, request, listener), longest: this.longest, from },
      {
        ...events,
        over: (end) => {
          this.answers.delete(answer);
          if (!this.isClosed) events.over(end);
        },
      },
    );
    this.answers.add(answer);
    return answer;
  }

  private dropAnswer(answer: HttpAnswer, why: string): void {
    this.answers.delete(answer);
    answer.drop(why);
  }

  /** The server has begun to answer. */
  private answered({ method }: Outgoing, head: ResponseHead): void {
    if (!isFine(head)) return;
    if (method === 'initialize') this.lines.session = headerValue(head.lines, 'mcp-session-id');
    if (method === 'notifications/initialized') this.initialized(true);
  }

  /** @param session the one that it was sent in */
  private posted(message: Outgoing, end: AnswerEnd, session: string | undefined): void {
    const { id } = message;
    const isGone = isSessionGone(message, end, session);
    const lost: Lost = isGone
      ? { ...lostOf(end), session: session === this.lines.session ? 'gone' : 'replaced' }
      : lostOf(end);
    const isTaken = end.head !== undefined && isFine(end.head) && !end.broken;
    // What HTTP+SSE answers says only that a message was taken.
    if (!this.older && !isGone) this.takeBody(message, end);
    if (id === undefined) this.taken(message, isTaken, lost);
    else if (this.waiting.has(id) && !(this.older && isTaken)) this.unanswered(id, end, lost);
  }

  /** What a body says that is no event stream. */
  private takeBody({ id }: Outgoing, { head, body, stream, broken }: AnswerEnd): void {
    if (!head || stream || broken || body.length === 0) return;
    const answers = answeredIn(body);
    const isForUs = id !== undefined && answers.includes(id);
    if (isForUs || (isFine(head) && id !== undefined && (isJson(head) || answers.length > 0))) this.deliver(body);
  }

  /** A notification, or an answer to the server, is through, or not. */
  private taken(message: Outgoing, isTaken: boolean, lost: Lost): void {
    if (message.method === 'notifications/initialized') this.initialized(isTaken);
    this.outbox.taken(message);
    if (!isTaken) this.events.undelivered?.(message, lost);
  }

  /** The server has taken `notifications/initialized`, or has not. */
  private initialized(isTaken: boolean): void {
    if (this.outbox.release() && isTaken) this.listen();
  }

  /** The server has said all it will on this stream, and that was not the answer. */
  private unanswered(id: number, end: AnswerEnd, lost: Lost): void {
    const waited = this.waiting.get(id) as Waited;
    const { agreement } = this.lines;
    const mayResume = !waited.isModern && (agreement?.revision ?? firstToResume) >= firstToResume;
    if (!mayResume || !canGoOn(end)) {
      this.lose(id, lost);
      return;
    }
    waited.resumed = new KeptStream({
      get: (place, events) => this.getStream(place, events),
      from: { lastId: end.stream?.lastId, retry: end.stream?.retry },
      message: (data) => this.deliver(data),
      isWanted: () => this.waiting.has(id),
      refused: (again, before) => this.streamRefused(again, before),
      failed: (again) => this.lose(id, notResumed(lost, lostOf(again))),
    });
  }

  /** Listens for what the server has to say unasked. A server need not have anything (405). */
  private listen(): void {
    if (this.older || this.lines.agreement?.era !== 'legacy') return;
    if (this.lines.agreement.revision < firstToResume) return;
    this.listening?.stop(closedIt);
    this.listening = new KeptStream({
      get: (place, events) => this.getStream(place, events),
      message: (data) => this.deliver(data),
      isWanted: () => !this.closing,
      refused: (end, before) => this.streamRefused(end, before),
      failed: (end, { wasGiven }) => {
        this.listening = undefined;
        const lost = lostOf(end);
        if (wasGiven || !needsNone(lost)) this.events.unheard?.(lost);
      },
    });
  }

  private async streamRefused(end: AnswerEnd, { refusals, wasGiven }: Before): Promise<boolean> {
    const lost = lostOf(end);
    // One that was never given may not be there at all.
    const isGone = wasGiven && lost.status === 404 && this.lines.session !== undefined;
    return (await this.events.streamRefused?.(isGone ? { ...lost, session: 'gone' } : lost, refusals)) ?? false;
  }

  private getStream(place: StreamPlace, events: AnswerEvents): HttpAnswer {
    return this.ask(this.url, { method: 'GET', lines: this.lines.get(place.lastId) }, events, place);
  }

  private deliver(body: Uint8Array): void {
    for (const id of answeredIn(body)) {
      if (typeof id !== 'number') continue;
      const waited = this.waiting.get(id);
      this.waiting.delete(id);
      waited?.resumed?.rest();
    }
    this.events.body(body);
  }

  private lose(id: number, lost: Lost): void {
    this.waiting.delete(id);
    this.events.lost(id, lost);
  }

  private ended(why: string): void {
    for (const id of this.waiting.keys()) this.lose(id, { why, neverLeft: false });
    this.events.ended(why);
  }

  /** `initialize` is no part of any session. */
  private startAnew(): void {
    this.lines.session = undefined;
    this.lines.agreement = undefined;
    this.listening?.stop(closedIt);
    this.listening = undefined;
  }

  private async end(): Promise<void> {
    // What was sent last, such as a cancellation, has to arrive.
    await this.outbox.allTaken(endPatience);
    await this.endSession();
    this.isClosed = true;
    this.outbox.stop();
    this.listening?.stop(closedIt);
    this.older?.stop(closedIt);
    for (const { resumed } of this.waiting.values()) resumed?.stop(closedIt);
    for (const answer of this.answers) this.dropAnswer(answer, closedIt);
    await this.recording.close(closedIt);
  }

  /** A server that does not let its sessions be ended says 405. */
  private async endSession(): Promise<void> {
    if (this.lines.session === undefined) return;
    const request = { method: 'DELETE', lines: this.lines.delete() };
    await this.client.request(this.url, request, endPatience).catch(() => undefined);
  }
}
