import { showConversation, type ShowOptions } from '../../commands/show.ts';
import type { Terminal } from '../terminal.ts';
import { columnLine, layoutFor, rowLine } from './row-line.ts';
import { footLines, headLines } from './trace-ends.ts';

/** Lines that are longer are cut, where nobody asks for all of them. */
const longestLine = 160;

/**
 * How a conversation is to be printed. `show` is how this verb is called, for the words at the end, `name` what the
 * user calls the recording; else it is called by its id.
 */
export interface PrintOptions extends ShowOptions {
  isFull: boolean;
  show: string;
  name?: string | undefined;
}

/** Prints a recording as a conversation. */
export async function printConversation(options: PrintOptions, terminal: Terminal): Promise<void> {
  const layout = () => layoutFor(terminal, options.isFull ? Infinity : longestLine);
  const print = (lines: readonly string[]): Promise<void> => terminal.print(lines.map((line) => `${line}\n`).join(''));
  const { view } = options;
  let began = false;
  const rows: Parameters<typeof showConversation>[1]['rows'] = async (some, { header, facts }) => {
    const now = { ...layout(), namesConnections: facts.length > 1 };
    const head = began ? [] : [...headLines(header, facts, now, view?.words), '', columnLine(now)];
    began = true;
    await print([...head, ...some.map((row) => rowLine(row, now))]);
  };
  const result = await showConversation(options, { rows });
  const fits = began;
  if (!began) await rows([], result);
  const now = layout();
  const nothing = fits || options.filter === '' ? [] : ['Nothing fits the filter.'];
  const saidEnding = options.filter === '' && result.state === 'closed';
  const { show, name, follow } = options;
  await print([
    ...nothing,
    '',
    ...footLines(result, now, { show, name, follow, saidEnding, isRedacted: view !== undefined }),
  ]);
}
