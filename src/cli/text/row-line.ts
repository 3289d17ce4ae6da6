import { grouped } from '../../core/trace/conversation/excerpt.ts';
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
}

const numberWidth = 5;
const timeWidth = 9;
const idWidth = 4;
const durationWidth = 9;
const stateWidth = 9;
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
  };
}

/** The names of the columns. */
export function columnLine({ ink, subjectWidth }: Layout): string {
  const names = ['n'.padStart(numberWidth), 'ms'.padStart(timeWidth), ' ', padToWidth('what', subjectWidth)];
  return ink.dim([...names, 'id'.padEnd(idWidth), 'took'.padStart(durationWidth), 'outcome'].join(' '));
}

/** One line of a conversation. */
export function rowLine(row: Row, layout: Layout): string {
  const { ink } = layout;
  const number = row.n === undefined ? ' '.repeat(numberWidth) : String(row.n).padStart(numberWidth);
  const start = `${ink.dim(`${number} ${row.at.toFixed(1).padStart(timeWidth)}`)} ${sign(row, layout)} `;
  const room = layout.width - numberWidth - timeWidth - 4;
  return start + (isPlain(row) ? plainRest(row, layout, room) : columns(row, layout, room));
}

const isPlain = ({ id, state, outcome, marks }: Row): boolean =>
  id === undefined && state === undefined && !outcome && marks === undefined;

function sign({ by, tone }: Row, { ink, showsUnicode }: Layout): string {
  const glyph = (unicode: string, ascii: string): string => (showsUnicode ? unicode : ascii);
  if (by === 'client') return ink.cyan(glyph('→', '>'));
  if (by === 'server') return ink.green(glyph('←', '<'));
  if (by === 'stderr') return ink.dim(glyph('┊', '|'));
  return tone === 'odd' ? ink.yellow('!') : ink.dim(glyph('·', '-'));
}

function plainRest({ subject, tone, times }: Row, layout: Layout, room: number): string {
  const text = fit(subject + timesText(times, layout), layout, room);
  if (tone === 'odd') return layout.ink.yellow(text);
  return tone === 'quiet' ? layout.ink.dim(text) : text;
}

/**
 * Subject, id and time, each in its column as long as the ones before leave it room, then the outcome. What is no
 * exchange has neither id nor time, and says more.
 */
function columns(row: Row, layout: Layout, room: number): string {
  const { ink, subjectWidth } = layout;
  const subject = subjectText(row, layout);
  const id = safe(row.id ?? '', layout);
  const took = row.duration === undefined ? '' : milliseconds(row.duration);
  const isTimed = id !== '' || took !== '';
  const idAt = Math.max(subjectWidth, subject.width) + 1;
  const end = isTimed ? subjectWidth + idWidth + durationWidth + 2 : idAt - 1;
  const used = isTimed ? idAt + textWidth(id) : subject.width;
  const gap = ' '.repeat(Math.max(took === '' ? 0 : 1, end - used - took.length));
  const beforeId = ' '.repeat(isTimed ? idAt - subject.width : 0);
  const left = room - used - gap.length - took.length - 1;
  return `${subject.text}${beforeId}${ink.dim(id + gap + took)} ${outcomeText(row, layout, left)}`.trimEnd();
}

function subjectText(row: Row, layout: Layout): { text: string; width: number } {
  const { ink, subjectWidth } = layout;
  const subject = fit(row.subject + timesText(row.times, layout), layout, Math.max(subjectWidth, layout.width / 2));
  const text = row.tone === 'odd' ? ink.yellow(subject) : subject;
  const width = textWidth(subject);
  const room = subjectWidth - width - 1;
  if (!row.detail || !row.outcome || (room < leastDetail && textWidth(row.detail) > room)) return { text, width };
  const detail = fit(row.detail, layout, room);
  return { text: `${text} ${ink.dim(detail)}`, width: width + 1 + textWidth(detail) };
}

function timesText(times: number | undefined, { showsUnicode }: Layout): string {
  return times === undefined ? '' : ` ${showsUnicode ? '×' : 'x'}${grouped(times)}`;
}

function outcomeText(row: Row, layout: Layout, room: number): string {
  const { ink, showsUnicode } = layout;
  const { state, marks = [] } = row;
  const paint = painter(row, ink);
  const word = state === undefined ? '' : showsUnicode ? `${glyphs[state]} ` : `${state.padEnd(stateWidth)} `;
  const said =
    row.outcome || (state === 'asked' ? row.detail : undefined) || (showsUnicode && state === 'ok' ? 'ok' : '');
  const between = showsUnicode ? ' · ' : ' - ';
  const noted = marks.map((mark) => between + mark).join('');
  const text = fit(said, layout, room - word.length - textWidth(noted));
  return (
    paint(word) + (state === 'error' || row.tone === 'odd' ? paint(text) : text) + ink.yellow(fit(noted, layout, room))
  );
}

const glyphs = { ok: '✓', error: '✗', pending: '…', cancelled: '⊘', late: '!', asked: '…', unasked: '?' } as const;

function painter({ state, tone }: Row, ink: Ink): (text: string) => string {
  if (state === 'error') return ink.red;
  if (state === 'ok') return ink.green;
  if (state === 'asked') return ink.dim;
  return state !== undefined || tone === 'odd' ? ink.yellow : (text) => text;
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
