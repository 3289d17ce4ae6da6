/** What stands in the way, for programs: the words of a message may change, these do not. */
export type ErrorCode =
  | 'bad-usage'
  | 'server-not-started'
  | 'no-agreement'
  | 'sign-in-needed'
  | 'sign-in-failed'
  | 'server-unreachable'
  | 'not-listening'
  | 'trace-not-found'
  | 'trace-ambiguous'
  | 'trace-unreadable'
  | 'record-not-found'
  | 'store-unusable'
  | 'output-unusable'
  | 'interrupted'
  | 'demo-failed';

/** Something that the user or the machine refuses. The message says what happened and what to try. */
export class WireproofError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'WireproofError';
    this.code = code;
  }
}
