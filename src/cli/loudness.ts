import { WireproofError } from '../core/wireproof-error.ts';
import type { Given } from './verbs.ts';

/** How much a verb says beside its result: `quiet` nothing but what went wrong, `verbose` all that passes. */
export type Loudness = 'quiet' | 'usual' | 'verbose';

/** @throws WireproofError `bad-usage` */
export function readLoudness({ quiet, verbose }: Given['options']): Loudness {
  if (quiet === true && verbose === true)
    throw new WireproofError('bad-usage', '--quiet and --verbose contradict each other: give one of them.');
  if (quiet === true) return 'quiet';
  return verbose === true ? 'verbose' : 'usual';
}
