import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from '../../core/protocol/message.ts';
import { memberPointer, pointerNames, valueAt } from '../../core/peer/schema-reference.ts';
import { eitherOf, expectation, oneOf, typeWords, valueText } from './expectation.ts';
import type { Plan, PlainSchema } from './plan-schema.ts';

/** What is wrong with a value: where (a JSON pointer), and what was expected there. */
export interface SchemaError {
  path: string;
  message: string;
}

/** An error, and what it was that was not met. */
interface Problem extends SchemaError {
  keyword: string;
  /** Where the keyword stands, as the library says it. */
  from: string;
}

/** More than are ever told: of some two may be the same. */
const mostRead = 100;

/** Says in plain words what the library found. */
export class Problems {
  private readonly plan: Plan;
  private readonly value: unknown;

  constructor(plan: Plan, value: unknown) {
    this.plan = plan;
    this.value = value;
  }

  /** The library tells a fault, and behind it what led to it: only the latter is told, or alternatives in one sentence. */
  of(units: readonly OutputUnit[]): SchemaError[] {
    const told = new Map<string, SchemaError>();
    for (const { path, message } of this.read(units)) told.set(`${path}\n${message}`, { path, message });
    return [...told.values()];
  }

  private read(units: readonly OutputUnit[], named?: string): Problem[] {
    const problems: Problem[] = [];
    for (let index = 0; index < units.length && problems.length < mostRead; index++) {
      const unit = units[index] as OutputUnit;
      const nested = takesAll.has(unit.keyword) ? runOf(units, index + 1, unit) : [];
      index += nested.length;
      if (unit.keyword.endsWith('Contains'))
        dropWhile(problems, unit.keywordLocation.replace(/m..Contains$/, 'contains'));
      if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') problems.push(...this.alternatives(unit, nested));
      else if (unit.keyword === 'propertyNames') problems.push(...this.wrongName(unit, nested));
      else problems.push(...this.plain(unit, named));
    }
    return problems;
  }

  /**
   * None of several forms fits. Where all but one are of another kind altogether, what is wrong with that one is told;
   * else what would have been possible.
   */
  private alternatives(unit: OutputUnit, nested: readonly OutputUnit[]): Problem[] {
    const schemas = this.schemaAt(unit.keywordLocation) as PlainSchema[];
    const branches = branchesOf(unit, nested).map((branch) => this.read(branch));
    const { instanceLocation: location } = unit;
    if (branches.length < schemas.length) {
      const fits = schemas.length - branches.length;
      return [this.problem(unit, `fits ${fits} of ${schemas.length} forms, and should fit exactly one`)];
    }
    const path = pathOf(location);
    const isOtherKind = (problem: Problem): boolean => kinds.has(problem.keyword) && problem.path === path;
    const near = branches.filter((problems) => !problems.some(isOtherKind));
    const nearest = near.filter((problems) => !problems.some(({ keyword }) => keyword === 'const'));
    const best = near.length === 1 ? near[0] : nearest.length === 1 ? nearest[0] : undefined;
    if (best) return best;
    const words = eitherOf(schemas.slice(0, 8).map((schema) => expectation(schema, this.plan.lookup)));
    const hints = branches.slice(0, 4).flatMap((problems) => problems.slice(0, 1).map(hintOf(path)));
    const isClear = near.length === 0 && words !== 'something else';
    return [
      this.problem(
        unit,
        isClear ? expected(words, this.valueOf(unit)) : `fits none of ${schemas.length} forms: ${hints.join('; or ')}`,
      ),
    ];
  }

  private wrongName(unit: OutputUnit, nested: readonly OutputUnit[]): Problem[] {
    const [first] = nested;
    if (!first) return [];
    const name = pointerNames(pathOf(first.instanceLocation))?.at(-1) ?? '';
    return this.read(nested, name).map(({ message }) =>
      this.problem(unit, `has a member with a wrong name: ${message}`),
    );
  }

  private plain(unit: OutputUnit, named: string | undefined): Problem[] {
    const wanted = this.schemaAt(unit.keywordLocation);
    const value = named ?? this.valueOf(unit);
    if (unit.keyword === 'required') return [this.missing(unit)];
    if (unit.keyword === 'not') return [this.problem(unit, this.forbidden(unit, wanted, value))];
    const message = sentences[unit.keyword]?.(wanted, value, unit.error);
    return message === undefined ? [] : [this.problem(unit, message)];
  }

  private missing(unit: OutputUnit): Problem {
    const name = unit.error.slice('Instance does not have required property "'.length, -2);
    const properties = this.schemaAt(unit.keywordLocation.replace(/required$/, 'properties'));
    const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const words = expectation(schema, this.plan.lookup);
    const message = words.startsWith('something') ? 'is missing' : `is missing: expected ${words}`;
    return { ...this.problem(unit, message), path: memberPointer(pathOf(unit.instanceLocation), name) };
  }

  /** `false` as a schema is made into `not: {}`. */
  private forbidden(unit: OutputUnit, wanted: unknown, value: unknown): string {
    if (isObject(wanted) && Object.keys(wanted).length > 0) {
      const words = expectation(wanted, this.plan.lookup);
      return words.startsWith('something')
        ? 'has a form that is not allowed'
        : expected(`anything but ${words}`, value);
    }
    const around = /^(.*)\/(?:additional|unevaluated)Properties\/not$/s.exec(unit.keywordLocation)?.[1];
    const known = around === undefined ? undefined : this.schemaAt(`${around}/properties`);
    const names = isObject(known) ? Object.keys(known) : [];
    return names.length > 0 ? `is not known here: expected ${oneOf(names)}` : 'is not allowed here';
  }

