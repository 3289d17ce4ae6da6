import { grouped } from '../../core/trace/amounts.ts';
import { milliseconds } from '../../core/trace/conversation/message-rows.ts';
import type { Row } from '../../core/trace/conversation/row.ts';
import { cutToWidth, padToWidth, textWidth } from '../../core/wire/text-width.ts';
import type { Ink } from './ink.ts';

/** How lines are laid out. */
export interface Layout {
  ink: Ink;
  showsUnicode: boolean;
  /** Only ASCII goes out, whatever came over the wire. */
  onlyAscii: boolean;
  /** The longest line, in columns. */
  width: number;
  subjectWidth: number;
  /** Too narrow for columns: the outcome follows the subject, its mark comes first. */
  isNarrow: boolean;
  /** There are several connections: each line says which. */
  namesConnections?: boolean;
}

const numberWidth = 5;
const timeWidth = 9;
const idWidth = 4;
const durationWidth = 9;
const stateWidth = 9;
const longestId = 24;
/** A subject leaves an id, and a time, at least so much. */
const leastId = 16;
/** Columns need as many as this. */
const roomForColumns = 80;
/** Marks leave an outcome at least so much. */
const leastOutcome = 24;
/** A detail that has to be cut to less than this is left out. */
const leastDetail = 12;

/** Lays lines out for a terminal of so many columns, or for a file. */
export function layoutFor(
  terminal: { ink: Ink; showsUnicode: boolean; isTerminal: boolean; width: number | undefined },
  longest: number,
): Layout {
  const { ink, showsUnicode, isTerminal, width } = terminal;
  const columns = width ?? 120;
  return {
    ink,
    showsUnicode,
    onlyAscii: isTerminal && !showsUnicode,
    width: longest === Infinity ? longest : (width ?? longest),
    subjectWidth: Math.min(40, Math.max(26, Math.floor(columns * 0.3))),
    isNarrow: columns < roomForColumns,
  };
}

type Colour = Exclude<keyof Ink, 'glyph'>;

/** A stretch of a line in one colour. */
interface Piece {
  text: string;
  colour?: Colour | undefined;
}

/** The names of the columns. */
export function columnLine(layout: Layout): string {
  if (layout.isNarrow) return joined([{ text: `${'n'.padStart(numberWidth)}   what`, colour: 'dim' }], layout);
  const names = ['n'.padStart(numberWidth), 'ms'.padStart(timeWidth), ' ', padToWidth('what', layout.subjectWidth)];
  const text = [...names, 'id'.padEnd(idWidth), 'took'.padStart(durationWidth), 'outcome'].join(' ');
  return joined([{ text, colour: 'dim' }], layout);
}

/** One line of a conversation. */
export function rowLine(row: Row, layout: Layout): string {
  const number = row.n === undefined ? ' '.repeat(numberWidth) : String(row.n).padStart(numberWidth);
  if (layout.isNarrow) {
    return joined(
      [{ text: `${number} `, colour: 'dim' }, sign(row, layout), { text: ' ' }, ...narrow(row, layout)],
      layout,
    );
  }
  const start = `${number} ${row.at.toFixed(1).padStart(timeWidth)} `;
  const rest = isPlain(row) ? plainPieces(row, layout) : columns(row, layout);
  return joined([{ text: start, colour: 'dim' }, sign(row, layout), { text: ' ' }, ...rest], layout);
}

/** The pieces behind one another, cut where the line is full. */
function joined(pieces: readonly Piece[], layout: Layout): string {
  let left = layout.width;
  let line = '';
  for (const { text, colour } of pieces) {
    if (left <= 0) break;
    const kept = fit(text, layout, left);
    line += colour === undefined || kept === '' ? kept : layout.ink[colour](kept);
    left -= kept === text ? textWidth(kept) : left;
  }
  return line.trimEnd();
}

const isPlain = ({ id, state, outcome, marks }: Row): boolean =>
  id === undefined && state === undefined && !outcome && marks === undefined;

function sign({ by, tone }: Row, { showsUnicode }: Layout): Piece {
  const glyph = (unicode: string, ascii: string): string => (showsUnicode ? unicode : ascii);
  if (by === 'client') return { text: glyph('→', '>'), colour: 'cyan' };
  if (by === 'server') return { text: glyph('←', '<'), colour: 'green' };
  if (by === 'stderr') return { text: glyph('┊', '|'), colour: 'dim' };
  return tone === 'odd' ? { text: '!', colour: 'yellow' } : { text: glyph('·', '-'), colour: 'dim' };
}

function plainPieces(row: Row, layout: Layout): Piece[] {
  const { subject, tone, times } = row;
  const text = safe(subject + timesText(times, layout), layout);
  return [
    ...connection(row, layout),
    { text, colour: tone === 'odd' ? 'yellow' : tone === 'quiet' ? 'dim' : undefined },
  ];
}

/** `#2`, where there are several. */
const connection = ({ c }: Row, { namesConnections }: Layout): Piece[] =>
  namesConnections && c !== undefined ? [{ text: `#${c} `, colour: 'dim' }] : [];

/**
 * Subject, id and time, each in its column as long as the ones before leave it room, then the outcome. What is no
 * exchange has neither id nor time, and says more.
 */
