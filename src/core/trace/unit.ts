import type { Message, Side } from '../protocol/message.ts';
import type { ConnectionFacts } from './connection-facts.ts';
import type { Closed, Head, HttpEnd, Leg, Lost, StreamName } from './format.ts';

/** What is handed on as soon as it is whole: a frame, an exchange, or news of a stream or a connection. */
export type Unit = FrameUnit | ExchangeUnit | StreamUnit | ConnectionUnit;

interface UnitBase {
  /** The connection. */
  c: number;
  /** The record that made it whole; that of the request where no answer came. */
  n: number;
  /** When that was, in milliseconds since the trace was started. */
  at: number;
}

/**
 * On stdio one whole line of a stream, or several lines that only together are JSON. On HTTP, where it has an `s`, one
 * whole body or one server-sent event; that it is no JSON-RPC makes it no stray there.
 */
export interface FrameUnit extends UnitBase, Partial<HttpFrame> {
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
  /** The places in it where something else stands than what passed. */
  redacted?: readonly string[];
}

/** What is said of a frame on HTTP. */
export interface HttpFrame {
  s: number;
  /** Its messages are read on the client's leg only. */
  leg: Leg;
  /** What was said before it on its stream. */
  heads: HttpHeads;
  /** It is a server-sent event with these fields. */
  event: { id?: string; event?: string; retry?: number };
  /** What it says, where that is not its bytes: the data of an event, or a body without its encodings. */
  content: Uint8Array;
  /** The encodings of the body, as its head lists them. The `bytes` of an event in such a body have none any more. */
  encoding: string;
}

/** The heads of a stream, as the client's side of wireproof saw them; they fill as they come. */
export interface HttpHeads {
  readonly request: Head | undefined;
  readonly response: Head | undefined;
  /** wireproof made the response itself. */
  readonly made?: boolean;
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
  /** It was delivered before: its event came again when the client resumed a stream. */
  | { is: 'again'; of?: RequestRef }
  /** An error without an id, which says why a request on HTTP was refused. */
  | { is: 'refusal'; status: number }
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
  /** A message in a server-sent event that is not called `message`: clients pass over it. */
  | { why: 'named event'; event: string; holds: readonly Message[] }
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
  /** On HTTP: the status of the response that answered it or refused it. */
  httpStatus?: number;
  /** Where it was refused without an answer: the beginning of what the response says. */
  refusal?: Uint8Array;
  /** On HTTP: its own stream is over, and did not bring the answer; why it is not whole. */
  streamEnd?: { n: number; at: number; why?: string };
  /**
   * `error`: a JSON-RPC error, a result with `isError: true`, neither result nor error, or on HTTP a status that is
   * no success and no answer with it. `late`: answered after it was cancelled. `pending`: no answer came before the
   * connection closed, or (`isOver` false) so far.
   */
  status: Status;
  isOver: boolean;
  /** Milliseconds from the last byte of the request to the last byte of the answer. */
  duration?: number;
  /** `closed`: by closing its stream, which is how the modern era cancels on HTTP. */
  cancelled?: { n: number; at: number; reason?: string; closed?: true };
  /** Progress that came before the answer. */
  progress: { count: number; last?: Message };
  /** Its id was that of another request still open, and the same streams may answer both. */
  idReused: boolean;
}

/** A message, and when and where it passed. */
export interface Spoken extends FramedMessage {
  n: number;
  at: number;
  /** On HTTP, its stream. */
  s?: number;
  heads?: HttpHeads;
}

/** News of a stream on HTTP: one request and all that comes back on it. */
export interface StreamUnit extends UnitBase {
  unit: 'stream';
  /**
   * `opened`: an event stream, the head of whose response has come. `ended`: what the client gets of it is over, or
   * the recording was closed. `cut`: the recording ends without a closing record.
   */
  phase: 'opened' | 'ended' | 'cut';
  s: number;
  /** The record that it began with, and when. */
  first: number;
  since: number;
  /** As the client's side of wireproof saw them. */
  request?: Head;
  response?: Head;
  /** Where and when the head of the response came. */
  responded?: { n: number; at: number };
  /** wireproof made the response itself. */
  made: boolean;
  /** Something was said in other words on the other side: URLs of the target's origin. */
  mapped: boolean;
  /** Server-sent events with data, so far. */
  events: number;
  /** Of the bodies as they passed, so far. */
  bytes: Record<Side, number>;
  messages: Record<Side, number>;
  /** How many requests of the client came on it. What became of them is told by their exchanges. */
  requests: number;
  ends: { client?: HttpEnd; server?: HttpEnd };
  /** Places where something else stands in the recording than what passed; the first of them. */
  redacted: readonly string[];
  /** The beginning of what a response says that is no success. */
  refusal?: Uint8Array;
}

/** News of a connection. `closed` and `cut` come last and tell all that was seen of it. */
export type ConnectionUnit = UnitBase & { unit: 'connection' } & (
    | { what: 'opened'; pid: number | undefined; peer?: string }
    | { what: 'ended'; from: StreamName }
    | { what: 'note'; note: string; text: string; s?: number }
    | { what: 'lost'; lost: Lost; s?: number; leg?: Leg }
    /** A line, a body or an event has stood unfinished for a while, with so many bytes so far. */
    | { what: 'held'; from: StreamName; bytes: number; isJson: boolean; s?: number; isEvent?: boolean }
    | { what: 'unknown'; json: Readonly<Record<string, unknown>> }
    | { what: 'closed'; closed: Closed; facts: ConnectionFacts }
    /** The recording ends without a closing record. */
    | { what: 'cut'; facts: ConnectionFacts }
  );
