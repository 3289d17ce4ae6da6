import { readUtf8, showUtf8, writeUtf8 } from '../../wire/utf8.ts';
import type { Side } from '../../protocol/message.ts';
import type { Head, HeaderLine } from '../format.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { HeadTexts, type RedactedJson } from './head-texts.ts';
import { readLatin1 } from '../../wire/latin1.ts';
import { type JsonEnding, jsonEnding } from './json-ending.ts';
import { isEvents, isJsonType } from './body-kind.ts';
import { BodyRedaction } from './body-redaction.ts';
import { type RedactedBytes, type RedactedLines, type RedactedText, Redactor } from './redactor.ts';
import { StandIns } from './stand-in.ts';

/** What of a body is known before it comes. */
export interface BodyFacts {
  /** The request's method, where it is known. */
  method?: string | undefined;
  /** The request's path and query. */
  target: string;
  type: string;
  /** Its `Content-Encoding`, where it has one. */
  encoding: string | undefined;
  /** Told where it is not searched, since its encoding cannot be undone. */
  unsearched?: () => void;
}

/**
 * Looks through a line, a body or events. Nothing where all of it stays.
 *
 * @param earlier the places that an earlier redaction has replaced
 */
export type Search = (item: Uint8Array, earlier?: readonly string[]) => RedactedBytes | undefined;

/** Looks through a body that is recorded as it passes. */
export interface PassingSearch {
  /** @param part which part of a long item it is; nothing for a whole one */
  redact(item: Uint8Array, part?: number): RedactedBytes | undefined;
  /** Why it could not be searched, in words; nothing where it was. To be asked when it is over. */
  unsearched(): string | undefined;
}

/** Undoes a `Content-Encoding`; nothing where that cannot be done. */
export type Inflate = (encoding: string, bytes: Uint8Array) => Uint8Array | undefined;

/** Begins the place that says that a body stands without its encoding. */
const decoded = 'decoded:';

/** Keeps secrets out of a trace, while it is recorded and in a copy of it: what stands in it instead of what passed. */
export class Privacy {
  /** The user wants more replaced than the secrets of HTTP and OAuth. */
  readonly looksEverywhere: boolean;
  private readonly rules: CompiledRules;
  private readonly standIns: StandIns;
  private readonly redactor: Redactor;
  private readonly heads: HeadTexts;
  private readonly bodies: BodyRedaction;
  private readonly endpoint: string;
  private readonly inflate: Inflate;

  /**
   * @param keyed an HMAC under the store's key, hexadecimal
   * @param options `endpoint` is the path of the server's MCP endpoint
   */
  constructor(rules: CompiledRules, keyed: (text: string) => string, options: { endpoint: string; inflate: Inflate }) {
    this.rules = rules;
    this.standIns = new StandIns(keyed);
    this.redactor = new Redactor(rules, this.standIns);
    this.heads = new HeadTexts(this.redactor);
    this.endpoint = options.endpoint;
    this.bodies = new BodyRedaction({
      rules,
      redactor: this.redactor,
      endpoint: options.endpoint,
      all: (bytes) => this.all(bytes),
      learned: () => this.heads.forget(),
    });
    this.inflate = options.inflate;
    this.looksEverywhere = rules.keys.size + rules.values.length + rules.paths.length > 0;
  }

  /** @param earlier the places that an earlier redaction has replaced */
  head(head: Head, earlier: readonly string[] = []): { head: Head; redacted: readonly string[] } {
    const { lines, redacted } = this.redactor.headers(head.lines, earlier);
    if (head.target !== undefined) {
      const kept = this.redactor.target(head.target);
      return { head: { ...head, target: kept.target, lines }, redacted: [...kept.redacted, ...redacted] };
    }
    if (head.reason === undefined) return { head: { ...head, lines }, redacted };
    const reason = this.redactor.text(head.reason);
    return {
      head: { ...head, reason: reason.text, lines },
      redacted: [...(reason.redacted.length > 0 ? ['reason'] : []), ...redacted],
    };
  }

  /** The same of a head that is recorded as it passes, and written out. */
  headText(head: Head): RedactedJson {
    return this.heads.of(head);
  }

  headers(lines: readonly HeaderLine[], earlier: readonly string[] = []): RedactedLines {
    return this.redactor.headers(lines, earlier);
  }

  trailers(lines: readonly HeaderLine[]): readonly HeaderLine[] {
    return this.redactor.headers(lines).lines;
  }

  url(url: string): string {
    return this.redactor.url(url).url;
  }

  /** Words of ours, or of the system: only the user's expressions are looked for. */
  text(text: string): RedactedText {
    return this.redactor.text(text);
  }

