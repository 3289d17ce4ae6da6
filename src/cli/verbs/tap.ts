import { constants } from 'node:os';
import { tap } from '../../commands/tap.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { leave } from '../../io/leave.ts';
import { readEnvironment } from '../environment.ts';
import { readDuration, readSize } from '../quantities.ts';
import { stopSignals } from '../stop-signals.ts';
import { ownLines, tell } from '../tell.ts';
import type { Given } from '../verbs.ts';
import { by } from '../version.ts';

/** Options for a server on HTTP. */
const forListeners = [
  ['listenAnywhere', '--listen-anywhere'],
  ['allowHost', '--allow-host'],
  ['ca', '--ca'],
  ['insecure', '--insecure'],
  ['redactKey', '--redact-key'],
  ['redactValue', '--redact-value'],
  ['redactPath', '--redact-path'],
] as const;

/** What is asked for and would not be done is said: least of all may somebody believe that a secret was replaced. */
function refuseForListeners(options: Given['options']): void {
  for (const [name, option] of forListeners) {
    if (options[name] === undefined || options[name] === false) continue;
    const instead = option.startsWith('--redact') ? ' "wireproof export --format trace" replaces it in a copy.' : '';
    throw new WireproofError('bad-usage', `${option} is for --listen and --to, not for a command to start.${instead}`);
  }
}

export default async function runTap(given: Given): Promise<number> {
  const { options, words } = given;
  if (options['listen'] !== undefined || options['to'] !== undefined) {
    const { runTapHttp } = await import('./tap-http.ts');
    return runTapHttp(given);
  }
  if (words.length === 0) {
    throw new WireproofError(
      'bad-usage',
      "What is to be tapped? Write -- and the server's command, or --listen PORT --to URL.",
    );
  }
  refuseForListeners(options);
  // Our own streams may still be open on the host's side, and the store may still be waited for: it is over all the same.
  return leave(await passedOn(given));
}

async function passedOn({ options, words }: Given): Promise<number> {
  const text = (name: string): string => options[name] as string;
  const started = tap(
    {
      command: words,
      cwd: options['cwd'] as string | undefined,
      env: readEnvironment(options['e'] as string[] | undefined),
      trace: options['trace'] as string | undefined,
      label: options['label'] as string | undefined,
      grace: readDuration(text('grace'), '--grace'),
      drain: readDuration(text('drain'), '--drain'),
      storeLimit: readSize(text('storeLimit'), '--store-limit'),
      by,
    },
    {
      tell,
      ownLines,
      onStop: (stop) => {
        for (const signal of stopSignals) process.on(signal, () => stop(`wireproof got ${signal}`));
      },
    },
  );
  try {
    return exitCode((await started).exit);
  } catch (error) {
    if (!(error instanceof WireproofError)) throw error;
    tell(error.message);
    return 2;
  }
}

/** The server's own code; 128 and the signal's number where one ended it. */
function exitCode({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
