import { fateOf } from '../../commands/fate.ts';
import { said } from '../../core/peer/opening.ts';
import { isObject } from '../../core/protocol/message.ts';
import type { Outcome } from '../../io/session.ts';
import { attachments } from './attachments.ts';
import type { ResultText } from '../text/result-text.ts';
import type { Task } from './task.ts';

/** The exit code after Ctrl-C. */
export const interrupted = 130;

const durationText = (time: number): string => (time % 1000 === 0 ? `${time / 1000} s` : `${time} ms`);

/** Prints what came. @returns 0 where all is well, 1 where the tool or the server says no, 2 where there was no answer */
export async function answered(
  { options, terminal, connection, tell }: Task,
  outcome: Outcome,
  lines: ResultText,
): Promise<number> {
  if (options['json'] === true) {
    await terminal.print(`${JSON.stringify({ ...outcome, trace: connection.trace }, undefined, 2)}\n`);
  } else if (outcome.kind === 'result' && isObject(outcome.result)) {
    const printed = await lines(outcome.result, terminal.ink, attachments(connection.trace, terminal));
    if (printed.length > 0) await terminal.print(`${printed.join('\n')}\n`);
  }
  return codeOf(outcome, tell);
}

/** Says what went wrong, if something did. @returns the exit code */
export function codeOf(outcome: Outcome, tell: Task['tell']): number {
  switch (outcome.kind) {
    case 'result':
      if (!isObject(outcome.result) || outcome.result['isError'] !== true) return 0;
      tell('the tool says that it failed (isError); what it says of it is above');
      return 1;
    case 'error':
      tell(`the server answered with an error: ${said(outcome.error)}`);
      return 1;
    case 'lost':
      tell(`${outcome.lost.why}. ${fateOf(outcome.lost)}`);
      return 2;
    case 'silence':
      tell(
        `no answer in ${durationText(outcome.after)}, so the request was cancelled. --timeout 5m, for example, waits longer.`,
      );
      return 2;
    default:
      tell('interrupted: the request was cancelled');
      return interrupted;
  }
}
