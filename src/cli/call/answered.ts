import { said } from '../../core/peer/opening.ts';
import { isObject } from '../../core/protocol/message.ts';
import type { Outcome } from '../../io/session.ts';
import { keepFile } from '../keep-file.ts';
import { tell } from '../tell.ts';
import type { toolResultText } from '../text/result-text.ts';
import type { Task } from './task.ts';

/** The exit code after Ctrl-C. */
export const interrupted = 130;

/** Prints what came. @returns 0 where all is well, 1 where the tool or the server says no, 2 where there was no answer */
export async function answered(
  { options, terminal, connection }: Task,
  outcome: Outcome,
  lines: typeof toolResultText,
): Promise<number> {
  if (options['json'] === true) {
    await terminal.print(`${JSON.stringify({ ...outcome, trace: connection.trace }, undefined, 2)}\n`);
  } else if (outcome.kind === 'result' && isObject(outcome.result)) {
    const printed = await lines(outcome.result, terminal.ink, keepFile(connection.trace));
    if (printed.length > 0) await terminal.print(`${printed.join('\n')}\n`);
  }
  switch (outcome.kind) {
    case 'result':
      if (!isObject(outcome.result) || outcome.result['isError'] !== true) return 0;
      tell('the tool says that it failed (isError)');
      return 1;
    case 'error':
      tell(`the server refused it: ${said(outcome.error)}`);
      return 1;
    case 'lost':
      tell(
        `${outcome.lost.why}. ${outcome.lost.neverLeft ? 'The request never reached the server.' : 'Whether the server did it is not known.'}`,
      );
      return 2;
    case 'silence':
      tell(`no answer in ${outcome.after} ms; the request was cancelled. --timeout waits longer.`);
      return 2;
    default:
      return interrupted;
  }
}
