/** One header line, its name as spelled. */
type Line = readonly [name: string, value: string];

/** Header lines that are for the next hop only (RFC 9110, section 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** What frames a message, and whom it is for, is no affair of its sender's to take away. */
const neverNamed: ReadonlySet<string> = new Set(['host', 'content-length', 'close', 'keep-alive']);

/** The names of headers in small letters. They come again and again. */
const lowerNames = new Map<string, string>();
const mostNames = 1000;

/** The name of a header in small letters, as names are compared (RFC 9110, section 5.1). */
export function lowerName(name: string): string {
  let lower = lowerNames.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    if (lowerNames.size < mostNames && name.length < 64) lowerNames.set(name, lower);
  }
  return lower;
}

/** Whether a line has this name, which is given in small letters. */
export const isNamed = (line: Line, name: string): boolean =>
  line[0].length === name.length && lowerName(line[0]) === name;

/** The value of a header that stands once, or the first of several; `name` is in small letters. */
export function headerValue(lines: readonly Line[], name: string): string | undefined {
  for (const line of lines) if (isNamed(line, name)) return line[1];
  return undefined;
}

/** The lines that a proxy passes on: none that are for it alone, nor those that `Connection` names. */
export function endToEnd(lines: readonly Line[]): Line[] {
  const named = namedByConnection(lines);
  return lines.filter(([spelled]) => {
    const name = lowerName(spelled);
    return !hopByHop.has(name) && !named?.has(name);
  });
}

function namedByConnection(lines: readonly Line[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (const line of lines) {
    if (!isNamed(line, 'connection')) continue;
    for (const option of line[1].toLowerCase().split(',')) {
      const trimmed = option.trim();
      if (!neverNamed.has(trimmed)) (named ??= new Set()).add(trimmed);
    }
  }
  return named;
}

/** Node's way of giving headers, name after value, as lines. */
export function linesOf(raw: readonly string[]): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push([raw[at] as string, raw[at + 1] as string]);
  return lines;
}

/** Lines in Node's way. */
export function rawOf(lines: readonly Line[]): string[] {
  const raw: string[] = [];
  for (const [name, value] of lines) raw.push(name, value);
  return raw;
}

/** The lines with one value changed; where there is no such line, with it at the end. */
export function withHeader(lines: readonly Line[], name: string, value: string): Line[] {
  const lower = lowerName(name);
  const changed: Line[] = [];
  let isThere = false;
  for (const line of lines) {
    if (!isNamed(line, lower)) changed.push(line);
    else if (!isThere) {
      isThere = true;
      changed.push([line[0], value]);
    }
  }
  if (!isThere) changed.push([name, value]);
  return changed;
}
