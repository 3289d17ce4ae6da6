import { Host, readAnswers } from '../../commands/host.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';
import { askForm, askUrl } from './ask.ts';

/** What answers the server when it asks something of its host: a file, a command, or the person at the terminal. */
export async function openHost(options: Given['options']): Promise<Host> {
  const file = options['answer'] as string | undefined;
  const isThere = process.stdin.isTTY && process.stderr.isTTY && options['json'] !== true;
  return new Host({
    answers: file === undefined ? undefined : await readAnswers(file),
    samplingCommand: options['samplingCommand'] as string | undefined,
    roots: (options['setRoots'] as string[] | undefined) ?? [],
    askForm: isThere ? askForm : undefined,
    askUrl: isThere ? askUrl : undefined,
    told: tell,
  });
}
