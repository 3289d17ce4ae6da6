import { counted, grouped } from '../../core/trace/amounts.ts';
import { prettyLines } from '../../core/wire/json-text.ts';
import { lastWholeCharacter, showUtf8 } from '../../core/wire/utf8.ts';
import { firstInvalidByte } from '../../core/wire/utf8-fault.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { hexDump } from './hex-dump.ts';
import type { Ink } from './ink.ts';

/** How much of something long is shown, where not all of it is asked for. */
const most = { bytes: 4000, lines: 200, lineLength: 1000, hexBytes: 512 } as const;

/** JSON laid out. */
export function* prettyText(json: string, ink: Ink, isFull: boolean): Generator<string> {
  let count = 0;
  for (const line of prettyLines(json)) {
    count++;
    if (isFull || count <= most.lines) yield painted(shorten(line, isFull), ink);
  }
  if (!isFull && count > most.lines) yield ink.dim(`(${counted(count - most.lines, 'more line')}; --full shows all)`);
}

/** A line as long as is shown of one. */
export function shorten(line: string, isFull: boolean): string {
  if (isFull || line.length <= most.lineLength) return line;
  return `${line.slice(0, most.lineLength)} (${grouped(line.length - most.lineLength)} more characters; --full shows all)`;
}

/** Member names stand out; what had to be made visible stands out too. */
function painted(line: string, ink: Ink): string {
  const name = /^( *)("(?:[^"\\]|\\.)*")(: ?)/.exec(line);
  if (!name) return revealed(line, ink);
  const [all, indent = '', key = '', colon = ''] = name;
  return indent + ink.cyan(revealed(key, ink)) + colon + revealed(line.slice(all.length), ink);
}

/** Text from the wire with what cannot be seen as escapes that stand out. */
export function revealed(text: string, ink: Ink): string {
  if (visibleText(text) === text) return text;
  let shown = '';
  for (const character of text) {
    const visible = visibleText(character);
    shown += visible === character ? character : ink.yellow(visible);
  }
  return shown;
}

/**
 * Text as it is on the wire, its line ends made visible.
 *
 * @param about `eol` is what stands behind it; `isCut` says that there is more of it than this
 */
export function* rawText(
  body: Uint8Array,
  { eol, isCut }: { eol: string; isCut: boolean },
  ink: Ink,
  isFull: boolean,
): Generator<string> {
  const to = isFull || body.length <= most.bytes ? body.length : lastWholeCharacter(body, 0, most.bytes);
  const rest = body.length - to;
  const lines = showUtf8(body.subarray(0, to)).split('\n');
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    // Behind the last newline there is nothing.
    if (isLast && line === '' && eol === '' && index > 0 && rest === 0) return;
    const end = !isLast ? ink.yellow('\\n') : rest > 0 || isCut ? '' : ink.yellow(visibleText(eol));
    yield revealed(line, ink) + end;
  }
  if (rest > 0) {
    const all = isCut ? `the first ${grouped(body.length)}` : 'all';
    yield ink.dim(`(${counted(rest, 'more byte')}; --full shows ${all})`);
  }
}

/** Bytes that are no text. */
export function* hexText(bytes: Uint8Array, ink: Ink, isFull: boolean): Generator<string> {
  const shown = isFull ? bytes : bytes.subarray(0, most.hexBytes);
  const invalid = invalidPlaces(shown);
  yield* hexDump(
    shown,
    (at) => invalid.has(at),
    (text) => ink.red(text),
  );
  const rest = bytes.length - shown.length;
  if (rest > 0) yield ink.dim(`(${counted(rest, 'more byte')}; --full shows all)`);
}

/** Where bytes stand that are no part of a character. */
function invalidPlaces(bytes: Uint8Array): Set<number> {
  const places = new Set<number>();
  for (let from = 0; from < bytes.length;) {
    const at = firstInvalidByte(bytes.subarray(from));
    if (at === undefined) break;
    places.add(from + at);
    from += at + 1;
  }
  return places;
}
