import { type ExportResult, exportTrace } from '../../commands/export.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import { readRedaction } from '../redaction-options.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';

export default async function runExport({ options, words: [word] }: Given): Promise<number> {
  const path = await findTrace(word, process.env);
  const file = options['o'];
  const output = typeof file === 'string' && file !== '-' ? file : process.stdout;
  const rules = readRedaction(options);
  const result = await exportTrace(path, rules, output, process.env);
  // A reader who has left has seen what it wanted.
  if (result.readerLeft) return 0;
  const own = [...rules.keys, ...rules.values, ...rules.paths];
  for (const text of remarks(result, own.length > 0)) tell(text);
  return 0;
}

/** What the user must know of the copy. */
function remarks({ gaps, replaced, isClosed, isRunning }: ExportResult, hasOwnRules: boolean): string[] {
  return [
    ...(isRunning ? ['the recording still goes on: the copy ends where it stands now'] : []),
    ...(isClosed || isRunning ? [] : ['the recording was cut off, and so is the copy']),
    ...(gaps.length > 0
      ? [['the recording is not complete, and the copy says so:', ...gaps.map(({ text }) => `  ${text}`)].join('\n')]
      : []),
    ...(hasOwnRules && replaced === 0 ? ['nothing was found that had to be replaced'] : []),
  ];
}
