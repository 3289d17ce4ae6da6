import { targetOf } from '../../core/trace/format.ts';
import { prune, type PruneResult } from '../../commands/prune.ts';
import { cutToWidth } from '../../core/wire/text-width.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { StoredRecording } from '../../io/stores/store-folder.ts';
import { readAge } from '../quantities.ts';
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
    olderThan: readAge(age, '--older-than'),
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

/** No name takes more columns; `--json` has all of it. */
const widestText = 60;

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
  if (pruned.length === 0) {
    lines.push(running.length > 0 ? `Nothing to delete in ${folder}.` : `Nothing in ${folder} is older than ${age}.`);
  }
  if (pruned.length > 0) {
    const total = `${counted(pruned.length, 'recording')}, ${sizeText(bytes)}`;
    lines.push(
      ...listed(pruned, terminal),
      '',
      dryRun ? `Would delete ${total}. Nothing is deleted yet.` : `Deleted ${total}.`,
    );
  }
  const kept = (count: number, one: string, more: string): void => {
    if (count > 0) lines.push(`Kept: ${counted(count, one, more)}.`);
  };
  kept(
    running.length,
    `recording that is older than ${age} and still running`,
    `recordings that are older than ${age} and still running`,
  );
  kept(unreadable.length, 'file that cannot be read as a recording', 'files that cannot be read as recordings');
  return `${lines.join('\n')}\n`;
}

function listed(pruned: readonly StoredRecording[], { width = Infinity, ink }: Terminal): string[] {
  const name = ({ header, server }: StoredRecording): string => header.label ?? server ?? targetOf(header);
  const mark = ink.glyph('…', '~');
  const names = pruned.map((recording) => cutToWidth(visibleText(name(recording)), widestText, mark));
  const columns = [
    { title: '', cells: pruned.map(idOf) },
    { title: '', cells: pruned.map(({ header }) => momentText(new Date(header.started))), dropped: 2 },
    { title: '', cells: names, shrinksTo: 8 },
    { title: '', cells: pruned.map(({ size }) => sizeText(size)), isNumber: true, dropped: 1 },
  ];
  return table(columns, width, mark).rows;
}
