import { lastWholeCharacter } from '../../wire/utf8.ts';

/** About how long the parts are that a long item is written in, and how short they may become. Bytes. */
const partLength = 60 * 1024;
const shortestPart = 1024;

/**
 * Cuts an item into parts: as many as there were, so that each can keep its time, or as many as are needed.
 *
 * @param keepsAll None of those that there were may be missing, even where nothing is left for it.
 */
export function cutIntoParts(body: Uint8Array, before: number, keepsAll: boolean): Uint8Array[] {
  const needed = Math.max(1, Math.ceil(body.length / partLength));
  if (keepsAll) return cut(body, Math.max(before, needed));
  return cut(body, before > 1 && body.length >= before * shortestPart ? before : needed);
}

function cut(body: Uint8Array, count: number): Uint8Array[] {
  const { length } = body;
  let from = 0;
  return Array.from({ length: count }, (_, index) => {
    const most = Math.round((length * (index + 1)) / count);
    const to = index === count - 1 ? length : lastWholeCharacter(body, from, most);
    const piece = body.subarray(from, to);
    from = to;
    return piece;
  });
}
