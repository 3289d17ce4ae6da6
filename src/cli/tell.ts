import { writeSync } from 'node:fs';
import { visibleText } from '../core/wire/visible-text.ts';

/** Text as lines that are marked as ours. */
export const ownLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => `wireproof: ${visibleText(line)}\n`)
    .join('');

/** Says something on stderr, each line marked as ours. A stderr that is gone or full is not waited for. */
export function tell(text: string): void {
  try {
    writeSync(2, ownLines(text));
  } catch {
    // Nobody is there to be told.
  }
}
