import { revisions } from '../../protocol/revision.ts';
import { base64Length, readBase64, writeBase64 } from '../../wire/base64.ts';
import { readUtf8, writeUtf8 } from '../../wire/utf8.ts';
import type { CompiledRules, Effort } from './compiled-rules.ts';
import { applyEdits, type Edit } from './edits.ts';
import { redactCookies, redactCredentials, redactSetCookie, wrappedText } from './header-values.ts';
import { isJson, type JsonPlace, JsonRedaction } from './json-redaction.ts';
import { readLatin1, writeLatin1 } from './latin1.ts';
import { decodePercent, encode, type ParameterRules, redactParameters } from './parameters.ts';
import { headerKind, isNoSecret, parameterKind } from './secret-names.ts';
import { isStandIn, type SecretKind, type StandIns } from './stand-in.ts';
import { effortFor, ValueRedaction } from './value-redaction.ts';

/** What is left of something, and the places that were replaced: `header:Cookie`, `query:code`, `/params/token`. */
export interface RedactedLines {
  lines: [string, string][];
  redacted: string[];
}
export interface RedactedTarget {
  target: string;
  redacted: string[];
}
export interface RedactedUrl {
  url: string;
  redacted: string[];
}
export interface RedactedText {
  text: string;
  redacted: string[];
}
export interface RedactedBytes {
  bytes: Uint8Array;
  redacted: string[];
}

/** So many session ids that stand in paths are remembered. */
const mostSessions = 4096;

/** Headers that say where a body ends and how it is coded: no expression changes them. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'content-encoding', 'connection']);

/**
 * Replaces secrets in what stands in a trace: those that HTTP and OAuth carry, and what the user names. What it is
 * given again it leaves as it is, numbers apart.
 */
export class Redactor {
  private readonly rules: CompiledRules;
  private readonly standIns: StandIns;
  private readonly values: ValueRedaction;
  /** Session ids of HTTP+SSE that stand where no name tells them. */
  private readonly sessions = new Set<string>();

  constructor(rules: CompiledRules, standIns: StandIns) {
    this.rules = rules;
    this.standIns = standIns;
    this.values = new ValueRedaction(rules.values, standIns);
  }

  /** Header lines or trailers. */
  headers(lines: readonly (readonly [string, string])[]): RedactedLines {
    const redacted = new Set<string>();
    const changed = lines.map(([name, value]): [string, string] => {
      const after = this.header(name.toLowerCase(), value);
      if (after !== value) redacted.add(`header:${name}`);
      return [name, after];
    });
    return { lines: changed, redacted: [...redacted] };
  }

  /** The target of a request, as it stands in its first line. */
  target(target: string): RedactedTarget {
    const { url, redacted } = this.locate(target, 'target');
    return { target: url, redacted };
  }

  url(url: string): RedactedUrl {
    return this.locate(url, 'url');
  }

