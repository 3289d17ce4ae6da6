import { JsonScanner } from '../../wire/json-scanner.ts';
import { writeUtf8 } from '../../wire/utf8.ts';
import { revisions } from '../../protocol/revision.ts';
import type { CompiledRules, Effort, PathTree } from './compiled-rules.ts';
import { applyEdits, type Edit, oneEdit } from './edits.ts';
import { JsonString, JsonWalk, type Name } from './json-walk.ts';
import type { Locations } from './locations.ts';
import { isNoSecret, oauthMemberKind } from './secret-names.ts';
import type { SecretKind, StandIns } from './stand-in.ts';
import type { ValueRedaction } from './value-redaction.ts';

/** What a body is: a JSON-RPC message, what an OAuth endpoint takes or answers, or anything else. */
export type JsonPlace = 'message' | 'oauth' | 'other';

/** JSON that stands as text in a JSON string is looked into, so many times one in another. */
const deepestText = 3;
/** Paths that go down to any depth more than once look at a value again and again: this often all in all. */
const mostLooks = 20_000_000;
/** Paths are not followed into what is nested deeper: it is no JSON for the rest of wireproof either. */
const deepestFollowed = 400;
/** So many places are named; of more only the number. */
const mostNamed = 1000;

export interface JsonTools {
  rules: CompiledRules;
  standIns: StandIns;
  values: ValueRedaction;
  locations: Locations;
  effort: Effort;
  /** Pointers to what an earlier redaction replaced: a number there is a stand-in already. */
  earlier: ReadonlySet<string>;
}

/** The edits that redact JSON text, and JSON pointers to what they change. */
export interface JsonEdits {
  edits: Edit[];
  redacted: string[];
}

/** Replaces what the rules name, token by token: what they do not name stays as it is spelled. */
export class JsonRedaction {
  private readonly text: string;
  private readonly place: JsonPlace;
  private readonly tools: JsonTools;
  private readonly textDepth: number;
  private readonly walk: JsonWalk;
  private readonly edits: Edit[] = [];
  private readonly places = new Set<string>();
  private morePlaces = 0;
  /** What is replaced with all that is in it, and at which depth it stands. */
  private hit: { kind: SecretKind; depth: number } | undefined;
  /** The branches of the paths that lead to the value, from the outside in. */
  private readonly branches: (PathTree | undefined)[] = [];
  /** Where the paths lead cannot be found out. */
  private isUncertain = false;
  private shadowed: ReadonlySet<number> = new Set();
  private earlier: ReadonlySet<string> = new Set();

  private constructor(text: string, place: JsonPlace, tools: JsonTools, textDepth: number) {
    this.text = text;
    this.place = place;
    this.tools = tools;
    this.textDepth = textDepth;
    this.walk = new JsonWalk(text);
  }

  static edits(text: string, place: JsonPlace, tools: JsonTools, textDepth = 0): JsonEdits {
    return new JsonRedaction(text, place, tools, textDepth).run();
  }

  private run(): JsonEdits {
    const hasPaths = this.tools.rules.paths.length > 0 && this.textDepth === 0;
    if (hasPaths || this.tools.earlier.size > 0) this.survey(hasPaths);
    while (this.walk.next()) {
      this.enter();
      const edits = this.walk.kind === '"' ? this.editString() : this.walk.kind === '0' ? this.editScalar() : [];
      if (edits.length === 0) continue;
      for (const edit of edits) this.edits.push(edit);
      this.name();
    }
    const redacted = [...this.places];
    if (this.morePlaces > 0) redacted.push(`(${this.morePlaces} more)`);
    return { edits: this.edits, redacted };
  }

  /** Whether the value that was come to is to be replaced, or is in one that is. */
  private enter(): void {
    const { depth, names } = this.walk;
    if (depth > 0) this.branches[depth] = this.branches[depth - 1]?.branches.get(names[depth - 1] as Name);
    if (this.hit && depth > this.hit.depth) return;
    const kind = this.kind();
    this.hit = kind && { kind, depth };
  }

  private kind(): SecretKind | undefined {
    const { depth, names, from } = this.walk;
    const name = names[depth - 1];
    if (typeof name === 'string') {
      const secret = this.tools.rules.secrets && this.place === 'oauth' ? oauthMemberKind(name, depth) : undefined;
      if (secret) return secret;
      if (this.tools.rules.keys.has(name.toLowerCase())) return 'key';
    }
    const isHit = this.branches[depth]?.isHit === true || this.shadowed.has(from);
    return isHit || (this.isUncertain && this.mayBeHit()) ? 'path' : undefined;
  }

  /** At the top of JSON that is not all there, or too much: what paths cannot mean, such as the id of a message, stays. */
  private mayBeHit(): boolean {
    const { depth, names, kind } = this.walk;
    if (depth > 1) return false;
    const name = depth === 0 ? undefined : (names[0] as Name);
    return this.tools.rules.paths.some(
      (path) =>
        path.mayEndAt(undefined) ||
        (name !== undefined && path.mayLeadInto(name) && (kind === '{' || kind === '[' || path.mayEndAt(name))),
    );
  }

  private editString(): Edit[] {
    const { from, to } = this.walk;
    const string = new JsonString(this.text.slice(from, to));
    if (!this.hit) return this.editInside(string);
    if (isOfOAuth(this.hit.kind) && isNoSecret(string.text)) return [];
    const standIn = this.tools.standIns.text(string.text, this.hit.kind);
    return standIn === string.text ? [] : [{ from, to, text: `"${standIn}${string.isClosed ? '"' : ''}` }];
  }

