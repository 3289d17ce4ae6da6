import type { Outgoing } from '../../core/peer/client.ts';
import type { Agreement } from '../../core/peer/opening.ts';

/** Why a request gets no answer, where a channel knows that. */
export interface Lost {
  /** As a person is told: `the server ended`, `HTTP 500 Internal Server Error`. */
  why: string;
  /** What the server answered on HTTP, where it did. */
  status?: number;
  /** The header lines of that answer that say what to do: `www-authenticate`, `retry-after`, `location`; names in small letters. */
  headers?: Readonly<Record<string, string>>;
  /** The body of that answer, at most 64 KiB of it. */
  body?: string;
  /** The error of JSON-RPC in that body, where it does not say whose it is. */
  error?: unknown;
  /** Nothing of the request has gone out. */
  neverLeft: boolean;
  /** Of one that never left: the system's word for why, `ECONNREFUSED`. */
  code?: string;
  /** The server said that it does not do it, by the status. */
  refused?: true;
  /** It was made in a session that the server does not know any more. `replaced`: there is another by now. */
  session?: 'gone' | 'replaced';
}

/** Nothing was done: to make the request again does no harm. */
export const isUndone = ({ neverLeft, refused }: Lost): boolean => neverLeft || refused === true;

/** What comes out of a channel. */
export interface ChannelEvents {
  /** One body of the server, without its delimiter: a message, or something else. In order. */
  body(bytes: Uint8Array): void;
  /** A request can get no answer any more. `id` is its own. */
  lost(id: number, lost: Lost): void;
  /** A notification, or an answer to the server, did not get through. Told where a channel knows that. */
  undelivered?(message: Outgoing, lost: Lost): void;
  /**
   * An event stream was refused that is only asked for, by GET: that does nothing.
   *
   * @param attempt how often in a row it was refused before
   * @returns whether it is to be asked for again now
   */
  streamRefused?(lost: Lost, attempt: number): Promise<boolean>;
  /** What the server says unasked is not heard any more. */
  unheard?(lost: Lost): void;
  /** The server has gone: nothing more comes, and nothing can be sent. Told once. @param why as a person is told */
  ended(why: string): void;
}

/** An open line to a server, whatever carries it. All that passes is recorded as `tap` records it. */
export interface Channel {
  /** Where the recording stands: a path, or the id of it in the store. */
  readonly trace: string;
  /** `drop` alone tells the server that a request is cancelled: a message would say it twice (2026-07-28, on HTTP). */
  readonly cancelsByDropping: boolean;
  /** The server is a process of ours: one that is stuck is heard again only when it is started anew. */
  readonly isProcess: boolean;
  send(message: Outgoing): void;
  /** Nobody waits for the answer to this request any more. On HTTP its stream is closed. */
  drop(id: number): void;
  /** What both sides agreed on: what requests carry from now on depends on it. */
  agreed(agreement: Agreement): void;
  /**
   * Goes on with the transport of 2024-11-05, where the one at hand was refused (2026-07-28: basic/versioning, backward
   * compatibility). @returns why it does not work either
   */
  fallBack?(): Promise<Lost | undefined>;
  /** Ends the connection by the protocol's way, and waits for the last records. */
  close(): Promise<void>;
}
