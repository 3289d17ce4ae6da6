import type { Effort, ValuePattern } from './compiled-rules.ts';
import { applyEdits, type Edit, oneEdit } from './edits.ts';
import { type StandIns, standInSpans } from './stand-in.ts';

/** An expression can match again with what was put in. Where that goes on and on the whole is replaced. */
const mostRounds = 5;

export interface Span {
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

  /**
   * What is to be changed in the text, or nothing. Stand-ins in it are left alone.
   *
   * @param fit What is replaced for a match, if anything is.
   */
  edits(
    text: string,
    effort: Effort,
    fit: (text: string, match: Span) => Span | undefined = asItIs,
  ): Edit[] | undefined {
    const first = this.round(text, effort, fit);
    if (!first) return undefined;
    const once = applyEdits(text, first);
    let now = once;
    for (let round = 1; round < mostRounds; round++) {
      const edits = this.round(now, effortFor(now.length), fit);
      if (!edits) return now === once ? first : [oneEdit(text, now)];
      now = applyEdits(now, edits);
    }
    return [{ from: 0, to: text.length, text: this.standIns.text(text, 'value') }];
  }

  private round(
    text: string,
    effort: Effort,
    fit: (text: string, match: Span) => Span | undefined,
  ): Edit[] | undefined {
    const matching = this.patterns.filter((pattern) => pattern.isIn(text));
    if (matching.length === 0) return undefined;
    const present = standInSpans(text);
    const spans: Span[] = [];
    for (const match of matching.flatMap((pattern) => pattern.spans(text, effort))) {
      const fitted = fit(text, match);
      const span = fitted && whole(fitted, present);
      if (span) spans.push(span);
    }
    if (spans.length === 0) return undefined;
    return merge(spans).map(({ from, to }) => ({ from, to, text: this.standIns.text(text.slice(from, to), 'value') }));
  }
}

const asItIs = (_: string, match: Span): Span => match;

/** A span with the stand-ins, which are in order, that it has a part of; nothing where it lies within one. */
function whole(span: Span, standIns: readonly Span[]): Span | undefined {
  const first = standIns[firstBehind(standIns, span.from)];
  if (!first || first.from >= span.to) return span;
  if (first.from <= span.from && span.to <= first.to) return undefined;
  const last = standIns[firstBehind(standIns, span.to - 1)];
  const end = last && last.from < span.to ? last.to : 0;
  return { from: Math.min(span.from, first.from), to: Math.max(span.to, end) };
}

/** The first of the spans that ends behind a place. */
function firstBehind(spans: readonly Span[], place: number): number {
  let first = 0;
  for (let end = spans.length; first < end;) {
    const middle = (first + end) >> 1;
    if ((spans[middle] as Span).to <= place) first = middle + 1;
    else end = middle;
  }
  return first;
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
