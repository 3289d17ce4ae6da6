import { revisions } from '../../protocol/revision.ts';
import { base64Length, readBase64, writeBase64 } from '../../wire/base64.ts';
import { readUtf8, writeUtf8 } from '../../wire/utf8.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { applyEdits } from './edits.ts';
import { redactCookies, redactCredentials, redactSetCookie } from './header-values.ts';
import { readLatin1, writeLatin1 } from '../../wire/latin1.ts';
import type { Locations } from './locations.ts';
import { headerKind, isCredentials, isNoSecret } from './secret-names.ts';
import type { SecretKind, StandIns } from './stand-in.ts';
import { effortFor, type ValueRedaction } from './value-redaction.ts';

/** Headers that say where a body ends and how it is coded: no expression changes them. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'content-encoding', 'connection']);
/** The headers that carry a copy of a tool's argument begin so. */
const argument = 'mcp-param-';

/** Redacts the values of header lines. */
export class Headers {
  private readonly rules: CompiledRules;
  private readonly standIns: StandIns;
  private readonly values: ValueRedaction;
  private readonly locations: Locations;

  constructor(rules: CompiledRules, standIns: StandIns, values: ValueRedaction, locations: Locations) {
    this.rules = rules;
    this.standIns = standIns;
    this.values = values;
    this.locations = locations;
  }

  /**
   * @param name In lower case.
   * @param wasRedacted An earlier redaction has replaced something in it: a number is a stand-in.
   */
  redact(name: string, value: string, wasRedacted = false): string {
    return this.byValue(name, wasRedacted && isArgumentNumber(name, value) ? value : this.byName(name, value));
  }

  private byName(name: string, value: string): string {
    const { secrets, keys } = this.rules;
    const isKey = keys.has(name) || (name.startsWith(argument) && keys.has(name.slice(argument.length)));
    if (isCredentials(name)) {
      if (!secrets && !isKey) return value;
      return redactCredentials(value, (secret, scheme) =>
        this.replaced(secret, !secrets ? 'key' : scheme === 'basic' ? 'secret' : 'token'),
      );
    }
    switch (name) {
      case 'cookie':
        return redactCookies(value, (secret, cookie) => this.cookie(secret, cookie, isKey));
      case 'set-cookie':
        return redactSetCookie(value, (secret, cookie) => this.cookie(secret, cookie, isKey));
      default:
    }
    const kind = (secrets ? headerKind(name) : undefined) ?? (isKey ? 'key' : undefined);
    if (kind === 'key' && name.startsWith(argument)) return this.argument(value);
    if (kind !== undefined) return this.replaced(value, kind);
    if (/^(?:content-)?location$|^referer$/.test(name)) return this.url(value);
    return value.includes('://') ? value.replaceAll(/\bhttps?:\/\/[^\s"'<>,]+/gi, (url) => this.url(url)) : value;
  }

  private byValue(name: string, value: string): string {
    if (framing.has(name) || this.rules.values.length === 0) return value;
    if (name === 'mcp-protocol-version' && revisions.some(({ date }) => date === value)) return value;
    if (name === 'content-type') {
      // What a body is decides how it is read, and how it is looked through.
      const [type] = /^\s*[\w.+-]+\/[\w.+-]+/.exec(value) ?? [''];
      return type + this.inText(value.slice(type.length));
    }
    const wrapped = unwrap(value);
    const text = wrapped ?? value;
    const after = this.inText(text);
    if (after === text) return value;
    return wrapped === undefined ? after : wrap(after);
  }

  private inText(text: string): string {
    const edits = this.values.edits(text, effortFor(text.length));
    return edits ? applyEdits(text, edits) : text;
  }

  private cookie(secret: string, name: string, isKey: boolean): string {
    if (this.rules.secrets) return this.replaced(secret, 'cookie');
    return isKey || this.rules.keys.has(name.toLowerCase()) ? this.replaced(secret, 'key') : secret;
  }

  /** The copy gets what the argument in the body gets. */
  private argument(value: string): string {
    if (isNumber(value)) return this.standIns.number(value);
    return /^(?:true|false)$/.test(value) ? value : this.replaced(unwrap(value) ?? value, 'key');
  }

  private url(url: string): string {
    return this.locations.redact(url, '', new Set());
  }

  private replaced(secret: string, kind: SecretKind): string {
    return kind !== 'key' && isNoSecret(secret) ? secret : this.standIns.text(secret, kind);
  }
}

const isNumber = (value: string): boolean => /^-?\d+$/.test(value);
const isArgumentNumber = (name: string, value: string): boolean => name.startsWith(argument) && isNumber(value);

/** Text that no header could carry stands in one as base64 (2026-07-28, streamable-http, value encoding). */
function unwrap(value: string): string | undefined {
  const base64 = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value)?.[1];
  const bytes = base64 === undefined ? undefined : readBase64(writeLatin1(base64));
  return bytes && readUtf8(bytes);
}

function wrap(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && unwrap(text) === undefined) return text;
  const bytes = writeUtf8(text);
  const letters = new Uint8Array(base64Length(bytes.length));
  writeBase64(bytes, 0, bytes.length, letters, 0);
  return `=?base64?${readLatin1(letters)}?=`;
}
