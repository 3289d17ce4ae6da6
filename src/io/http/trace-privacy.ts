import type { Head } from '../../core/trace/format.ts';
import type { Redaction } from '../../core/trace/body-recorder.ts';
import type { Side } from '../../core/protocol/message.ts';

/** What of a body is known before it comes. */
export interface BodyFacts {
  from: Side;
  /** The request's path and query. */
  target: string;
  type: string;
  /** Its `Content-Encoding`, where it has one. */
  encoding: string | undefined;
}

/** Keeps secrets out of the trace. */
export interface TracePrivacy {
  head(head: Head): { head: Head; redacted: readonly string[] };
  /** How a body is looked through; nothing where there can be nothing to replace. */
  body(facts: BodyFacts): Redaction['redact'] | undefined;
}

/** Everything is kept as it passed. */
export const noPrivacy: TracePrivacy = {
  head: (head) => ({ head, redacted: [] }),
  body: () => undefined,
};