  /**
   * The data of the `endpoint` event of HTTP+SSE: the URL that the client is to send to, which carries its session
   * somewhere. Where no name tells the session, what looks like one is remembered and replaced in targets too.
   */
  endpoint(data: string): RedactedUrl {
    const first = this.locate(data, 'url');
    if (!this.rules.secrets || first.redacted.length > 0) return first;
    for (const encoded of data.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[/?#&=;]/)) {
      const part = decodePercent(encoded);
      if (!isRandom(part)) continue;
      if (this.sessions.size === mostSessions) this.sessions.delete(this.sessions.values().next().value as string);
      this.sessions.add(part);
    }
    return this.locate(data, 'url');
  }

  /**
   * A body that is JSON, or was to be: of one that is cut off or faulty what can be made out is redacted too.
   *
   * @param earlier Pointers to what an earlier redaction has replaced: numbers there stay.
   * @returns Nothing where nothing changed.
   */
  json(bytes: Uint8Array, where: JsonPlace, earlier: readonly string[] = []): RedactedBytes | undefined {
    const { keys, values, paths, secrets } = this.rules;
    if (keys.size === 0 && values.length === 0 && paths.length === 0 && !(secrets && where === 'oauth'))
      return undefined;
    const utf8 = readUtf8(bytes);
    const text = utf8 ?? readLatin1(bytes);
    const effort = effortFor(text.length);
    const { rules, standIns } = this;
    const tools = { rules, standIns, values: this.values, effort, earlier: new Set(earlier) };
    const { edits, redacted } = JsonRedaction.edits(text, where, tools);
    let after = edits.length > 0 ? applyEdits(text, edits) : text;
    if (values.length > 0 && !isJson(after)) {
      const more = this.values.edits(after, effort);
      if (more) {
        after = applyEdits(after, more);
        if (!redacted.includes('')) redacted.push('');
      }
    }
    if (after === text) return undefined;
    return { bytes: utf8 === undefined ? writeLatin1(after) : writeUtf8(after), redacted };
  }

  /** A body of `application/x-www-form-urlencoded`. */
  form(text: string): RedactedText {
    const redacted = new Set<string>();
    const after = redactParameters(text, this.parameterRules(effortFor(text.length)), (name) =>
      redacted.add(`form:${name}`),
    );
    return { text: after, redacted: [...redacted] };
  }

  /** Any other text: only the user's expressions are looked for. */
  text(text: string): RedactedText {
    const edits = this.values.edits(text, effortFor(text.length));
    return edits ? { text: applyEdits(text, edits), redacted: ['text'] } : { text, redacted: [] };
  }

  /** @param name In lower case. */
  private header(name: string, value: string): string {
    const after = this.namedHeader(name, value);
    if (framing.has(name) || this.rules.values.length === 0) return after;
    if (name === 'mcp-protocol-version' && revisions.some(({ date }) => date === value)) return after;
    const base64 = wrappedText(after);
    const text = base64 === undefined ? undefined : readBase64(writeLatin1(base64));
    const inside = text && readUtf8(text);
    if (inside === undefined) return this.inValue(after, effortFor(after.length)) ?? after;
    const changed = this.inValue(inside, effortFor(inside.length));
    return changed === undefined ? after : wrap(changed);
  }

  private namedHeader(name: string, value: string): string {
    const { secrets, keys } = this.rules;
    const isKey = keys.has(name) || (name.startsWith('mcp-param-') && keys.has(name.slice('mcp-param-'.length)));
    switch (name) {
      case 'authorization':
      case 'proxy-authorization':
        if (!secrets && !isKey) break;
        return redactCredentials(value, (secret, scheme) =>
          this.replaced(secret, !secrets ? 'key' : scheme === 'basic' ? 'secret' : 'token'),
        );
      case 'cookie':
        return redactCookies(value, (secret, cookie) => this.cookie(secret, cookie, isKey));
      case 'set-cookie':
        return redactSetCookie(value, (secret, cookie) => this.cookie(secret, cookie, isKey));
      default:
    }
    const kind = (secrets ? headerKind(name) : undefined) ?? (isKey ? 'key' : undefined);
    if (kind === 'key' && name.startsWith('mcp-param-')) return this.parameterHeader(value);
    if (kind !== undefined) return this.replaced(value, kind);
    if (/^(?:content-)?location$|^referer$/.test(name)) return this.locate(value, 'url').url;
    return value.includes('://')
      ? value.replaceAll(/\bhttps?:\/\/[^\s"'<>,]+/gi, (url) => this.locate(url, 'url').url)
      : value;
  }

  private cookie(secret: string, name: string, isKey: boolean): string {
    if (this.rules.secrets) return this.replaced(secret, 'cookie');
    return isKey || this.rules.keys.has(name.toLowerCase()) ? this.replaced(secret, 'key') : secret;
  }

  /** The copy of an argument in a header gets what the argument in the body gets. */
  private parameterHeader(value: string): string {
    if (/^-?\d+$/.test(value)) return this.standIns.number(value);
    if (/^(?:true|false)$/.test(value)) return value;
    const base64 = wrappedText(value);
    const text = base64 === undefined ? undefined : readBase64(writeLatin1(base64));
    return this.replaced((text && readUtf8(text)) ?? value, 'key');
  }

  private replaced(secret: string, kind: SecretKind): string {
    return kind !== 'key' && isNoSecret(secret) ? secret : this.standIns.text(secret, kind);
  }

  /** What the user's expressions make of a text, or nothing where they change nothing. */
  private inValue(text: string, effort: Effort): string | undefined {
    const edits = this.values.edits(text, effort);
    return edits && applyEdits(text, edits);
  }

  private parameterRules(effort: Effort): ParameterRules {
    const { secrets, keys } = this.rules;
    return {
      kindOf: (name) =>
        (secrets ? parameterKind(name) : undefined) ?? (keys.has(name.toLowerCase()) ? 'key' : undefined),
      replace: (value, kind) => {
        const known = kind ?? (this.sessions.has(value) ? 'session' : undefined);
        const after = known === undefined ? value : this.replaced(value, known);
        const changed = this.inValue(after, effort) ?? after;
        return changed === value ? undefined : changed;
      },
    };
  }

  /** @param kind What the whole is called where an expression matches over several of its parts. */
  private locate(url: string, kind: 'target' | 'url'): RedactedUrl {
    const parts = /^(?:((?:[a-z][a-z0-9+.-]*:)?\/\/)([^/?#]*@)?)?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url);
    if (!parts || isStandIn(url)) return { url, redacted: [] };
    const [, start = '', user = '', path = '', query = '', fragment = ''] = parts;
    const redacted = new Set<string>();
    const effort = effortFor(url.length);
    const rules = this.parameterRules(effort);
    const parameters = (text: string, place: string): string =>
      text === '' ? '' : text[0] + redactParameters(text.slice(1), rules, (name) => redacted.add(`${place}:${name}`));
    let after =
      start +
      this.userinfo(user, redacted) +
      this.path(path, effort, redacted) +
      parameters(query, 'query') +
      parameters(fragment, 'fragment');
    const edits = this.values.edits(after, effort);
    if (edits) {
      const [first] = edits as [Edit];
      const isAll = first.from === 0 && first.to === after.length;
      after = isAll
        ? first.text
        : applyEdits(
            after,
            edits.map((edit) => ({ ...edit, text: encode(edit.text) })),
          );
      redacted.add(kind);
    }
    return { url: after, redacted: [...redacted] };
  }

  private userinfo(user: string, redacted: Set<string>): string {
    const secret = user.slice(0, -1);
    if (!this.rules.secrets || isNoSecret(secret)) return user;
    const after = encode(this.standIns.text(decodePercent(secret), 'secret'));
    if (after !== secret) redacted.add('userinfo');
    return `${after}@`;
  }

  private path(path: string, effort: Effort, redacted: Set<string>): string {
    if (this.rules.values.length === 0 && this.sessions.size === 0) return path;
    const after = path
      .split('/')
      .map((segment) => {
        const text = decodePercent(segment);
        const known = this.sessions.has(text) ? this.standIns.text(text, 'session') : text;
        const changed = this.inValue(known, effort) ?? known;
        return changed === text ? segment : encode(changed);
      })
      .join('/');
    if (after !== path) redacted.add('path');
    return after;
  }
}

function wrap(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && wrappedText(text) === undefined) return text;
  const bytes = writeUtf8(text);
  const letters = new Uint8Array(base64Length(bytes.length));
  writeBase64(bytes, 0, bytes.length, letters, 0);
  return `=?base64?${readLatin1(letters)}?=`;
}

/** What nobody would write: it was drawn by lot. */
const isRandom = (text: string): boolean =>
  /^[0-9a-f-]{16,}$/i.test(text) ||
  (/^[\w=~.-]{16,}$/.test(text) && [/\d/, /[a-z]/, /[A-Z]/].every((letters) => letters.test(text)));
