import { createInterface } from 'node:readline/promises';

/**
 * Waits until the person at the terminal says that the pages have been visited, or the signal that it need not be asked.
 *
 * @returns false where they gave it up with Ctrl-D or Ctrl-C
 */
export async function askVisited(signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<boolean>((resolve) => lines.once('close', () => resolve(false)));
  const answered = lines.question('Press Enter when that is done (Ctrl-D gives up): ', { signal }).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, closed]);
  } finally {
    lines.close();
  }
}
