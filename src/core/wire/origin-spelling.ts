import type { Span } from './json-member.ts';

/** How a text writes down a value: what counts as one unit there, what a unit stands for, how plain text is written. */
interface Spelling {
  units: RegExp;
  read(unit: string): string;
  write(text: string): string;
}

/** A stretch of a text that is a value, and how it is spelled. */
export interface Spelled extends Span {
  spelling: Spelling;
}

const same = (text: string): string => text;

export const bare: Spelling = { units: /^[^]+$/g, read: same, write: same };

/** The inside of a JSON string that is known to be valid (RFC 8259, section 7). */
export const jsonString: Spelling = {
  units: /\\u[\da-f]{4}|\\[^]|[^\\]+/gi,
  read: (unit) => (unit.startsWith('\\') ? (JSON.parse(`"${unit}"`) as string) : unit),
  write: (text) => JSON.stringify(text).slice(1, -1),
};

/** The inside of a quoted-string of a header (RFC 9110, section 5.6.4). */
export const quotedString: Spelling = {
  units: /\\[^]|[^\\]+/g,
  read: (unit) => (unit.startsWith('\\') ? unit.slice(1) : unit),
  write: (text) => text.replaceAll(/["\\]/g, '\\$&'),
};

/** A name or a value of `application/x-www-form-urlencoded`: of queries and of form bodies. */
export const formText: Spelling = {
  // The bytes of a character beyond ASCII stand for something only together; no origin ends among them.
  units: /%[0-7][\da-f]|(?:%[89a-f][\da-f])+|\+|[^%+]+|%/gi,
  read: readFormUnit,
  write: encodeURIComponent,
};

function readFormUnit(unit: string): string {
  if (unit === '+') return ' ';
  if (unit === '%' || !unit.startsWith('%')) return unit;
  try {
    return decodeURIComponent(unit);
  } catch {
    return '\ufffd';
  }
}

export const readSpelled = (raw: string, spelling: Spelling): string =>
  (raw.match(spelling.units) ?? []).map((unit) => spelling.read(unit)).join('');

/**
 * The text with another origin in those of its values that are absolute URLs of one origin, or nothing where no
 * value is. All else, what follows the origin in such a value included, stays exactly as it is spelled.
 */
export function replaceOrigins(text: string, values: Iterable<Spelled>, from: string, to: string): string | undefined {
  let replaced = '';
  let done = 0;
  for (const value of values) {
    const length = spelledOriginLength(text.slice(value.from, value.to), value.spelling, from);
    if (length === 0) continue;
    replaced += text.slice(done, value.from) + value.spelling.write(to);
    done = value.from + length;
  }
  return done === 0 ? undefined : replaced + text.slice(done);
}

function spelledOriginLength(raw: string, spelling: Spelling, origin: string): number {
  let left = originLength(readSpelled(raw, spelling), origin);
  let length = 0;
  for (const unit of left === 0 ? [] : (raw.match(spelling.units) ?? [])) {
    if (left <= 0) break;
    const value = spelling.read(unit);
    length += value === unit ? Math.min(left, unit.length) : unit.length;
    left -= value.length;
  }
  return length;
}

// Neither user information, nor anything that one reader of URLs skips or takes for "/" and another does not.
const schemeAndAuthority = /^https?:\/\/[^/?#@\\\s\u0000-\u001f\u007f]+(?=[/?#]|$)/i;

/** How far the scheme and the authority of an absolute URL reach, if they are that origin in any spelling; else 0. */
export function originLength(url: string, origin: string): number {
  const start = schemeAndAuthority.exec(url)?.[0];
  return start !== undefined && originOf(start) === origin ? start.length : 0;
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}
