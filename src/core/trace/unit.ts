import type { Message, Side } from '../protocol/message.ts';
import type { ConnectionFacts } from './connection-facts.ts';
import type { Closed, Lost, StreamName } from './format.ts';

/** What is handed on as soon as it is whole: a frame, an exchange, or news of a connection. */
export type Unit = FrameUnit | ExchangeUnit | ConnectionUnit;

interface UnitBase {
  /** The connection. */
  c: number;
  /** The record that made it whole; that of the request where no answer came. */
  n: number;
  /** When that was, in milliseconds since the trace was started. */
  at: number;
}

/** One whole line of a stream; or several lines that only together are JSON. */
export interface FrameUnit extends UnitBase {
  unit: 'frame';
  from: StreamName;
  /** Every record that it stands in, `n` the last of them. */
  records: readonly number[];
  /** When its first byte was read. */
  since: number;
  /** The exact bytes, delimiter included; only the first of them where `size` says more. */
  bytes: Uint8Array;
  eol: string;
  /** How many bytes it has on the wire. */
  size: number;
  /** The messages in it: one, or those of a batch; none where it is stray, and none on stderr. */
  messages: readonly FramedMessage[];
  /** Why it is no message. */
  stray?: Stray;
}

/** A message and where it stands. */
export interface FramedMessage {
  message: Message;
  /** Its exact JSON; empty where the line was too long to keep. */
  json: Uint8Array;
  /** The JSON token that is its id, for requests and responses. */
  id?: string;
  /** Its place in a batch, from 0, and how many stand in it. */
  batch?: { index: number; of: number };
  /** What it has to do with other messages. */
  link?: Link;
}

/** What a message has to do with others. Requests get theirs by their exchange. */
export type Link =
  | { is: 'answer'; of: RequestRef }
  /** A response that matches no open request. */
  | { is: 'unasked'; why: 'unknown id' | 'second answer' | 'null id' | 'no id'; of?: RequestRef }
  | { is: 'progress'; when: 'open' | 'late' | 'unknown token'; of?: RequestRef }
  | { is: 'cancellation'; when: 'open' | 'late' | 'unknown id'; of?: RequestRef };

/** Enough of a request to name it. */
export interface RequestRef {
  n: number;
  /** Its place in its batch; 0 where it stands alone. */
  index: number;
  at: number;
  from: Side;
  method: string;
  tool?: string;
  id: string;
}

/** Why a line is no message. `holds` is what it would be if it were framed as it should be. */
export type Stray =
  | { why: 'blank' }
  | { why: 'not JSON'; hint?: 'byte-order mark' | 'Content-Length header' }
  | { why: 'not UTF-8'; offset: number }
  | { why: 'not JSON-RPC' }
  /** The stream ended in it, or (`isOpen`) its end had not come when the recording broke off. */
  | { why: 'unterminated'; isOpen: boolean; isJson: boolean; holds: readonly Message[] }
  /** One JSON value spread over several lines. */
  | { why: 'spread'; lines: number; holds: readonly Message[] }
  | { why: 'too long' }
  /** A part of it was not recorded. */
  | { why: 'incomplete' };

export type Status = 'ok' | 'error' | 'pending' | 'cancelled' | 'late';

/** A request, and all that answered it. */
export interface ExchangeUnit extends UnitBase {
  unit: 'exchange';
  /** Who asked. */
  from: Side;
  request: Spoken;
  answer?: Spoken;
  method: string;
  tool?: string;
  id: string;
  /**
   * `error`: a JSON-RPC error, a result with `isError: true`, or neither result nor error. `late`: answered after
   * it was cancelled. `pending`: no answer came before the connection closed, or (`isOver` false) so far.
   */
  status: Status;
  isOver: boolean;
  /** Milliseconds from the last byte of the request to the last byte of the answer. */
  duration?: number;
  cancelled?: { n: number; at: number; reason?: string };
  /** Progress that came before the answer. */
  progress: { count: number; last?: Message };
  /** Its id was that of another request still open: which answer belongs to which is not certain. */
  idReused: boolean;
}

/** A message, and when and where it passed. */
export interface Spoken extends FramedMessage {
  n: number;
  at: number;
}

/** News of a connection. `closed` and `cut` come last and tell all that was seen of it. */
export type ConnectionUnit = UnitBase & { unit: 'connection' } & (
    | { what: 'opened'; pid: number | undefined }
    | { what: 'ended'; from: StreamName }
    | { what: 'note'; note: string; text: string }
    | { what: 'lost'; lost: Lost }
    /** A line has stood unfinished for a while, with so many bytes so far. */
    | { what: 'held'; from: StreamName; bytes: number; isJson: boolean }
    | { what: 'unknown'; json: Readonly<Record<string, unknown>> }
    | { what: 'closed'; closed: Closed; facts: ConnectionFacts }
    /** The recording ends without a closing record. */
    | { what: 'cut'; facts: ConnectionFacts }
  );
