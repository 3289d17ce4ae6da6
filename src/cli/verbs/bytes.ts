import { bytes, type BytesResult } from '../../commands/bytes.ts';
import type { Leg, StreamName } from '../../core/trace/format.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';

export default async function runBytes({ options, words: [word] }: Given): Promise<number> {
  const path = await findTrace(word, process.env);
  const file = options['o'];
  const output = typeof file === 'string' && file !== '-' ? file : process.stdout;
  const wanted = {
    from: options['from'] as StreamName,
    stream: streamNumber(options['stream'] as string | undefined),
    leg: options['leg'] as Leg | undefined,
  };
  const result = await bytes(path, wanted, output);
  // A reader who has left has seen what it wanted.
  if (result.readerLeft) return 0;
  if (result.isRunning && options['quiet'] !== true) tell('the recording still goes on: these are the bytes so far');
  if (result.gaps.length === 0) return 0;
  if (options['quiet'] !== true) tell(shortfall(result));
  return 1;
}

function streamNumber(word: string | undefined): number | undefined {
  if (word === undefined || /^\d{1,15}$/.test(word)) return word === undefined ? undefined : Number(word);
  throw new WireproofError(
    'bad-usage',
    `"${word}" is no number of a stream. Write: wireproof bytes TRACE --from client --stream 3`,
  );
}

function shortfall({ gaps }: BytesResult): string {
  return ['these are not all the bytes, or not as they passed:', ...gaps.map(({ text }) => `  ${text}`)].join('\n');
}