function columns(row: Row, layout: Layout): Piece[] {
  const { subjectWidth } = layout;
  const subject = subjectPieces(row, layout);
  const width = widthOf(subject);
  const took = row.duration === undefined ? '' : milliseconds(row.duration);
  const idAt = Math.max(subjectWidth, width) + 1;
  const idRoom = roomBehind(layout) - idAt - (took === '' ? 0 : took.length + 1) - 1;
  const id = fit(row.id ?? '', layout, Math.min(longestId, idRoom));
  if (id === '' && took === '') return [...subject, space(idAt - width), ...outcomePieces(row, layout, idAt)];
  const end = subjectWidth + idWidth + durationWidth + 2;
  const used = idAt + textWidth(id);
  const timed = id + ' '.repeat(Math.max(took === '' ? 0 : 1, end - used - took.length)) + took;
  const outcome = outcomePieces(row, layout, idAt + textWidth(timed) + 1);
  return [...subject, space(idAt - width), { text: timed, colour: 'dim' }, space(1), ...outcome];
}

/** What became of it, what it is, and as much of its outcome as there is room for. */
function narrow(row: Row, layout: Layout): Piece[] {
  if (isPlain(row)) return plainPieces(row, layout);
  const [state, outcome, marks] = outcomeParts(row, layout, Infinity);
  const which = connection(row, layout);
  const room = layout.width - numberWidth - 3 - textWidth(state.text.trimEnd()) - 1 - widthOf(which);
  const rest = textWidth(outcome.text) + textWidth(marks.text) + 1;
  const most = Math.max(Math.ceil(room * 0.65), room - rest);
  const subject = fit(row.subject + timesText(row.times, layout), layout, most);
  const told = outcome.text === '' ? [] : [space(1), outcome];
  return [
    ...(state.text === '' ? [] : [{ ...state, text: `${state.text.trimEnd()} ` }]),
    ...which,
    { text: subject, colour: row.tone === 'odd' ? 'yellow' : undefined },
    ...told,
    marks,
  ];
}

const space = (columns: number): Piece => ({ text: ' '.repeat(columns) });
const widthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + textWidth(text), 0);

function subjectPieces(row: Row, layout: Layout): Piece[] {
  const which = connection(row, layout);
  const subjectWidth = layout.subjectWidth - widthOf(which);
  const most = Math.max(subjectWidth, Math.min(Math.floor(layout.width / 2), roomBehind(layout) - leastId));
  const text = fit(row.subject + timesText(row.times, layout), layout, most);
  const subject: Piece = { text, colour: row.tone === 'odd' ? 'yellow' : undefined };
  const room = subjectWidth - textWidth(text) - 1;
  if (!row.detail || !row.outcome) return [...which, subject];
  if (layout.width < Infinity && room < leastDetail && textWidth(row.detail) > room) return [...which, subject];
  // A file that is to be cut nowhere has room for all of it.
  const detail = layout.width === Infinity ? safe(row.detail, layout) : fit(row.detail, layout, room);
  return [...which, subject, { text: ` ${detail}`, colour: 'dim' }];
}

function timesText(times: number | undefined, { showsUnicode }: Layout): string {
  return times === undefined ? '' : ` ${showsUnicode ? '×' : 'x'}${grouped(times)}`;
}

/** How many columns are left behind the direction when the mark of the outcome has its place. */
const roomBehind = ({ width, showsUnicode }: Layout): number =>
  width - numberWidth - timeWidth - 4 - (showsUnicode ? 2 : stateWidth);

/** @param used How many columns of the line are taken, behind its direction. */
const outcomePieces = (row: Row, layout: Layout, used: number): Piece[] =>
  outcomeParts(row, layout, layout.width - numberWidth - timeWidth - 4 - used);

/** State, outcome and marks. @param columns How many there are for all of it. */
function outcomeParts(row: Row, layout: Layout, columns: number): [Piece, Piece, Piece] {
  const { showsUnicode } = layout;
  const { state, marks = [], beside = [] } = row;
  const mark = showsUnicode ? ' · ' : ' - ';
  const colour = colourOf(row);
  const word = state === undefined ? '' : showsUnicode ? `${glyphs[state]} ` : `${state.padEnd(stateWidth)} `;
  const otherwise = state === 'asked' ? row.detail : showsUnicode && state === 'ok' ? 'ok' : undefined;
  const noted = safe(marks.map((text) => mark + text).join(''), layout);
  const said = [row.outcome || otherwise || '', ...beside].filter((text) => text !== '').join(mark);
  const room = Math.max(columns - word.length - textWidth(noted), leastOutcome);
  return [
    { text: word, colour },
    { text: fit(said, layout, room), colour: isLoud(row) ? colour : undefined },
    { text: noted, colour: 'yellow' },
  ];
}

const glyphs = {
  ok: '✓',
  error: '✗',
  pending: '…',
  cancelled: '⊘',
  late: '!',
  asked: '…',
  unasked: '?',
  moved: '↪',
} as const;

const isLoud = ({ state, tone }: Row): boolean => state === 'error' || tone === 'odd';

function colourOf({ state, tone }: Row): Colour | undefined {
  if (state === 'error') return 'red';
  if (state === 'ok') return 'green';
  if (state === 'asked') return 'dim';
  return state !== undefined || tone === 'odd' ? 'yellow' : undefined;
}

/** The text cut to so many columns. */
export function fit(text: string, layout: Layout, columns: number): string {
  return cutToWidth(safe(text, layout), Math.max(0, columns), layout.showsUnicode ? '…' : '...');
}

/** The text as this terminal can show it; control characters are none of its business, they are visible already. */
export function safe(text: string, { onlyAscii }: Pick<Layout, 'onlyAscii'>): string {
  if (!onlyAscii) return text;
  return text.replace(/[^\u0000-\u007f]/gu, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
}
