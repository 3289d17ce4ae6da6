import type { Effort, ValuePattern } from './compiled-rules.ts';
import { applyEdits, type Edit, oneEdit } from './edits.ts';
import { type StandIns, standInSpans } from './stand-in.ts';

/** An expression can match again with what was put in, but hardly more often than that. */
const mostRounds = 5;

interface Span {
  from: number;
  to: number;
}

export const effortFor = (length: number): Effort => ({ left: 4_000_000 + 40 * length });

/** Replaces what the user's expressions match in a text. */
export class ValueRedaction {
  private readonly patterns: readonly ValuePattern[];
  private readonly standIns: StandIns;

  constructor(patterns: readonly ValuePattern[], standIns: StandIns) {
    this.patterns = patterns;
    this.standIns = standIns;
  }

  isIn(text: string): boolean {
    return this.patterns.some((pattern) => pattern.isIn(text));
  }

  /** What is to be changed in the text, or nothing. Stand-ins in it are left alone. */
  edits(text: string, effort: Effort): Edit[] | undefined {
    const first = this.round(text, effort);
    if (!first) return undefined;
    const once = applyEdits(text, first);
    let now = once;
    for (let round = 1; round < mostRounds; round++) {
      const edits = this.round(now, effort);
      if (!edits) break;
      now = applyEdits(now, edits);
    }
    return now === once ? first : [oneEdit(text, now)];
  }

  private round(text: string, effort: Effort): Edit[] | undefined {
    const matching = this.patterns.filter((pattern) => pattern.isIn(text));
    if (matching.length === 0) return undefined;
    const present = standInSpans(text);
    const spans: Span[] = [];
    for (const span of matching.flatMap((pattern) => pattern.spans(text, effort))) {
      const over = overlapping(present, span);
      const isWithin = over.length === 1 && (over[0] as Span).from <= span.from && span.to <= (over[0] as Span).to;
      if (!isWithin) spans.push(span, ...over);
    }
    if (spans.length === 0) return undefined;
    return merge(spans).map(({ from, to }) => ({ from, to, text: this.standIns.text(text.slice(from, to), 'value') }));
  }
}

/** Those of the spans, which are in order, that have something in common with one. */
function overlapping(spans: readonly Span[], { from, to }: Span): readonly Span[] {
  let first = 0;
  for (let end = spans.length; first < end;) {
    const middle = (first + end) >> 1;
    if ((spans[middle] as Span).to <= from) first = middle + 1;
    else end = middle;
  }
  let last = first;
  while (last < spans.length && (spans[last] as Span).from < to) last++;
  return spans.slice(first, last);
}

/** Spans that overlap become one. */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged;
}
