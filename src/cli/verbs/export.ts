import { type ExportResult, exportTrace } from '../../commands/export.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import { foundNothing, hasOwnRules, readRedaction } from '../redaction-options.ts';
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
  for (const text of remarks(result, hasOwnRules(rules))) tell(text);
  return 0;
}

/** What the user must know of the copy. */
function remarks({ gaps, replaced, isClosed, isRunning }: ExportResult, hasOwn: boolean): string[] {
  return [
    ...(isRunning ? ['the recording still goes on: the copy ends where it stands now'] : []),
    ...(isClosed || isRunning ? [] : ['the recording was cut off, and so is the copy']),
    ...(gaps.length > 0
      ? [['the recording is not complete, and the copy says so:', ...gaps.map(({ text }) => `  ${text}`)].join('\n')]
      : []),
    ...(hasOwn && replaced === 0 ? [foundNothing] : []),
  ];
}
