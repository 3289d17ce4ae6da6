import { readWhole, setMember, type TextFault, Unreadable } from './text-fault.ts';

type Table = Record<string, unknown>;

/** Deeper nesting is no configuration. */
const deepest = 200;

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
};

/** A code of two, four or eight digits, a letter, or the end of a line, which is left out with what follows it. */
const escape =
  /^(?<whole>\\(?:[xuU](?<code>(?<=x)[0-9a-fA-F]{2}|(?<=u)[0-9a-fA-F]{4}|(?<=U)[0-9a-fA-F]{8})|(?<letter>["\\btnfre])|[ \t]*\r?\n\s*))/;

/**
 * Reads TOML 1.0 as settings are written in it: tables, arrays of tables, inline tables, dotted names, and every
 * form of text. Numbers in decimal are numbers; other numbers, dates and times stay as they are spelled.
 * Not everything that TOML forbids is found: only a name that stands twice.
 */
export function readToml(text: string): { value: unknown } | { fault: TextFault } {
  return readWhole(text, () => new TomlReader(text).document());
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

class TomlReader {
  private readonly text: string;
  private at: number;

  constructor(text: string) {
    this.text = text;
    this.at = text.startsWith('\ufeff') ? 1 : 0;
  }

  document(): Table {
    const root: Table = {};
    let table = root;
    for (this.skip(true); this.at < this.text.length; this.skip(true)) {
      if (this.text[this.at] === '[') table = this.header(root);
      else this.pair(table, 0);
      this.skip(false);
      if (this.at < this.text.length && !/[\r\n]/.test(this.text[this.at] as string)) this.expected('a new line');
    }
    return root;
  }

  /** `[a.b]` or `[[a.b]]`. */
  private header(root: Table): Table {
    const from = this.at;
    const isElement = this.take('[[');
    if (!isElement) this.at++;
    const names = this.names();
    if (!this.take(isElement ? ']]' : ']')) this.expected(isElement ? '"]]"' : '"]"');
    const last = names.pop() as string;
    const parent = this.inside(root, names, from);
    if (!isElement) return this.inside(parent, [last], from);
    const elements = this.own(parent, last) ?? [];
    if (!Array.isArray(elements)) throw new Unreadable('this name stands for something else already', from);
    const element: Table = {};
    elements.push(element);
    setMember(parent, last, elements);
    return element;
  }

  private pair(table: Table, depth: number): void {
    const from = this.at;
    const names = this.names();
    if (!this.take('=')) this.expected('"="');
    const last = names.pop() as string;
    const target = this.inside(table, names, from);
    this.skip(false);
    const value = this.value(depth);
    if (this.own(target, last) !== undefined) throw new Unreadable('this name stands twice', from);
    setMember(target, last, value);
  }

  private own(table: Table, name: string): unknown {
    return Object.hasOwn(table, name) ? table[name] : undefined;
  }

  /** The table of this name, made where there is none; of an array of tables it is the last. */
  private inside(table: Table, names: readonly string[], from: number): Table {
    return names.reduce((outer, name) => {
      const found = this.own(outer, name);
      const inner = Array.isArray(found) ? found.at(-1) : (found ?? {});
      if (!isTable(inner)) throw new Unreadable('this name stands for something else already', from);
      if (found === undefined) setMember(outer, name, inner);
      return inner;
    }, table);
  }

  private names(): string[] {
    const names: string[] = [];
    do {
      this.skip(false);
      const quote = this.text[this.at];
      const bare = /^[\w-]+/.exec(this.text.slice(this.at, this.at + 1000))?.[0];
      if (quote === '"' || quote === "'") names.push(this.string(quote));
      else if (bare === undefined) this.expected('a name');
      else {
        names.push(bare);
        this.at += bare.length;
      }
      this.skip(false);
    } while (this.take('.'));
    return names;
  }

  private value(depth: number): unknown {
    if (depth > deepest) throw new Unreadable(`nested deeper than ${deepest}`, this.at);
    const first = this.text[this.at];
    if (first === '"' || first === "'") return this.string(first);
    if (first === '[') return this.array(depth + 1);
    if (first === '{') return this.inlineTable(depth + 1);
    const word = /^[\w.+:-]+(?: \d\d:[\d:.+Z-]+)?/.exec(this.text.slice(this.at, this.at + 1000))?.[0];
    if (word === undefined) this.expected('a value');
    if (word === 'true' || word === 'false') return this.passing(word, word === 'true');
    if (/^[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?$/.test(word)) {
      return this.passing(word, Number(word.replaceAll('_', '')));
    }
    if (/^[+-]?(?:\d|inf$|nan$)/.test(word)) return this.passing(word, word);
    return this.expected('a value: text stands in quotes');
  }

  private passing(word: string, value: unknown): unknown {
    this.at += word.length;
    return value;
  }

  private array(depth: number): unknown[] {
    const elements: unknown[] = [];
    this.at++;
    for (this.skip(true); !this.take(']'); this.skip(true)) {
      elements.push(this.value(depth));
      this.skip(true);
      if (!this.take(',') && this.text[this.at] !== ']') this.expected('"," or "]"');
    }
    return elements;
  }

  private inlineTable(depth: number): Table {
    const table: Table = {};
    this.at++;
    for (this.skip(true); !this.take('}'); this.skip(true)) {
      this.pair(table, depth);
      this.skip(true);
      if (!this.take(',') && this.text[this.at] !== '}') this.expected('"," or "}"');
    }
    return table;
  }

  private string(quote: '"' | "'"): string {
    const from = this.at;
    const isLong = this.take(quote.repeat(3));
    if (!isLong) this.at++;
    else if (!this.take('\r\n')) this.take('\n');
    const close = isLong ? quote.repeat(3) : quote;
    let read = '';
    while (!this.text.startsWith(close, this.at)) {
      const character = this.text[this.at];
      if (character === undefined || (!isLong && /[\r\n]/.test(character))) {
        throw new Unreadable('this text in quotes has no end', from);
      }
      if (character === '\\' && quote === '"') read += this.escape();
      else {
        read += character;
        this.at++;
      }
    }
    this.at += close.length;
    return isLong ? read + this.quotesBeforeEnd(quote) : read;
  }

  /** Up to two quotes may stand right before the closing three. */
  private quotesBeforeEnd(quote: string): string {
    let quotes = '';
    while (quotes.length < 2 && this.take(quote)) quotes += quote;
    return quotes;
  }

  private escape(): string {
    const found = escape.exec(this.text.slice(this.at, this.at + 1000))?.groups;
    const point = Number.parseInt(found?.['code'] ?? '0', 16);
    if (!found || point > 0x10ffff) throw new Unreadable('this escape is unknown', this.at);
    this.at += (found['whole'] as string).length;
    if (found['code'] !== undefined) return String.fromCodePoint(point);
    return escapes[found['letter'] ?? ''] ?? '';
  }

  private take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  /** White space and comments, over the ends of lines or not. */
  private skip(overLines: boolean): void {
    const space = overLines ? /[ \t\r\n]/ : /[ \t]/;
    for (;;) {
      while (space.test(this.text[this.at] ?? '')) this.at++;
      if (this.text[this.at] !== '#') return;
      while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
    }
  }

  private expected(what: string): never {
    const isEnd = this.at >= this.text.length;
    throw new Unreadable(isEnd ? `the file ends where ${what} is expected` : `expected ${what}`, this.at);
  }
}
