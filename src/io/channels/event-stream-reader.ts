import { readSseEvent, soleDataLine, SseFramer } from '../../core/wire/sse-framer.ts';
import { writeUtf8 } from '../../core/wire/utf8.ts';

/** An event that says something. */
export interface StreamEvent {
  /** `message` where it does not say. */
  type: string;
  /** Never empty. */
  data: Uint8Array;
}

/** Reads an event stream, and knows from where it can be taken up again. */
export class EventStreamReader {
  /** The id of the last event that had one. */
  lastId: string | undefined;
  /** How long the server wants to be left alone before it is asked again. Milliseconds. */
  retry: number | undefined;
  private readonly framer = new SseFramer();
  private isFirst = true;

  /** @param from what was known of the stream when it ended before */
  constructor(from: { lastId?: string | undefined; retry?: number | undefined } = {}) {
    this.lastId = from.lastId;
    this.retry = from.retry;
  }

  /** Bytes of an event that has not ended. */
  get held(): number {
    return this.framer.held;
  }

  /** An event without data only opens the stream, or is a comment. */
  feed(bytes: Uint8Array): StreamEvent[] {
    return this.framer.feed(bytes).flatMap((piece) => this.read(piece));
  }

  private read(piece: Uint8Array): StreamEvent[] {
    const { event = 'message', id, retry, data } = readSseEvent(piece, this.isFirst);
    const sole = data === undefined ? undefined : soleDataLine(piece, this.isFirst);
    this.isFirst = false;
    if (id !== undefined) this.lastId = id === '' ? undefined : id;
    if (retry !== undefined) this.retry = retry;
    if (data === undefined || data === '') return [];
    return [{ type: event, data: sole ? piece.subarray(sole.from, sole.to) : writeUtf8(data) }];
  }
}
