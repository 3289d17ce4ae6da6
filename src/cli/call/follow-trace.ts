import { setTimeout as pause } from 'node:timers/promises';
import { showConversation } from '../../commands/show.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import type { Terminal } from '../terminal.ts';
import { layoutFor, rowLine } from '../text/row-line.ts';

const longestLine = 160;
/** How long the file of a recording is waited for, and how often it is looked for. Milliseconds. */
const [patience, betweenLooks] = [2000, 50];

/**
 * Prints the messages of a recording as they pass, as `show` does, until it is over.
 *
 * @param print told lines; they are to stand apart from what is printed as the result
 */
export async function followTrace(
  { trace, signal }: { trace: string; signal: AbortSignal },
  terminal: Terminal,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const path = await pathOf(trace);
  if (path === undefined) return;
  const layout = layoutFor(terminal, longestLine);
  await showConversation(
    { path, follow: true, filter: '', signal },
    { rows: (rows) => print(rows.map((row) => `${rowLine(row, layout)}\n`).join('')) },
  );
}

/** Nothing where it could not be written. */
async function pathOf(trace: string): Promise<string | undefined> {
  for (let waited = 0; waited < patience; waited += betweenLooks) {
    const path = await findTrace(trace, process.env).catch(() => undefined);
    if (path !== undefined) return path;
    await pause(betweenLooks);
  }
  return undefined;
}
