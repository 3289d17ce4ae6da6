import type { CompiledRules, Effort } from './compiled-rules.ts';
import { applyEdits, type Edit } from './edits.ts';
import { decodePercent, encode, type ParameterRules, redactParameters } from './parameters.ts';
import { isNoSecret, parameterKind } from './secret-names.ts';
import { isStandIn, type SecretKind, type StandIns } from './stand-in.ts';
import { effortFor, type Span, type ValueRedaction } from './value-redaction.ts';

/** So many session ids that stand where no name tells them are remembered. */
const mostSessions = 4096;
/** What was put in can be matched once more. Where that goes on and on the whole is replaced. */
const mostRounds = 5;

/** Redacts URLs and targets of requests, and what is written like their parameters. */
export class Locations {
  private readonly rules: CompiledRules;
  private readonly standIns: StandIns;
  private readonly values: ValueRedaction;
  private readonly sessions = new Set<string>();

  constructor(rules: CompiledRules, standIns: StandIns, values: ValueRedaction) {
    this.rules = rules;
    this.standIns = standIns;
    this.values = values;
  }

  /**
   * @param whole What the place is called where an expression matches over several parts of the URL.
   * @param places Told the places that were changed.
   */
  redact(url: string, whole: string, places: Set<string>): string {
    const { values } = this.rules;
    if (values.length === 0 && this.sessions.size === 0 && !/[?#@]/.test(url)) return url;
    let before = url;
    for (let round = 0; round < mostRounds; round++) {
      const after = this.redactOnce(before, whole, places);
      if (after === before) return after;
      before = after;
    }
    places.add(whole);
    return this.standIns.text(url, 'value');
  }

  /**
   * @param places Told the names of the parameters that were changed.
   * @param inside What takes the place of a value whose name says nothing; nothing where it stays.
   */
  form(
    text: string,
    places: Set<string>,
    effort: Effort,
    inside: (name: string, value: string) => string | undefined,
  ): string {
    const parameters = this.parameterRules(effort);
    let within: string | undefined;
    const rules: ParameterRules = {
      kindOf: (name) => this.kindOf(name),
      replace: (value, kind, name) => {
        within = kind === undefined ? inside(name, value) : undefined;
        return parameters.replace(within ?? value, kind, name) ?? within;
      },
    };
    // What was replaced within a value has been named.
    return redactParameters(text, rules, (name) => {
      if (within === undefined) places.add(`form:${name}`);
    });
  }

  /** A field of a form whose name says that it is a secret; nothing for any other. */
  field(name: string, value: string, effort: Effort): string | undefined {
    const kind = this.kindOf(name);
    return kind === undefined ? undefined : (this.replaced(value, kind, effort) ?? value);
  }

  /** Remembers whatever in the URL looks as if it were drawn by lot, as session ids are. */
  learnSession(url: string): void {
    for (const encoded of url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[/?#&=;]/)) {
      const part = decodePercent(encoded);
      if (!isRandom(part) || isStandIn(part)) continue;
      if (this.sessions.size === mostSessions) this.sessions.delete(this.sessions.values().next().value as string);
      this.sessions.add(part);
    }
  }

  private redactOnce(url: string, whole: string, places: Set<string>): string {
    const parts = /^(?:((?:[a-z][a-z0-9+.-]*:)?\/\/)([^/?#]*@)?)?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url);
    if (!parts || isStandIn(url)) return url;
    const [, start = '', user = '', path = '', query = '', fragment = ''] = parts;
    const effort = effortFor(url.length);
    const rules = this.parameterRules(effort);
    const parameters = (text: string, place: string): string =>
      text.slice(0, 1) + redactParameters(text.slice(1), rules, (name) => places.add(`${place}:${name}`));
    const after = [
      start,
      this.user(user, places),
      this.path(path, effort, places),
      parameters(query, 'query'),
      parameters(fragment, 'fragment'),
    ].join('');
    const edits = this.values.edits(after, effort, overParts);
    if (!edits) return after;
    places.add(whole);
    const [first] = edits as [Edit];
    if (first.from === 0 && first.to === after.length) return first.text;
    const encoded = edits.map(({ from, to, text }) => ({ from, to, text: encode(text) }));
    return applyEdits(after, encoded);
  }

  private user(user: string, places: Set<string>): string {
    const secret = user.slice(0, -1);
    if (!this.rules.secrets || isNoSecret(secret)) return user;
    const after = `${encode(this.standIns.text(decodePercent(secret), 'secret'))}@`;
    if (after !== user) places.add('userinfo');
    return after;
  }

  private path(path: string, effort: Effort, places: Set<string>): string {
    if (this.rules.values.length === 0 && this.sessions.size === 0) return path;
    const segments = path.split('/').map((segment) => {
      const after = this.replaced(decodePercent(segment), undefined, effort);
      return after === undefined ? segment : encode(after);
    });
    const after = segments.join('/');
    if (after !== path) places.add('path');
    return after;
  }

  private parameterRules(effort: Effort): ParameterRules {
    return {
      kindOf: (name) => this.kindOf(name),
      replace: (value, kind) => this.replaced(value, kind, effort),
    };
  }

  private kindOf(name: string): SecretKind | undefined {
    const whole = name.trim();
    // Where values come in groups, `user[password]` is the password.
    const inGroup = /\[([^\][]+)\]$/.exec(whole)?.[1];
    return this.kindOfName(whole) ?? (inGroup === undefined ? undefined : this.kindOfName(inGroup));
  }

  private kindOfName(name: string): SecretKind | undefined {
    const { secrets, keys } = this.rules;
    return (secrets ? parameterKind(name) : undefined) ?? (keys.has(name.toLowerCase()) ? 'key' : undefined);
  }

  /** Nothing where the value stays. */
  private replaced(value: string, named: SecretKind | undefined, effort: Effort): string | undefined {
    const kind = named ?? (this.sessions.has(value) ? 'session' : undefined);
    const isSecret = kind !== undefined && (kind === 'key' || !isNoSecret(value));
    const once = isSecret ? this.standIns.text(value, kind) : value;
    const edits = this.values.edits(once, effort);
    const after = edits ? applyEdits(once, edits) : once;
    return after === value ? undefined : after;
  }
}

/** A match in a URL as it stands counts if it goes over several parts of it. An encoded character is not torn. */
function overParts(url: string, { from, to }: Span): Span | undefined {
  const match = url.slice(from, to);
  if (!/[/?#&=;]/.test(match) || !/[^/?#&=;]/.test(match)) return undefined;
  const span = { from, to };
  for (const back of [1, 2]) if (isEncoded(url, from - back)) span.from = from - back;
  for (const back of [1, 2]) if (isEncoded(url, to - back)) span.to = to - back + 3;
  return span;
}

const isEncoded = (url: string, at: number): boolean => at >= 0 && /^%[0-9a-f]{2}/i.test(url.slice(at, at + 3));

const isRandom = (text: string): boolean =>
  /^[0-9a-f-]{16,}$/i.test(text) ||
  (/^[\w=~.-]{16,}$/.test(text) && [/\d/, /[a-z]/, /[A-Z]/].every((letters) => letters.test(text)));
