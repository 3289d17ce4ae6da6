import { Host, readAnswers } from '../../commands/host.ts';
import type { JsonObject } from '../../core/protocol/message.ts';
import type { Given } from '../verbs.ts';
import { type Asking, askForm, askUrl } from './ask.ts';
import { askVisited } from './ask-visited.ts';
import { Questions } from './questions.ts';
import type { Voice } from './voice.ts';

/**
 * What answers the server when it asks something of its host: a file, a command, or the person at the terminal.
 *
 * @param patience how long pages are waited for that nobody says have been visited. Milliseconds
 */
export async function openHost(options: Given['options'], voice: Voice, patience: number): Promise<Host> {
  const file = options['answer'] as string | undefined;
  const isThere = process.stdin.isTTY && process.stderr.isTTY && options['json'] !== true;
  const ask = oneByOne(voice);
  return new Host({
    answers: file === undefined ? undefined : await readAnswers(file),
    samplingCommand: options['samplingCommand'] as string | undefined,
    roots: (options['setRoots'] as string[] | undefined) ?? [],
    askForm: isThere ? (message, schema) => ask((asking) => askForm(asking, message, schema)) : undefined,
    askUrl: isThere ? (message, url) => ask((asking) => askUrl(asking, message, url)) : undefined,
    askVisited: isThere ? (signal) => ask(() => askVisited(signal)) : undefined,
    patience,
    told: voice.tell,
    status: voice.note,
  });
}

/** A server may ask for several things at once; a person is asked for one after the other. */
function oneByOne(voice: Voice): <T>(ask: (asking: Asking) => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const answer = last.then(async () => {
      const end = voice.giveWay();
      const questions = new Questions();
      try {
        return await ask({ questions, ink: voice.errorInk, misfit });
      } finally {
        questions.end();
        end();
      }
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** A pattern is an expression of a stranger: it is looked at where it can be given up. */
async function misfit(field: JsonObject, value: unknown): Promise<string | undefined> {
  if (typeof field['pattern'] !== 'string') return undefined;
  const { SchemaChecker } = await import('../../io/schema-worker/schema-checker.ts');
  const checker = new SchemaChecker();
  const verdict = await checker.check({ type: 'string', pattern: field['pattern'] }, value);
  checker.close();
  return 'errors' in verdict ? verdict.errors[0]?.message : undefined;
}
