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

/** The lines that a proxy passes on: none that are for it alone, nor those that `Connection` names. */
export function endToEnd(lines: readonly Line[]): Line[] {
  const named = new Set(
    lines
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase())),
  );
  // What frames the message, and whom it is for, is no affair of the sender's to take away.
  for (const name of ['host', 'content-length', 'close']) named.delete(name);
  return lines.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

/** Node's way of giving headers, name after value, as lines. */
export function linesOf(raw: readonly string[]): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push([raw[at] as string, raw[at + 1] as string]);
  return lines;
}

/** The lines with one value changed; where there is no such line, with it at the end. */
export function withHeader(lines: readonly Line[], name: string, value: string): Line[] {
  const isIt = ([spelled]: Line): boolean => spelled.toLowerCase() === name.toLowerCase();
  const first = lines.findIndex(isIt);
  if (first < 0) return [...lines, [name, value]];
  return lines.flatMap((line, at) => (at === first ? [[line[0], value] as const] : isIt(line) ? [] : [line]));
}
