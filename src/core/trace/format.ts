import type { Side } from '../protocol/message.ts';

/** The version of the trace format that this code writes; the first member of a trace's first line. */
export const formatVersion = 1;

/** Longest line on the wire that stands in one record; what is longer is written as it passes, in parts. Bytes. */
export const longestRecordedLine = 8 * 1024 * 1024;

/** The kind of the note in a redacted copy that says what was replaced. */
export const redactedNote = 'redacted';
/** The kind of the note that says that a body was not searched for what is to be replaced. */
export const notSearchedNote = 'not-searched';
/** Why a stream of HTTP ended, where the client ended it: a cancellation is told by it. */
export const closedByClient = 'the client went away';

/** The byte streams of a stdio connection. */
export type StreamName = Side | 'stderr';
export const streamNames: readonly StreamName[] = ['client', 'server', 'stderr'];

/** The first line of a trace. */
export type TraceHeader = StdioHeader | HttpHeader;

interface HeaderBase {
  wireproof: number;
  /** 26 letters and digits that sort by time of start (a ULID). */
  id: string;
  /** ISO 8601, UTC, microseconds. */
  started: string;
  by: string;
  /** The process that writes it; NaN, which no process has, where that is not said: nobody writes a copy any more. */
  pid: number;
  label?: string;
}

export interface StdioHeader extends HeaderBase {
  transport: 'stdio';
  /** The server's command; arguments that look like secrets are masked. */
  command: string[];
  cwd: string;
  /** The names of the environment variables that the server got, never their values. */
  env: string[];
}

export interface HttpHeader extends HeaderBase {
  transport: 'http';
  /** The URL that clients were given; none where wireproof was the client itself. */
  listen?: string;
  /** The server's URL. */
  to: string;
}

/** What can be said of a message on HTTP before its body: as it was spelled, in the order in which it came. */
export interface Head {
  /** `1.1`. */
  version: string;
  /** Of a request. */
  method?: string;
  target?: string;
  /** Of a response. */
  status?: number;
  reason?: string;
  lines: readonly HeaderLine[];
}

export type HeaderLine = readonly [name: string, value: string];

/** Which side of wireproof something passed on, where the two differ. */
export type Leg = Side;

/** How many bytes of a stream had passed, and the SHA-256 of them all, hexadecimal. */
export interface Sum {
  bytes: number;
  sha256: string;
}

export interface Sums {
  client: Sum;
  server: Sum;
  stderr: Sum;
}

/** What was seen so far: JSON-RPC messages, and error answers among them (errors and `isError` results). */
export interface Counts {
  messages: number;
  errors: number;
}

export interface Lost {
  from: StreamName;
  bytes: number;
  why: string;
}

/** What is said of anything that passed on HTTP. */
export interface HttpPlace {
  /** The HTTP stream: one request and all that comes back on it. */
  s: number;
  leg?: Leg;
  /** wireproof made it itself: no peer said it. */
  made?: boolean;
}

/** How one side of an HTTP stream ended. */
export interface HttpEnd {
  /** Of what the records give back. */
  sum: Sum;
  /** What passed, where that is not what the records give back: its length, and its HMAC-SHA-256 under the store's key. */
  passed?: { bytes: number; hmac: string };
  /** Why it is not whole. */
  why?: string;
}

/** How a connection ended. `exit` is the server's exit code, `signal` what killed it. */
export interface Closed {
  exit?: number;
  signal?: string;
  /** The server could not be started. */
  error?: string;
  /** Who ended it: the host's signal, the end of the host's input, and so on. */
  why?: string;
}

interface EventBase {
  /** Numbers the records from 1, without a gap. */
  n: number;
  /** Milliseconds since `started` when the last byte of the thing was read. */
  at: number;
  /** The connection. */
  c: number;
  /** The places in it where something else stands than what passed: JSON pointers, or names. */
  redacted?: readonly string[];
}

/** The bytes of one line; on HTTP, of one body or one server-sent event; or of a part of one. */
export interface FrameEvent extends EventBase, Partial<HttpPlace> {
  kind: 'frame';
  /** It is a server-sent event. */
  isEvent?: boolean;
  from: StreamName;
  /** When the first byte was read, where that was earlier. */
  since?: number;
  /** The exact bytes, delimiter included. */
  bytes: Uint8Array;
  /** The delimiter among them: newline, carriage return and newline, or none. */
  eol: string;
  form: 'msg' | 'text' | 'b64';
  /** Numbers the parts of a line that is written as it passes, from 1. */
  part?: number;
  last?: boolean;
}

/** The beginning of a line that has not ended yet. What follows of the same stream says it again, whole. */
export interface HeldEvent extends EventBase, Partial<HttpPlace> {
  kind: 'held';
  from: StreamName;
  /** How many bytes of the line stand in earlier `held` records. */
  offset: number;
  bytes: Uint8Array;
}

/** The head of a request or a response on HTTP. */
export interface HeadEvent extends EventBase, HttpPlace {
  kind: 'head';
  from: Side;
  head: Head;
}

export interface TrailersEvent extends EventBase, HttpPlace {
  kind: 'trailers';
  from: Side;
  trailers: readonly HeaderLine[];
}

/** A request or a response on HTTP is over. */
export interface StreamEndedEvent extends EventBase, HttpPlace {
  kind: 'streamEnded';
  from: Side;
  end: HttpEnd;
}

/** A body goes on: the sum of what has passed of it so far. */
export interface StreamSumEvent extends EventBase, HttpPlace {
  kind: 'streamSum';
  from: Side;
  sum: Sum;
}

export type TraceEvent =
  | FrameEvent
  | HeldEvent
  | (EventBase & { kind: 'opened'; pid: number | undefined; peer?: string })
  | (EventBase & { kind: 'ended'; from: StreamName })
  | HeadEvent
  | TrailersEvent
  | StreamEndedEvent
  | StreamSumEvent
  | (EventBase & { kind: 'counts'; counts: Counts })
  | (EventBase & { kind: 'note'; note: string; text: string; s?: number })
  | (EventBase & { kind: 'lost'; lost: Lost } & Partial<HttpPlace>)
  | (EventBase & { kind: 'sums'; sums: Sums; counts: Counts | undefined })
  | (EventBase & { kind: 'closed'; closed: Closed; counts?: Counts })
  | (EventBase & { kind: 'unknown'; json: Readonly<Record<string, unknown>> });

/** What a recording is of, in a few words: the server's command, or its URL. */
export const targetOf = (header: TraceHeader): string =>
  header.transport === 'http' ? header.to : header.command.join(' ');
