import type { Side } from '../protocol/message.ts';

/** The version of the trace format that this code writes; the first member of a trace's first line. */
export const formatVersion = 1;

/** Longest line on the wire that stands in one record; what is longer is written as it passes, in parts. Bytes. */
export const longestRecordedLine = 8 * 1024 * 1024;

/** The byte streams of a stdio connection. */
export type StreamName = Side | 'stderr';
export const streamNames: readonly StreamName[] = ['client', 'server', 'stderr'];

/** The first line of a trace. */
export interface TraceHeader {
  wireproof: number;
  /** 26 letters and digits that sort by time of start (a ULID). */
  id: string;
  /** ISO 8601, UTC, microseconds. */
  started: string;
  by: string;
  pid: number;
  label?: string;
  transport: 'stdio';
  /** The server's command; arguments that look like secrets are masked. */
  command: string[];
  cwd: string;
  /** The names of the environment variables that the server got, never their values. */
  env: string[];
}

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
}

/** The bytes of one line, or of a part of one. */
export interface FrameEvent extends EventBase {
  kind: 'frame';
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
export interface HeldEvent extends EventBase {
  kind: 'held';
  from: StreamName;
  /** How many bytes of the line stand in earlier `held` records. */
  offset: number;
  bytes: Uint8Array;
}

export type TraceEvent =
  | FrameEvent
  | HeldEvent
  | (EventBase & { kind: 'opened'; pid: number | undefined })
  | (EventBase & { kind: 'ended'; from: StreamName })
  | (EventBase & { kind: 'note'; note: string; text: string })
  | (EventBase & { kind: 'lost'; lost: Lost })
  | (EventBase & { kind: 'sums'; sums: Sums; counts: Counts | undefined })
  | (EventBase & { kind: 'closed'; closed: Closed })
  | (EventBase & { kind: 'unknown'; json: Readonly<Record<string, unknown>> });
