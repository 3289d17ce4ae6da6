import { readWhole, setMember, type TextFault, Unreadable } from './text-fault.ts';

/** Deeper nesting is no configuration. */
const deepest = 200;

/**
 * Reads JSON as hosts write their settings: with a byte-order mark, comments and trailing commas, or without.
 * A member that stands twice has its last value, as with `JSON.parse`.
 */
export function readJsonc(text: string): { value: unknown } | { fault: TextFault } {
  try {
    // Most files are plain JSON, and some hosts keep megabytes in theirs.
    return { value: JSON.parse(text) as unknown };
  } catch {
    return readWhole(text, () => new JsoncReader(text).document());
  }
}

class JsoncReader {
  private readonly text: string;
  private at: number;

  constructor(text: string) {
    this.text = text;
    this.at = text.startsWith('\ufeff') ? 1 : 0;
  }

  document(): unknown {
    this.skip();
    if (this.at >= this.text.length) throw new Unreadable('the file is empty', 0);
    const value = this.value(0);
    this.skip();
    if (this.at < this.text.length) this.expected('the end of the file');
    return value;
  }

  private value(depth: number): unknown {
    if (depth > deepest) throw new Unreadable(`nested deeper than ${deepest}`, this.at);
    const first = this.text[this.at];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    return first === '"' ? this.string() : this.scalar();
  }

  private object(depth: number): unknown {
    const members = {};
    this.items('}', () => {
      if (this.text[this.at] !== '"') this.expected('a name in double quotes');
      const name = this.string();
      this.skip();
      if (this.text[this.at] !== ':') this.expected('":"');
      this.at++;
      this.skip();
      setMember(members, name, this.value(depth + 1));
    });
    return members;
  }

  private array(depth: number): unknown {
    const elements: unknown[] = [];
    this.items(']', () => elements.push(this.value(depth + 1)));
    return elements;
  }

  /** From the opening bracket to behind the closing one; a comma may stand before that. */
  private items(close: string, item: () => void): void {
    this.at++;
    this.skip();
    while (this.text[this.at] !== close) {
      item();
      this.skip();
      if (this.text[this.at] === ',') this.at++;
      else if (this.text[this.at] !== close) this.expected(`"," or "${close}"`);
      this.skip();
    }
    this.at++;
  }

  private string(): string {
    const from = this.at++;
    while (this.text[this.at] !== '"') {
      const character = this.text[this.at];
      if (character === undefined || character === '\n' || character === '\r') {
        throw new Unreadable('this text in quotes has no end', from);
      }
      this.at += character === '\\' ? 2 : 1;
    }
    this.at++;
    return this.parsed(from, 'this text in quotes is no JSON: a character or an escape in it is wrong') as string;
  }

  private scalar(): unknown {
    const from = this.at;
    while (/[\w.+-]/.test(this.text[this.at] ?? '')) this.at++;
    if (this.at === from) this.expected('a value');
    return this.parsed(from, 'expected a value: text stands in double quotes');
  }

  private parsed(from: number, otherwise: string): unknown {
    try {
      return JSON.parse(this.text.slice(from, this.at));
    } catch {
      throw new Unreadable(otherwise, from);
    }
  }

  /** White space and comments. */
  private skip(): void {
    for (;;) {
      while (/\s/.test(this.text[this.at] ?? '')) this.at++;
      if (this.text.startsWith('//', this.at)) this.skipTo('\n');
      else if (this.text.startsWith('/*', this.at)) this.skipTo('*/');
      else return;
    }
  }

  private skipTo(mark: string): void {
    const end = this.text.indexOf(mark, this.at + 2);
    if (end < 0 && mark === '*/') throw new Unreadable('this comment has no end', this.at);
    this.at = end < 0 ? this.text.length : end + mark.length;
  }

  private expected(what: string): never {
    const isEnd = this.at >= this.text.length;
    throw new Unreadable(isEnd ? `the file ends where ${what} is expected` : `expected ${what}`, this.at);
  }
}
