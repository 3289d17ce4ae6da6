import { writeSync } from 'node:fs';
import { visibleText } from '../core/wire/visible-text.ts';

/** Says something on stderr, each line marked as ours. A stderr that is gone or full is not waited for. */
export function tell(text: string): void {
  const lines = text.split('\n').map((line) => `wireproof: ${visibleText(line)}\n`);
  try {
    writeSync(2, lines.join(''));
  } catch {
    // Nobody is there to be told.
  }
}
