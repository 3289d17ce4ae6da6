/** A value of somebody else's in a sentence: as JSON, cut where it is long. */
export function shownJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