  private problem(unit: OutputUnit, message: string): Problem {
    const { keyword, keywordLocation: from } = unit;
    return { path: pathOf(unit.instanceLocation), message, keyword, from };
  }

  private valueOf(unit: OutputUnit): unknown {
    return valueAt(this.value, pointerNames(pathOf(unit.instanceLocation)) ?? []);
  }

  /** What stands at a place of the schema; the library's places lead through references. */
  private schemaAt(location: string): unknown {
    let found: unknown = this.plan.root;
    for (const name of pointerNames(pathOf(location)) ?? []) {
      const place = isObject(found) && name === '$ref' ? found['__absolute_ref__'] : undefined;
      if (typeof place === 'string') found = this.plan.lookup[place];
      else found = valueAt(found, [name]);
    }
    return found;
  }
}

/** Keywords of which one sentence tells all that led to it. */
const takesAll = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

/** Keywords that tell one kind of value from another. */
const kinds = new Set(['type', 'const', 'enum']);

const expected = (words: string, value: unknown): string => `expected ${words}, got ${valueText(value)}`;

const counted = (count: unknown, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`;

const letters = (value: unknown): string => (typeof value === 'string' ? ` (it has ${Array.from(value).length})` : '');

const lengthOf = (value: unknown): string =>
  counted(
    Array.isArray(value) ? value.length : Object.keys(value as object).length,
    Array.isArray(value) ? 'item' : 'member',
  );

/** What is said of a keyword that is not met. Those that only lead to others have no sentence. */
const sentences: Readonly<Record<string, (wanted: unknown, value: unknown, error: string) => string | undefined>> = {
  type: (wanted, value) => expected(typeWords(wanted), value),
  const: (wanted, value) => expected(valueText(wanted), value),
  enum: (wanted, value) => expected(oneOf(wanted as unknown[]), value),
  minimum: (wanted, value) => expected(`at least ${String(wanted)}`, value),
  maximum: (wanted, value) => expected(`at most ${String(wanted)}`, value),
  exclusiveMinimum: (wanted, value) => expected(`more than ${String(wanted)}`, value),
  exclusiveMaximum: (wanted, value) => expected(`less than ${String(wanted)}`, value),
  multipleOf: (wanted, value) => expected(`a multiple of ${String(wanted)}`, value),
  minLength: (wanted, value) => expected(`text of at least ${counted(wanted, 'character')}`, value) + letters(value),
  maxLength: (wanted, value) => expected(`text of at most ${counted(wanted, 'character')}`, value) + letters(value),
  pattern: (wanted, value) => expected(`text that matches ${valueText(wanted)}`, value),
  minItems: (wanted, value) => `expected at least ${counted(wanted, 'item')}, got ${lengthOf(value)}`,
  maxItems: (wanted, value) => `expected at most ${counted(wanted, 'item')}, got ${lengthOf(value)}`,
  minProperties: (wanted, value) => `expected at least ${counted(wanted, 'member')}, got ${lengthOf(value)}`,
  maxProperties: (wanted, value) => `expected at most ${counted(wanted, 'member')}, got ${lengthOf(value)}`,
  uniqueItems: (_, __, error) => `expected items that all differ${same(error)}`,
  contains: () => 'has no item of the kind that it should have',
  minContains: (wanted) => `expected at least ${counted(wanted, 'item')} of a certain kind`,
  maxContains: (wanted) => `expected at most ${counted(wanted, 'item')} of a certain kind`,
  dependentRequired: (_, __, error) => dependent(error),
  dependencies: (_, __, error) => dependent(error),
};

const same = (error: string): string => {
  const [, one, other] = / (\d+) and (\d+)/.exec(error) ?? [];
  return one === undefined ? '' : `, but ${one} and ${other} are the same`;
};

const dependent = (error: string): string | undefined => {
  const [, has, lacks] = /^Instance has (".*") but does not have (".*")\.$/s.exec(error) ?? [];
  return has === undefined ? undefined : `has ${has}, and so should have ${lacks}`;
};

const hintOf =
  (path: string) =>
  (problem: Problem): string =>
    problem.path === path ? problem.message : `${problem.path.slice(path.length)} ${problem.message}`;

/** The library's locations are fragments of URIs. */
function pathOf(location: string): string {
  try {
    return decodeURIComponent(location.slice(1));
  } catch {
    return location.slice(1);
  }
}

/** Those that follow, as long as they stand inside of one. */
function runOf(units: readonly OutputUnit[], from: number, { keywordLocation }: OutputUnit): OutputUnit[] {
  const inside = (unit: OutputUnit): boolean => unit.keywordLocation.startsWith(`${keywordLocation}/`);
  let to = from;
  while (to < units.length && inside(units[to] as OutputUnit)) to++;
  return units.slice(from, to);
}

/** What was told of each alternative that does not fit. */
function branchesOf({ keywordLocation }: OutputUnit, nested: readonly OutputUnit[]): OutputUnit[][] {
  const branches = new Map<string, OutputUnit[]>();
  for (const unit of nested) {
    const name = /^\/(\d+)/.exec(unit.keywordLocation.slice(keywordLocation.length))?.[1] ?? '';
    const branch = branches.get(name);
    if (branch) branch.push(unit);
    else branches.set(name, [unit]);
  }
  return [...branches.values()];
}

/** Takes back what was told of items that are not of the kind that is counted. */
function dropWhile(problems: Problem[], location: string): void {
  while (problems.at(-1)?.from.startsWith(`${location}/`) === true) problems.pop();
}
