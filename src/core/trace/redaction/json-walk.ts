/** A member's name, or the place in an array. */
export type Name = string | number;

/**
 * Goes through the values of JSON text, the outer ones before the inner ones, where they stand. It builds nothing
 * and takes any text: of what is cut off or is no JSON it finds what is there.
 */
export class JsonWalk {
  /** What the value begins with: `"`, `{`, `[`, or `0` for numbers and words. */
  kind: '"' | '{' | '[' | '0' = '0';
  /** Where it stands; of an object or array only where it begins. */
  from = 0;
  to = 0;
  /** How many objects and arrays it is in. */
  depth = 0;
  /** The way to it, `depth` names long. */
  readonly names: Name[] = [];
  /** The deepest nesting so far, and the number of values. */
  deepest = 0;
  count = 0;

  private readonly text: string;
  private at = 0;
  private readonly isObject: boolean[] = [];
  private opens: '{' | '[' | undefined;
  private wantsValue = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes on to the next value; false at the end. */
  next(): boolean {
    if (this.opens) this.open(this.opens);
    while (this.at < this.text.length) {
      const letter = this.text[this.at] as string;
      if (letter === '{' || letter === '[') {
        this.opens = letter;
        return this.found(letter, this.at + 1);
      }
      if (letter === '"') {
        const end = endOfString(this.text, this.at);
        if (this.readName(end)) continue;
        return this.found('"', end);
      }
      if (isSpace(letter) || letter === ':') this.at++;
      else if (letter === ',') this.separate();
      else if (letter === '}' || letter === ']') this.close();
      else return this.found('0', endOfScalar(this.text, this.at));
    }
    return false;
  }

  private found(kind: '"' | '{' | '[' | '0', to: number): true {
    this.kind = kind;
    this.from = this.at;
    this.to = this.at = to;
    this.depth = this.isObject.length;
    this.deepest = Math.max(this.deepest, this.depth);
    this.count++;
    this.wantsValue = false;
    return true;
  }

  private open(letter: '{' | '['): void {
    this.opens = undefined;
    this.isObject.push(letter === '{');
    this.names.push(letter === '{' ? '' : 0);
  }

  private close(): void {
    this.at++;
    this.isObject.pop();
    this.names.length = this.isObject.length;
    this.wantsValue = false;
  }

  private separate(): void {
    this.at++;
    this.wantsValue = false;
    const name = this.names.at(-1);
    if (typeof name === 'number') this.names[this.names.length - 1] = name + 1;
  }

  /** In an object, a string before a colon is a name. */
  private readName(end: number): boolean {
    if (this.wantsValue || this.isObject.at(-1) !== true) return false;
    let colon = end;
    while (colon < this.text.length && isSpace(this.text[colon] as string)) colon++;
    if (this.text[colon] !== ':') return false;
    this.names[this.names.length - 1] = new JsonString(this.text.slice(this.at, end)).text;
    this.at = colon + 1;
    this.wantsValue = true;
    return true;
  }
}

// A byte-order mark is no part of what it stands before.
const isSpace = (letter: string): boolean =>
  letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r' || letter === '\ufeff';

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function endOfScalar(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !isSpace(text[at] as string) && !'{}[],:"'.includes(text[at] as string)) at++;
  return at;
}

/** A JSON string as it stands in a text, its quotes included; the last one may be missing. */
export class JsonString {
  readonly isClosed: boolean;
  /** What it says. */
  readonly text: string;
  /** Where each unit of it begins in what stands there, if that is not where it would be without escapes. */
  private readonly starts: number[] | undefined;

  constructor(spelled: string) {
    this.isClosed = spelled.length > 1 && spelled.endsWith('"') && !endsInEscape(spelled);
    const inside = spelled.slice(1, this.isClosed ? -1 : undefined);
    if (!inside.includes('\\')) {
      this.text = inside;
      return;
    }
    const parts: string[] = [];
    this.starts = [];
    for (let at = 0; at < inside.length;) {
      const length = inside[at] === '\\' ? escapeLength(inside, at) : 1;
      this.starts.push(at + 1);
      parts.push(length === 1 ? (inside[at] as string) : unescape(inside.slice(at, at + length)));
      at += length;
    }
    this.starts.push(inside.length + 1);
    this.text = parts.join('');
  }

  /** Where a unit of the text begins in what stands there. */
  start(unit: number): number {
    return this.starts ? (this.starts[unit] as number) : unit + 1;
  }
}

/** The quote at the end is escaped: it is none. */
function endsInEscape(spelled: string): boolean {
  let backslashes = 0;
  while (spelled[spelled.length - 2 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Of an escape that is none only the backslash counts. */
function escapeLength(text: string, at: number): number {
  const letter = text[at + 1];
  if (letter === 'u') return /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6)) ? 6 : 1;
  return letter === undefined ? 1 : 2;
}

function unescape(escape: string): string {
  const letter = escape[1] as string;
  if (letter === 'u') return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return escapes[letter] ?? letter;
}
