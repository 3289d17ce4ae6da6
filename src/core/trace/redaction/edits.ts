/** A part of a text and what takes its place. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** @param edits In order, none over another. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const edit of edits) {
    parts.push(text.slice(done, edit.from), edit.text);
    done = edit.to;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/** The one edit that makes one text of the other, as short as can be. */
export function oneEdit(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  while (same < shorter - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  return { from, to: before.length - same, text: after.slice(from, after.length - same) };
}
