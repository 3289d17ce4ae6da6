import { targetOf } from '../../core/trace/format.ts';
import { type ListedTrace, ls, type LsResult } from '../../commands/ls.ts';
import { cutToWidth } from '../../core/wire/text-width.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { StoredRecording } from '../../io/stores/store-folder.ts';
import { howCalled } from '../how-called.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { lengthText, momentText, sizeText } from '../text/amounts.ts';
import type { Ink } from '../text/ink.ts';
import { type Column, table } from '../text/table.ts';
import type { Given } from '../verbs.ts';

/** No text takes more columns, a pipe has no end of them; `--json` has all of it. */
const widestText = 60;
/** In so many columns the label and the server have room beside each other. */
const roomForBoth = 110;

export default async function runLs({ options }: Given): Promise<number> {
  const result = await ls(process.env);
  const terminal = openTerminal(options['color'] !== false);
  if (options['json'] === true) await terminal.print(`${JSON.stringify(asJson(result), undefined, 2)}\n`);
  else await terminal.print(result.traces.length === 0 ? nothingYet(result.folder) : listing(result.traces, terminal));
  return 0;
}

function asJson({ folder, traces }: LsResult): unknown {
  return {
    folder,
    recordings: traces.map(({ entry }) => {
      const { id, path, size, state } = entry;
      if (entry.state === 'unreadable') return { id, path, size, state, why: entry.why };
      const { header, server, length, counts, closed } = entry;
      const { started, label } = header;
      const target =
        header.transport === 'http' ? { listen: header.listen, to: header.to } : { command: header.command };
      return { id, path, size, state, started, length, label, server, ...target, ...counts, closed };
    }),
  };
}

function nothingYet(folder: string): string {
  const wireproof = howCalled();
  return `No recordings yet in ${folder}. Make one with "${wireproof} tap -- COMMAND", or see how it goes with "${wireproof} demo".\n`;
}

function listing(traces: readonly ListedTrace[], { width = Infinity, ink }: Terminal): string {
  const isWide = width >= roomForBoth;
  const mark = ink.glyph('…', '~');
  const textColumn = (title: string, cells: string[]): Column => ({
    title,
    cells: cells.map((cell) => cutToWidth(visibleText(cell), widestText, mark)),
    shrinksTo: 8,
  });
  const columns: (Column | undefined)[] = [
    { title: 'id', cells: traces.map(({ shortId }) => shortId), paint: (text) => ink.cyan(text) },
    { title: 'started', cells: traces.map((trace) => started(trace, isWide)), dropped: 5 },
    { title: 'length', cells: told(traces, (trace) => lengthText(lengthOf(trace))), isNumber: true, dropped: 2 },
    isWide ? textColumn('label', told(traces, label)) : undefined,
    textColumn('server', isWide ? names(traces, server) : names(traces, (trace) => label(trace) || server(trace))),
    { title: 'msgs', cells: told(traces, ({ counts }) => String(counts?.messages ?? '?')), isNumber: true, dropped: 4 },
    { title: 'errs', cells: told(traces, errors), isNumber: true, dropped: 3, paint: (text) => ink.red(text) },
    { title: 'size', cells: traces.map(({ entry }) => sizeText(entry.size)), isNumber: true, dropped: 1 },
    stateColumn(traces, ink),
  ];
  const shown = columns.filter((column) => column !== undefined && (column.title !== 'label' || !isEmpty(column)));
  const { head, rows } = table(shown as Column[], width, mark);
  return `${[ink.dim(head), ...rows].join('\n')}\n`;
}

const isEmpty = ({ cells }: Column): boolean => cells.every((cell) => cell === '');

function stateColumn(traces: readonly ListedTrace[], ink: Ink): Column {
  const colours = { running: 'green', finished: 'dim', 'cut off': 'yellow', unreadable: 'red' } as const;
  return {
    title: 'state',
    cells: traces.map(({ entry }) => entry.state),
    paint: (text, row) => ink[colours[(traces[row] as ListedTrace).entry.state]](text),
  };
}

/** A cell that only what can be read has. */
function told(traces: readonly ListedTrace[], cell: (trace: StoredRecording) => string): string[] {
  return traces.map(({ entry }) => (entry.state === 'unreadable' ? '' : cell(entry)));
}

function names(traces: readonly ListedTrace[], name: (trace: StoredRecording) => string): string[] {
  return traces.map(({ entry }) => (entry.state === 'unreadable' ? entry.why : name(entry)));
}

function started({ entry }: ListedTrace, isWide: boolean): string {
  const text = entry.state === 'unreadable' ? '' : momentText(new Date(entry.header.started));
  return isWide || !text.startsWith(`${new Date().getFullYear()}-`) ? text : text.slice(5);
}

/** One that is running may have been silent for long. */
const lengthOf = ({ state, header, length }: StoredRecording): number =>
  state === 'running' ? Math.max(length, Date.now() - Date.parse(header.started)) : length;

const label = ({ header }: StoredRecording): string => header.label ?? '';

function server({ server: name, header, closed }: StoredRecording): string {
  const command = targetOf(header);
  return name ?? (closed?.error === undefined ? command : `not started: ${command}`);
}

const errors = ({ counts }: StoredRecording): string => (counts && counts.errors > 0 ? String(counts.errors) : '');
