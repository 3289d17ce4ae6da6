import { prune, type PruneResult } from '../../commands/prune.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { StoredRecording } from '../../io/stores/store-folder.ts';
import { readDuration } from '../quantities.ts';
import { tell } from '../tell.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { counted } from '../../core/trace/amounts.ts';
import { momentText, sizeText } from '../text/amounts.ts';
import { table } from '../text/table.ts';
import type { Given } from '../verbs.ts';

export default async function runPrune({ options }: Given): Promise<number> {
  const age = options['olderThan'];
  if (typeof age !== 'string') {
    throw new WireproofError('bad-usage', 'Say how old what goes must be: wireproof prune --older-than 30d');
  }
  const result = await prune({
    olderThan: readDuration(age, '--older-than'),
    now: Date.now(),
    dryRun: options['dryRun'] === true,
    env: process.env,
  });
  const terminal = openTerminal(false);
  if (options['json'] === true) await terminal.print(`${JSON.stringify(asJson(result), undefined, 2)}\n`);
  else if (options['quiet'] !== true) await terminal.print(report(result, age, terminal));
  for (const { path, why } of result.failed) tell(`could not delete ${path}: ${why}`);
  return result.failed.length > 0 ? 2 : 0;
}

const idOf = ({ path }: StoredRecording): string => path.slice(-'.jsonl'.length - 26, -'.jsonl'.length);

function asJson({ pruned, running, ...rest }: PruneResult): unknown {
  const brief = (recording: StoredRecording): unknown => {
    const { path, size, state, header } = recording;
    return { id: idOf(recording), path, size, state, started: header.started, label: header.label };
  };
  return { ...rest, pruned: pruned.map(brief), running: running.map(brief) };
}

function report(result: PruneResult, age: string, terminal: Terminal): string {
  const { pruned, bytes, dryRun, running, unreadable, folder } = result;
  const lines: string[] = [];
  if (pruned.length === 0) lines.push(`Nothing in ${folder} is older than ${age}.`);
  else {
    const total = `${counted(pruned.length, 'recording')}, ${sizeText(bytes)}`;
    lines.push(
      ...listed(pruned, terminal),
      '',
      dryRun ? `Would delete ${total}. Nothing is deleted yet.` : `Deleted ${total}.`,
    );
  }
  if (running.length > 0) lines.push(`${counted(running.length, 'recording')} as old still running: kept.`);
  if (unreadable.length > 0)
    lines.push(`${counted(unreadable.length, 'file')} that cannot be read as a recording: kept.`);
  return `${lines.join('\n')}\n`;
}

function listed(pruned: readonly StoredRecording[], { width = Infinity, ink }: Terminal): string[] {
  const name = ({ header, server }: StoredRecording): string => header.label ?? server ?? header.command.join(' ');
  const columns = [
    { title: '', cells: pruned.map(idOf) },
    { title: '', cells: pruned.map(({ header }) => momentText(new Date(header.started))) },
    { title: '', cells: pruned.map((recording) => visibleText(name(recording))), shrinksTo: 8 },
    { title: '', cells: pruned.map(({ size }) => sizeText(size)), isNumber: true },
  ];
  return table(columns, width, ink.glyph('…', '~')).rows;
}
