import { RE2JS } from 're2js';
import { WireproofError } from '../../wireproof-error.ts';
import type { Effort, ValuePattern } from './compiled-rules.ts';

/** Expressions that compile to more steps are refused: each letter of a text can cost as many. */
const largestProgram = 500;
/** A match is looked for within so many letters first, then within twice as many, and so on. */
const firstReach = 1024;
const cheap = 1 / 8;

/** @throws WireproofError `bad-usage` */
export function compileValue(expression: string): ValuePattern {
  const pattern = compile(expression);
  if (pattern.testExact('')) {
    throw new WireproofError(
      'bad-usage',
      `The regular expression ${expression === '' ? '""' : expression} matches where nothing is. Use + instead of *.`,
    );
  }
  return new LinearPattern(pattern);
}

function compile(expression: string): RE2JS {
  let compiled;
  try {
    compiled = RE2JS.compile(expression);
  } catch (cause) {
    const reason = (cause as Error).message.replace(/^error parsing regexp: /, '');
    throw new WireproofError(
      'bad-usage',
      `The regular expression ${expression} cannot be used: ${reason}. ` +
        'The syntax is that of RE2, which has no look-around and no back-references.',
      { cause },
    );
  }
  if (compiled.programSize() > largestProgram) {
    throw new WireproofError(
      'bad-usage',
      `The regular expression ${expression} is too large. Lower the counts in it, such as {1,1000}.`,
    );
  }
  return compiled;
}

class LinearPattern implements ValuePattern {
  private readonly pattern: RE2JS;
  private readonly cost: number;

  constructor(pattern: RE2JS) {
    this.pattern = pattern;
    this.cost = Math.max(1, pattern.programSize() / 32);
  }

  isIn(text: string): boolean {
    return this.pattern.test(text);
  }

  /**
   * One match is found in linear time, but all of them are not: `a.*b|a` looks through the whole rest for each `a`.
   * So each is looked for in a part of the text that is not much longer than what it gets ahead by; what a match
   * might go on with beyond that part is not seen.
   */
  spans(text: string, effort: Effort): { from: number; to: number }[] {
    const spans: { from: number; to: number }[] = [];
    let at = 0;
    while (at < text.length) {
      const found = this.find(text, at, effort);
      if (!found) break;
      if (found.to > found.from) spans.push(found);
      at = Math.max(found.to, at + 1, found.from + 1);
    }
    return spans;
  }

  private find(text: string, at: number, effort: Effort): { from: number; to: number } | undefined {
    for (let reach = firstReach; ; reach *= 2) {
      const end = Math.min(text.length, at + reach);
      if (effort.left < 0) return { from: at, to: text.length };
      // The letter before decides on what is asked of a word's beginning. Whether there is a match at all is cheap to say.
      const isThere = this.pattern.test(text.slice(Math.max(0, at - 1), end));
      effort.left -= (end - at) * (isThere ? this.cost : cheap);
      if (isThere) {
        const matcher = this.pattern.matcher(end === text.length ? text : text.slice(0, end));
        const isFound = matcher.find(at);
        if (isFound && (matcher.end() < end || end === text.length))
          return { from: matcher.start(), to: matcher.end() };
      }
      if (end === text.length) return undefined;
    }
  }
}

/**
 * The functions `match` and `search` of JSONPath, whose expressions may come from the document itself.
 * A dot matches neither of the two line ends (RFC 9485).
 */
export function matchesExpression(text: unknown, expression: unknown, isWhole: boolean): boolean {
  if (typeof text !== 'string' || typeof expression !== 'string' || expression.length > 1000) return false;
  const dots = expression.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|\./g, (part) => (part === '.' ? '[^\\n\\r]' : part));
  try {
    const pattern = compile(dots);
    return isWhole ? pattern.testExact(text) : pattern.test(text);
  } catch {
    return false;
  }
}