  /** A note. What came and was no HTTP stands in one as it came. */
  note(kind: string, text: string): RedactedText {
    const [, words = '', sent = ''] = /^(.*; it begins ")(.*)"$/s.exec(text) ?? [];
    if (!this.rules.secrets || kind !== 'not-http' || sent === '') return this.text(text);
    const standIn = this.standInFor(sent);
    return { text: `${words}${standIn}"`, redacted: standIn === sent ? [] : ['text'] };
  }

  /** A command line, whose secrets were masked when it was recorded: what the user names. */
  command(words: readonly string[]): string[] {
    const { keys } = this.rules;
    return words.map((word, index) => {
      const [, start = '', name = '', value = ''] = /^(-{0,2}([\w.-]+)=)(.*)$/s.exec(word) ?? [];
      if (keys.has(name.toLowerCase())) return start + this.standIns.text(value, 'key');
      const option = /^--?([\w.-]+)$/.exec(words[index - 1] ?? '')?.[1] ?? '';
      if (keys.has(option.toLowerCase()) && !word.startsWith('-')) return this.standIns.text(word, 'key');
      return this.text(this.looksEverywhere && word.includes('://') ? this.url(word) : word).text;
    });
  }

  /** How a body is looked through; nothing where there can be nothing to replace. */
  body(facts: BodyFacts): Search | undefined {
    if (!this.rules.secrets && !this.looksEverywhere) return undefined;
    if (!this.looksEverywhere && pathOf(facts.target) === this.endpoint) {
      // MCP messages carry no secrets of HTTP.
      if (isJsonType(facts.type)) return undefined;
      // Where to post is said in answer to a GET (specification 2024-11-05: basic/transports).
      if (isEvents(facts.type) && (facts.method === 'POST' || facts.encoding !== undefined)) return undefined;
    }
    return (body, earlier) => this.wholeBody(body, facts, earlier);
  }

  /** The same for a body that is recorded as it passes: one that is too long for a record comes in parts. */
  passing(from: Side, facts: BodyFacts): PassingSearch | undefined {
    let isUnsearched = false;
    const search = this.body({ ...facts, unsearched: () => (isUnsearched = true) });
    if (!search) return undefined;
    // What is compressed cannot be read from the middle on.
    const isClosed = facts.encoding !== undefined && this.looksEverywhere;
    let ending: JsonEnding | undefined;
    return {
      redact: (item, part) => {
        if (part === undefined) return search(item);
        if (part === 1) {
          const found = search(item);
          ending = this.replacesRemainders && !isClosed ? jsonEnding(showUtf8(found?.bytes ?? item)) : undefined;
          return found;
        }
        if (isUnsearched) return undefined;
        if (ending) return part === 2 ? this.allWithin(ending, item) : { bytes: new Uint8Array(), redacted: [''] };
        return isClosed ? this.all(item) : this.remainder(item);
      },
      unsearched: () => (isUnsearched ? this.unsearchedWords(from, facts.encoding ?? '') : undefined),
    };
  }

  /** What a note says of a body that could not be searched. */
  unsearchedWords(from: Side, encoding: string): string {
    const words =
      `the body that the ${from} sent was not searched for secrets, and is kept as it passed: ` +
      `its Content-Encoding, ${encoding}, cannot be undone here, or makes more than 64 MiB`;
    return this.text(words).text;
  }

  /** How a line of a stdio connection is looked through. */
  line(): Search | undefined {
    if (!this.rules.secrets && !this.looksEverywhere) return undefined;
    return (line, earlier = []) => this.bodies.redact(line, { type: '', path: '', earlier, isLine: true });
  }

  /** Of something whose beginning is missing, so that nothing in it can be told by name or path: all of it, if need be. */
  remainder(item: Uint8Array): RedactedBytes | undefined {
    return this.replacesRemainders ? this.all(item) : this.bodies.anyText(item);
  }

  /** One stand-in for all of it. */
  all(item: Uint8Array): RedactedBytes | undefined {
    const text = readUtf8(item) ?? readLatin1(item);
    const standIn = this.standInFor(text);
    return standIn === text ? undefined : { bytes: writeUtf8(standIn), redacted: [''] };
  }

  /** The same for what follows on JSON that is cut off: it becomes whole by it, so that a message stays one. */
  private allWithin({ before, behind }: JsonEnding, item: Uint8Array): RedactedBytes {
    const standIn = this.standInFor(readUtf8(item) ?? readLatin1(item));
    return { bytes: writeUtf8(before + standIn + behind), redacted: [''] };
  }

  /** Of what has lost its beginning nothing can stay: names and paths lead nowhere in it. */
  private get replacesRemainders(): boolean {
    return this.rules.keys.size + this.rules.paths.length > 0;
  }

  /** What stands in place of something that only a text tells of. */
  standInFor(text: string): string {
    return this.standIns.text(text, 'value');
  }

  private wholeBody(body: Uint8Array, facts: BodyFacts, earlier: readonly string[] = []): RedactedBytes | undefined {
    const { target, type, encoding } = facts;
    const origin = { type, path: pathOf(target), earlier };
    const isDecoded = encoding === undefined || earlier.some((place) => place.startsWith(decoded));
    if (isDecoded) return this.bodies.redact(body, origin);
    const plain = this.inflate(encoding, body);
    if (!plain) facts.unsearched?.();
    const found = plain && this.bodies.redact(plain, origin);
    return found && { ...found, redacted: [...found.redacted, decoded + encoding] };
  }
}

const pathOf = (target: string): string => (target.includes('?') ? target.slice(0, target.indexOf('?')) : target);
