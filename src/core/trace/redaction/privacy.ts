import { sseLines } from '../../wire/sse-framer.ts';
import { readUtf8, showUtf8, writeUtf8 } from '../../wire/utf8.ts';
import type { Head, HeaderLine } from '../format.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { redactEvents } from './event-redaction.ts';
import { HeadTexts, type RedactedJson } from './head-texts.ts';
import { readLatin1, writeLatin1 } from '../../wire/latin1.ts';
import { looksLikeOAuth } from './oauth-body.ts';
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
}

/**
 * Looks through a line, a body or events. Nothing where all of it stays.
 *
 * @param earlier the places that an earlier redaction has replaced
 */
export type Search = (item: Uint8Array, earlier?: readonly string[]) => RedactedBytes | undefined;

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
    const isMessages = pathOf(facts.target) === this.endpoint && !isForm(facts.type);
    if (isEvents(facts.type) && facts.encoding === undefined) {
      // Where to post is said in answer to a GET (specification 2024-11-05: basic/transports).
      if (isMessages && facts.method === 'POST' && !this.looksEverywhere) return undefined;
      return (item, earlier) => this.events(item, facts.target, earlier);
    }
    // MCP messages carry no secrets of HTTP.
    if (isMessages && !this.looksEverywhere) return undefined;
    return (body, earlier) => this.wholeBody(body, facts, earlier);
  }

  /** How a line of a stdio connection is looked through. */
  line(): Search | undefined {
    if (!this.rules.secrets && !this.looksEverywhere) return undefined;
    return (line, earlier) => this.plain(line, '', '', earlier);
  }

  /** Of something whose beginning is missing, so that nothing in it can be told by name or path: all of it, if need be. */
  remainder(item: Uint8Array): RedactedBytes | undefined {
    return this.rules.keys.size + this.rules.paths.length > 0 ? this.all(item) : this.anyText(item);
  }

  /** One stand-in for all of it. */
  all(item: Uint8Array): RedactedBytes | undefined {
    const text = readUtf8(item) ?? readLatin1(item);
    const standIn = this.standInFor(text);
    return standIn === text ? undefined : { bytes: writeUtf8(standIn), redacted: [''] };
  }

  /** What stands in place of something that only a text tells of. */
  standInFor(text: string): string {
    return this.standIns.text(text, 'value');
  }

  private wholeBody(body: Uint8Array, facts: BodyFacts, earlier: readonly string[] = []): RedactedBytes | undefined {
    const { target, type, encoding } = facts;
    const isDecoded = encoding === undefined || earlier.some((place) => place.startsWith(decoded));
    if (isDecoded) return this.plain(body, type, target, earlier);
    const plain = this.inflate(encoding, body);
    const found = plain && this.plain(plain, type, target, earlier);
    return found && { ...found, redacted: [...found.redacted, decoded + encoding] };
  }

  private plain(
    body: Uint8Array,
    type: string,
    target: string,
    earlier: readonly string[] = [],
  ): RedactedBytes | undefined {
    if (isEvents(type)) return this.events(body, target, earlier);
    const text = readUtf8(body) ?? readLatin1(body);
    if (isForm(type)) return changed(body, this.redactor.form(text));
    if (looksLikeOAuth(text, type, pathOf(target))) return this.redactor.json(body, 'oauth', earlier);
    if (/^\s*["[{]/.test(text)) {
      return this.redactor.json(body, pathOf(target) === this.endpoint ? 'message' : 'other', earlier);
    }
    return changed(body, this.redactor.text(text));
  }

  /** Events, or what the one line of data of an event is, where that is JSON. */
  private events(item: Uint8Array, target: string, earlier: readonly string[] = []): RedactedBytes | undefined {
    if (!this.looksEverywhere && !namesEndpoint(item)) return undefined;
    return redactEvents(item, {
      data: (data, type) => {
        if (type === 'endpoint') return this.endpointOf(data);
        return this.looksEverywhere ? this.plain(data, 'application/json', target, earlier) : undefined;
      },
      other: (value) => this.anyText(value),
    });
  }

  private endpointOf(data: Uint8Array): RedactedBytes | undefined {
    const { url, redacted } = this.redactor.endpoint(readUtf8(data) ?? readLatin1(data));
    // A session may have been learned by it, which is replaced in heads too.
    this.heads.forget();
    return changed(data, { text: url, redacted });
  }

  private anyText(bytes: Uint8Array): RedactedBytes | undefined {
    if (this.rules.values.length === 0) return undefined;
    return changed(bytes, this.redactor.text(readUtf8(bytes) ?? readLatin1(bytes)));
  }
}

const isForm = (type: string): boolean => /^\s*application\/x-www-form-urlencoded\b/i.test(type);
const isEvents = (type: string): boolean => /^\s*text\/event-stream\b/i.test(type);
const pathOf = (target: string): string => (target.includes('?') ? target.slice(0, target.indexOf('?')) : target);

const namesEndpoint = (events: Uint8Array): boolean =>
  sseLines(events, true).some(
    ({ name, from, to }) => name === 'event' && showUtf8(events.subarray(from, to)) === 'endpoint',
  );

/** Text as bytes again; bytes that were no UTF-8 were read as the characters of their numbers. */
function changed(before: Uint8Array, { text, redacted }: RedactedText): RedactedBytes | undefined {
  if (redacted.length === 0) return undefined;
  return { bytes: readUtf8(before) === undefined ? writeLatin1(text) : writeUtf8(text), redacted };
}
