import { existsSync } from 'node:fs';
import { WireproofError } from '../core/wireproof-error.ts';
import type { Given } from './verbs.ts';

/** What `show` was asked for: a trace, and perhaps one record of it. */
export interface ShowWords {
  trace: string | undefined;
  record: number | undefined;
}

/**
 * Reads the words of `show [TRACE] [N]`. A lone number is a record of the newest trace, unless a file has that name.
 *
 * @throws WireproofError `bad-usage`
 */
export function readShowWords(words: readonly string[], options: Given['options']): ShowWords {
  const [first, second] = words;
  const isNumber = first !== undefined && second === undefined && /^\d{1,15}$/.test(first) && !existsSync(first);
  const record = isNumber ? first : second;
  const trace = isNumber ? undefined : first;
  if (record === undefined) return { trace, record: undefined };
  if (!/^\d{1,15}$/.test(record)) {
    throw new WireproofError('bad-usage', `"${record}" is no record number. Write: wireproof show TRACE N`);
  }
  for (const name of ['follow', 'filter']) {
    if (options[name] === undefined) continue;
    throw new WireproofError('bad-usage', `--${name} is for a whole recording, not for one record.`);
  }
  return { trace, record: Number(record) };
}
