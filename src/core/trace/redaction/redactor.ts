import { readUtf8, writeUtf8 } from '../../wire/utf8.ts';
import type { CompiledRules, Effort } from './compiled-rules.ts';
import { applyEdits } from './edits.ts';
import { Headers } from './headers.ts';
import { innerPlaces, outerPlaces } from './inner-places.ts';
import { isJson, type JsonPlace, JsonRedaction, type JsonTools } from './json-redaction.ts';
import { readLatin1, writeLatin1 } from '../../wire/latin1.ts';
import { Locations } from './locations.ts';
import type { StandIns } from './stand-in.ts';
import { effortFor, ValueRedaction } from './value-redaction.ts';

/** The places that were replaced: `header:Cookie`, `query:code`, `form:code`, `/params/token`. */
interface Redacted {
  redacted: string[];
}
export type RedactedLines = Redacted & { lines: [string, string][] };
export type RedactedTarget = Redacted & { target: string };
export type RedactedUrl = Redacted & { url: string };
export type RedactedText = Redacted & { text: string };
export type RedactedBytes = Redacted & { bytes: Uint8Array };

/**
 * Replaces secrets in what stands in a trace: those that HTTP and OAuth carry, and what the user names. What it has
 * replaced it leaves as it is when it comes again; numbers need `earlier` for that.
 */
export class Redactor {
  private readonly rules: CompiledRules;
  private readonly standIns: StandIns;
  private readonly values: ValueRedaction;
  private readonly locations: Locations;
  private readonly headerValues: Headers;

  constructor(rules: CompiledRules, standIns: StandIns) {
    this.rules = rules;
    this.standIns = standIns;
    this.values = new ValueRedaction(rules.values, standIns);
    this.locations = new Locations(rules, standIns, this.values);
    this.headerValues = new Headers(rules, standIns, this.values, this.locations);
  }

  /**
   * Header lines or trailers.
   *
   * @param earlier The places that an earlier redaction has replaced: numbers there stay.
   */
  headers(lines: readonly (readonly [string, string])[], earlier: readonly string[] = []): RedactedLines {
    const redacted = new Set<string>();
    const changed = lines.map(([name, value]): [string, string] => {
      const after = this.headerValues.redact(name.toLowerCase(), value, earlier.includes(`header:${name}`));
      if (after !== value) redacted.add(`header:${name}`);
      return [name, after];
    });
    return { lines: changed, redacted: [...redacted] };
  }

  /** The target of a request, as it stands in its first line. */
  target(target: string): RedactedTarget {
    const places = new Set<string>();
    const after = this.locations.redact(target, 'target', places);
    return { target: after, redacted: [...places] };
  }

  url(url: string): RedactedUrl {
    const places = new Set<string>();
    const after = this.locations.redact(url, 'url', places);
    return { url: after, redacted: [...places] };
  }

  /**
   * The data of the `endpoint` event of HTTP+SSE: the URL that the client is to send to, with its session somewhere in
   * it. Where no name tells the session, what looks like one is from then on replaced in targets and URLs too.
   */
  endpoint(data: string): RedactedUrl {
    const found = this.url(data);
    if (!this.rules.secrets || found.redacted.length > 0) return found;
    this.locations.learnSession(data);
    return this.url(data);
  }

  /**
   * A body that is JSON, or was to be: of one that is cut off or faulty what can be made out is redacted too.
   *
   * @param earlier Pointers to what an earlier redaction has replaced: numbers there stay.
   * @returns Nothing where nothing changed.
   */
  json(
    bytes: Uint8Array,
    where: JsonPlace,
    earlier: readonly string[] = [],
    effort = effortFor(bytes.length),
  ): RedactedBytes | undefined {
    const { keys, values, paths, secrets } = this.rules;
    if (keys.size + values.length + paths.length === 0 && !(secrets && where === 'oauth')) return undefined;
    const utf8 = readUtf8(bytes);
    const text = utf8 ?? readLatin1(bytes);
    const { edits, redacted } = JsonRedaction.edits(text, where, this.jsonTools(earlier, effort));
    let after = applyEdits(text, edits);
    const more = values.length > 0 && !isJson(after) ? this.values.edits(after, effort) : undefined;
    if (more) {
      after = applyEdits(after, more);
      if (!redacted.includes('')) redacted.push('');
    }
    if (after === text) return undefined;
    return { bytes: utf8 === undefined ? writeLatin1(after) : writeUtf8(after), redacted };
  }

  /**
   * A body of `application/x-www-form-urlencoded`. What is JSON in it is looked into.
   *
   * @param earlier The places that an earlier redaction has replaced.
   */
  form(text: string, earlier: readonly string[] = [], effort = effortFor(text.length)): RedactedText {
    const places = new Set<string>();
    // The last line end is not part of the last value.
    const end = text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0;
    const inside = text.slice(0, text.length - end);
    const after = this.locations.form(inside, places, effort, (name, value) => {
      const field = `form:${name}`;
      const found = this.jsonInText(value, innerPlaces(field, earlier), effort);
      for (const place of outerPlaces(field, found?.redacted ?? [])) places.add(place);
      return found?.text;
    });
    return { text: after + text.slice(inside.length), redacted: [...places] };
  }

  /** What stands in a field of a form instead of a secret; nothing where its name says that it is none. */
  field(name: string, value: string, effort: Effort): string | undefined {
    return this.locations.field(name, value, effort);
  }

  /** Any other text: only the user's expressions are looked for. */
  text(text: string, effort = effortFor(text.length)): RedactedText {
    const edits = this.values.edits(text, effort);
    return edits ? { text: applyEdits(text, edits), redacted: ['text'] } : { text, redacted: [] };
  }

  private jsonInText(text: string, earlier: readonly string[], effort: Effort): RedactedText | undefined {
    const { keys, values, paths } = this.rules;
    if (keys.size + values.length + paths.length === 0 || !/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
    const { edits, redacted } = JsonRedaction.edits(text, 'other', this.jsonTools(earlier, effort), 1);
    return edits.length === 0 ? undefined : { text: applyEdits(text, edits), redacted };
  }

  private jsonTools(earlier: readonly string[], effort: Effort): JsonTools {
    const { rules, standIns, values, locations } = this;
    return { rules, standIns, values, locations, effort, earlier: new Set(earlier) };
  }
}
