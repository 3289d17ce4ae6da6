import type { Redaction } from '../../core/trace/body-recorder.ts';
import type { Head, HeaderLine } from '../../core/trace/format.ts';
import type { CompiledRules } from '../../core/trace/redaction/compiled-rules.ts';
import { looksLikeOAuth } from '../../core/trace/redaction/oauth-body.ts';
import { Redactor } from '../../core/trace/redaction/redactor.ts';
import { StandIns } from '../../core/trace/redaction/stand-in.ts';
import { readSseEvent, soleDataLine } from '../../core/wire/sse-framer.ts';
import { joinBytes } from '../../core/wire/line-framer.ts';
import { readUtf8, writeUtf8 } from '../../core/wire/utf8.ts';
import { inflate } from './inflate.ts';

/** What of a body is known before it comes. */
export interface BodyFacts {
  /** The request's path and query. */
  target: string;
  type: string;
  /** Its `Content-Encoding`, where it has one. */
  encoding: string | undefined;
}

type Redact = Redaction['redact'];

/** Keeps secrets out of the trace: what stands in it instead of what passed. */
export class TracePrivacy {
  private readonly redactor: Redactor;
  private readonly rules: CompiledRules;
  private readonly endpoint: string;
  /** The user wants more replaced than the secrets of HTTP and OAuth. */
  private readonly looksEverywhere: boolean;

  /**
   * @param keyed an HMAC under the store's key, hexadecimal
   * @param endpoint the path of the server's MCP endpoint
   */
  constructor(rules: CompiledRules, keyed: (text: string) => string, endpoint: string) {
    this.rules = rules;
    this.redactor = new Redactor(rules, new StandIns(keyed));
    this.endpoint = endpoint;
    this.looksEverywhere = rules.keys.size + rules.values.length + rules.paths.length > 0;
  }

  head(head: Head): { head: Head; redacted: readonly string[] } {
    const { lines, redacted } = this.redactor.headers(head.lines);
    if (head.target === undefined) return { head: { ...head, lines }, redacted };
    const kept = this.redactor.target(head.target);
    return { head: { ...head, target: kept.target, lines }, redacted: [...kept.redacted, ...redacted] };
  }

  trailers(lines: readonly HeaderLine[]): readonly HeaderLine[] {
    return this.redactor.headers(lines).lines;
  }

  url(url: string): string {
    return this.redactor.url(url).url;
  }

  /** How a body is looked through; nothing where there can be nothing to replace. */
  body(facts: BodyFacts): Redact | undefined {
    const { secrets } = this.rules;
    if (!secrets && !this.looksEverywhere) return undefined;
    const isEvents = /^text\/event-stream\b/i.test(facts.type);
    if (isEvents && facts.encoding === undefined) return (item) => this.event(item, facts.target);
    // MCP messages carry no secrets of HTTP.
    const isMessages = pathOf(facts.target) === this.endpoint && !isForm(facts.type);
    if (isMessages && !this.looksEverywhere) return undefined;
    return (body) => this.wholeBody(body, facts);
  }

  private wholeBody(body: Uint8Array, { target, type, encoding }: BodyFacts): ReturnType<Redact> {
    const plain = encoding === undefined ? body : inflate(encoding, body);
    if (!plain) return undefined;
    const changed = this.plainBody(plain, type, target);
    return changed && encoding !== undefined
      ? { ...changed, redacted: [...changed.redacted, `decoded:${encoding}`] }
      : changed;
  }

  private plainBody(body: Uint8Array, type: string, target: string): ReturnType<Redact> {
    const text = readUtf8(body);
    if (text === undefined) return undefined;
    if (isForm(type)) return asBytes(this.redactor.form(text));
    if (looksLikeOAuth(text, type, pathOf(target))) return this.redactor.json(body, 'oauth');
    if (/^\s*[[{]/.test(text)) return this.redactor.json(body, pathOf(target) === this.endpoint ? 'message' : 'other');
    return asBytes(this.redactor.text(text));
  }

  /** An event, or the JSON that its data is. */
  private event(item: Uint8Array, target: string): ReturnType<Redact> {
    if (/^\s*[[{]/.test(readUtf8(item.subarray(0, 64)) ?? '')) {
      return this.looksEverywhere ? this.plainBody(item, 'application/json', target) : undefined;
    }
    const { event, data } = readSseEvent(item, true);
    const place = soleDataLine(item, true);
    if (event !== 'endpoint' || data === undefined || !place) {
      const text = this.looksEverywhere ? readUtf8(item) : undefined;
      return text === undefined ? undefined : asBytes(this.redactor.text(text));
    }
    const { url, redacted } = this.redactor.endpoint(data);
    if (redacted.length === 0) return undefined;
    return { bytes: joinBytes([item.subarray(0, place.from), writeUtf8(url), item.subarray(place.to)]), redacted };
  }
}

const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type);
const pathOf = (target: string): string => target.split('?', 1)[0] as string;

const asBytes = ({ text, redacted }: { text: string; redacted: readonly string[] }): ReturnType<Redact> =>
  redacted.length === 0 ? undefined : { bytes: writeUtf8(text), redacted };
