import { WireproofError } from '../core/wireproof-error.ts';
import type { RecordedFetch } from '../io/oauth/recorded-fetch.ts';

/** A step of a sign-in, as a person is told where it fails. */
export interface Step {
  /** `reading the metadata of the server`. */
  name: string;
  /** What to do next. */
  next: string;
}

interface Failure extends Step {
  asked?: string | undefined;
  came?: string | undefined;
  trouble: string;
}

/** That a sign-in failed: at which step, what was asked, what came back, what to do. */
export function signInFailed({ name, asked, came, trouble, next }: Failure, cause?: unknown): WireproofError {
  const lines = [
    `The sign-in failed at ${name}: ${trouble}`,
    ...(asked === undefined ? [] : [`  asked: ${asked}`]),
    ...(came === undefined ? [] : [`  came back: ${came}`]),
    `  to do: ${next}`,
  ];
  return new WireproofError('sign-in-failed', lines.join('\n'), { cause });
}

/**
 * Takes a step: what goes wrong in it is told with what was asked last and what came back.
 *
 * @throws WireproofError `sign-in-failed`
 */
export async function takeStep<T>(step: Step, fetch: RecordedFetch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof WireproofError && cause.code === 'sign-in-failed') throw cause;
    const { asked, came } = fetch;
    throw signInFailed({ ...step, asked, came, trouble: (cause as Error).message }, cause);
  }
}
