import { verify, type VerifyResult } from '../../commands/verify.ts';
import { type StreamName, streamNames, type TraceHeader } from '../../core/trace/format.ts';
import { counted, grouped } from '../../core/trace/amounts.ts';
import type { Gap } from '../../core/trace/verify.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { findTrace } from '../../io/stores/find-trace.ts';
import { openTerminal } from '../terminal.ts';
import type { Ink } from '../text/ink.ts';
import { table } from '../text/table.ts';
import type { Given } from '../verbs.ts';

export default async function runVerify({ options, words: [word] }: Given): Promise<number> {
  const result = await verify(await findTrace(word, process.env));
  const terminal = openTerminal(options['color'] !== false);
  if (options['json'] === true) await terminal.print(`${JSON.stringify(asJson(result), undefined, 2)}\n`);
  else if (options['quiet'] !== true) await terminal.print(`${proof(result, terminal.ink).join('\n')}\n`);
  return result.gaps.length === 0 ? 0 : 1;
}

function asJson({ path, state, header, ...rest }: VerifyResult): unknown {
  return { id: header?.id, path, state, ...rest };
}

function proof(result: VerifyResult, ink: Ink): string[] {
  const { header, path } = result;
  const name = [header?.id ?? '', header?.label ?? ''].filter((text) => text !== '').join('  ');
  return [
    ink.bold(visibleText(name)),
    ink.dim(visibleText(path)),
    '',
    ...streamTable(result, ink),
    '',
    ...verdict(result, ink),
    ...gapLines(result),
  ];
}

function streamTable(result: VerifyResult, ink: Ink): string[] {
  const isHttp = result.header?.transport === 'http';
  const names = streamNames.filter((from) => !isHttp || from !== 'stderr');
  const cells = (cell: (from: StreamName) => string): string[] => names.map(cell);
  const { head, rows } = table(
    [
      { title: isHttp ? 'bodies of' : 'stream', cells: names },
      { title: 'bytes', cells: cells((from) => grouped(result.streams[from].bytes)), isNumber: true },
      { title: 'proven', cells: cells((from) => grouped(result.streams[from].proven)), isNumber: true },
      { title: '', cells: cells((from) => standing(result, from)) },
    ],
    Infinity,
    '',
  );
  return [ink.dim(head), ...rows];
}

const briefly: Record<Gap['kind'], string> = {
  lost: 'bytes were not recorded',
  differs: 'differs from what passed',
  missing: 'bytes are missing',
  unproven: 'the end is not proven',
  'sum-changed': 'a sum was changed',
  'record-missing': 'records are missing',
  'record-out-of-place': 'records are out of place',
  appended: 'another recording was appended',
  damaged: 'damaged',
  'cut-off': 'cut off',
};

function standing({ streams, gaps, closed, isRunning }: VerifyResult, from: StreamName): string {
  const gap = gaps.find((one) => one.from === from);
  if (gap) return briefly[gap.kind];
  const { bytes, proven } = streams[from];
  if (bytes > proven) return `no sums cover the last ${grouped(bytes - proven)}`;
  if (bytes === 0) return isRunning ? 'nothing passed so far' : 'nothing passed';
  if (closed) return 'complete';
  return isRunning ? 'complete so far' : 'complete up to there';
}

function verdict(result: VerifyResult, ink: Ink): string[] {
  const { state, records, lastRecord, closed, header } = result;
  switch (state) {
    case 'complete':
      return [
        ink.green(`Complete: ${counted(records, 'record')}, and ${covered(result)} is as it ${kept(result)}.`),
        ...replaced(result),
        ...ending(result),
      ];
    case 'running':
      return [ink.green(`Complete so far: the recording still goes on (${writer(header)}).`), ...provenSoFar(result)];
    case 'cut off': {
      const where = lastRecord === 0 ? 'before its first record' : `after record ${lastRecord}`;
      return [ink.yellow(`Cut off ${where}: the recording was never closed.`), ...provenSoFar(result)];
    }
    default:
      return [ink.red(`Not complete${closed ? '' : ', and never closed'}.`), ...provenSoFar(result)];
  }
}

const writer = (header: TraceHeader | undefined): string =>
  visibleText(`${header?.by ?? ''}, pid ${header?.pid ?? '?'}`);

function provenSoFar({ provenRecord, streams }: VerifyResult): string[] {
  if (provenRecord > 0) return [`Everything up to record ${provenRecord} is proven.`];
  const all = streamNames.map((from) => streams[from]);
  if (all.every(({ bytes }) => bytes === 0)) return ['Nothing has passed that could be proven.'];
  return all.every(({ proven }) => proven === 0) ? ['Nothing is proven.'] : [];
}

/** What sums are made over: header lines have none. */
const covered = ({ header }: VerifyResult): string =>
  header?.transport === 'http' ? 'every byte of every body' : 'every byte';

const kept = ({ redactedBodies, isCopy }: VerifyResult): string =>
  redactedBodies > 0 || isCopy ? 'was written' : 'passed';

/** What the sums cannot prove, since it is not in the recording. */
function replaced({ redactedBodies, isCopy }: VerifyResult): string[] {
  if (isCopy) return ['It is a redacted copy: its sums were made with it, over what it gives back.'];
  if (redactedBodies === 0) return [];
  return [
    `In ${counted(redactedBodies, 'body', 'bodies')} something was replaced before it was written.`,
    "What passed there is told by its length and by a digest under the store's key.",
  ];
}

/** How the connection ended, where that is not as it should be. */
function ending({ closed }: VerifyResult): string[] {
  return closed?.error === undefined ? [] : [`The server was never started: ${visibleText(closed.error)}`];
}

function gapLines({ gaps, moreGaps, state }: VerifyResult): string[] {
  const more = moreGaps > 0 ? [`  and ${grouped(moreGaps)} more`] : [];
  // That it breaks off is said already.
  const shown = state === 'cut off' ? gaps.slice(0, -1) : gaps;
  return [...shown.map(({ text }) => `  ${visibleText(text)}`), ...more];
}
