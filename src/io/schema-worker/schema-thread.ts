import { parentPort } from 'node:worker_threads';
import { checkValue, type Verdict } from './check-value.ts';
import type { Plan } from './plan-schema.ts';

/** What a thread is asked; it answers with a verdict. */
export interface Question {
  plan: Plan;
  value: unknown;
}

// The whole of a thread that checks values: it has nothing else, and can be ended at any time.
const tell = (message: Verdict | 'ready'): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort?.postMessage(message);
};

parentPort?.on('message', ({ plan, value }: Question) => tell(checkValue(plan, value)));
tell('ready');
