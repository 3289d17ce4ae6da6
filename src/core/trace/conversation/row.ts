import type { Status } from '../unit.ts';

/** One line of a conversation, before it is laid out. All its texts are fit to be shown. */
export interface Row {
  /** The record to open to see it whole. */
  n?: number;
  at: number;
  /** Whose doing it is; `trace` is what the recording says of itself. */
  by: 'client' | 'server' | 'stderr' | 'trace';
  /** Stands alone where there is neither an id, nor a state, nor an outcome. */
  subject: string;
  /** What the subject is about, where there is room. */
  detail?: string;
  id?: string;
  duration?: number;
  /**
   * What became of a request; `asked` where that is not known yet, `unasked` for an answer to no request, `moved` for
   * one on HTTP that was sent elsewhere.
   */
  state?: Status | 'asked' | 'unasked' | 'moved';
  outcome?: string;
  /** What else there is to be said of the outcome. */
  beside?: readonly string[];
  /** Something to look at twice. */
  marks?: readonly string[];
  /** `odd` is what does not belong on the wire, `quiet` what only frames the rest. */
  tone?: 'odd' | 'quiet';
  /** It stands for so many of its kind. */
  times?: number;
  /** The connection that it belongs to. */
  c?: number;
}