  private editInside(string: JsonString): Edit[] {
    const { from } = this.walk;
    if (this.isOfProtocol(string.text)) return [];
    const edits = this.editText(string.text);
    return edits.map((edit) => ({
      from: from + string.start(edit.from),
      to: from + string.start(edit.to),
      text: JSON.stringify(edit.text).slice(1, -1),
    }));
  }

  private editText(text: string): Edit[] {
    const { values, effort, rules, locations } = this.tools;
    if (this.place === 'oauth' && rules.secrets && /^https?:\/\/\S+$/i.test(text)) {
      // A device's page comes with its code in it (RFC 8628, section 3.2).
      const url = locations.redact(text, '', new Set());
      return url === text ? [] : [oneEdit(text, url)];
    }
    const inner = this.mayLookInto(text)
      ? JsonRedaction.edits(text, this.place, this.inText(), this.textDepth + 1)
      : undefined;
    if (!inner || inner.edits.length === 0) return values.edits(text, effort) ?? [];
    const after = applyEdits(text, inner.edits);
    const more = values.edits(after, effort);
    return more ? [oneEdit(text, applyEdits(after, more))] : inner.edits;
  }

  private mayLookInto(text: string): boolean {
    const { keys, values, secrets } = this.tools.rules;
    if (keys.size === 0 && values.length === 0 && !(secrets && this.place === 'oauth')) return false;
    return this.textDepth < deepestText && /^\s*[[{]/.test(text) && isJson(text);
  }

  private inText(): JsonTools {
    return { ...this.tools, earlier: new Set() };
  }

  private editScalar(): Edit[] {
    const { from, to } = this.walk;
    const token = this.text.slice(from, to);
    const { standIns, values } = this.tools;
    const isNumber = /^-?\d/.test(token);
    if (!isNumber) {
      if (!this.hit || /^(?:true|false)$/.test(token) || isNoSecret(token)) return [];
      return [{ from, to, text: `"${standIns.text(token, this.hit.kind)}"` }];
    }
    // An OAuth code is text: a number says what went wrong.
    if (this.hit ? this.hit.kind === 'code' : !values.isIn(token)) return [];
    return this.isEarlier() ? [] : [{ from, to, text: standIns.number(token) }];
  }

  /** Expressions that look like dates and versions leave alone what says which protocol this is. */
  private isOfProtocol(text: string): boolean {
    const name = this.walk.names.at(-1);
    if (name === 'jsonrpc') return text === '2.0';
    return typeof name === 'string' && name.endsWith('protocolVersion') && revisions.some(({ date }) => date === text);
  }

  private isEarlier(): boolean {
    if (this.earlier.size === 0) return false;
    const { names, depth } = this.walk;
    for (let length = depth; length >= 0; length--) if (this.earlier.has(pointer(names, length))) return true;
    return false;
  }

  private name(): void {
    const place = pointer(this.walk.names, this.hit?.depth ?? this.walk.depth);
    if (this.places.has(place)) return;
    if (this.places.size < mostNamed) this.places.add(place);
    else this.morePlaces++;
  }

  private survey(hasPaths: boolean): void {
    const survey = surveyed(this.text);
    // Which of the two of that name was replaced earlier nobody knows.
    if (survey.shadowed.size === 0) this.earlier = this.tools.earlier;
    if (hasPaths) this.followPaths(survey);
  }

  /** Finds what the paths lead to. Where that cannot be found out, everything is a hit that they may lead to. */
  private followPaths(survey: Survey): void {
    const tree: PathTree = { isHit: false, branches: new Map() };
    this.branches[0] = tree;
    const text = this.text.replace(/^\ufeff/, '');
    if (!/^\s*(?:\{\s*"|\[\s*["[{])/.test(text) && !isJson(text)) return;
    this.shadowed = survey.shadowed;
    if (survey.deepest <= deepestFollowed && this.marked(text, tree, survey)) return;
    this.isUncertain = true;
    tree.isHit = !isJsonSoFar(text);
  }

  private marked(text: string, tree: PathTree, { deepest, count }: Survey): boolean {
    try {
      const document: unknown = JSON.parse(text);
      return this.tools.rules.paths.every(
        (path) => count * deepest ** Math.max(0, path.descents - 1) <= mostLooks && path.mark(document, tree),
      );
    } catch {
      return false;
    }
  }
}

/** It is JSON, or would be if it went on; or several values of JSON are, on a line each. */
function isJsonSoFar(text: string): boolean {
  if (beginsJson(text)) return true;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const last = lines.pop() ?? '';
  return lines.length > 0 && lines.every(isJson) && beginsJson(last);
}

function beginsJson(text: string): boolean {
  const scanner = new JsonScanner();
  const bytes = writeUtf8(text);
  scanner.reset();
  scanner.feed(bytes, 0, bytes.length);
  return !scanner.isBroken;
}

const isOfOAuth = (kind: SecretKind): boolean => kind !== 'key' && kind !== 'path';

interface Survey {
  /** Where values begin that stand before another of the same name: a parser does not see them, so no path leads there. */
  shadowed: ReadonlySet<number>;
  deepest: number;
  count: number;
}

function surveyed(text: string): Survey {
  const walk = new JsonWalk(text);
  const shadowed = new Set<number>();
  const members: (Map<Name, number> | undefined)[] = [];
  while (walk.next()) {
    const { depth, names, from } = walk;
    const name = names[depth - 1];
    if (typeof name === 'string') {
      const before = members[depth]?.get(name);
      if (before !== undefined) shadowed.add(before);
      members[depth]?.set(name, from);
    }
    if (walk.kind === '{') members[depth + 1] = new Map();
  }
  return { shadowed, deepest: walk.deepest, count: walk.count };
}

const pointer = (names: readonly Name[], length: number): string =>
  names
    .slice(0, length)
    .map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
