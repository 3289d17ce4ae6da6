import { FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery, jsonpath, type JSONValue } from 'json-p3';
import { WireproofError } from '../../wireproof-error.ts';
import type { PathQuery, PathTree } from './compiled-rules.ts';
import { matchesExpression } from './value-pattern.ts';

const { ValueType, LogicalType } = FunctionExpressionType;
const mostDescents = 3;
/** So many places are marked one by one. */
const mostPlaces = 100_000;

class LinearEnvironment extends JSONPathEnvironment {
  constructor() {
    super({ maxRecursionDepth: 1000 });
  }

  protected override setupFilterFunctions(): void {
    super.setupFilterFunctions();
    for (const [name, isWhole] of [
      ['match', true],
      ['search', false],
    ] as const) {
      this.functionRegister.set(name, {
        argTypes: [ValueType, ValueType],
        returnType: LogicalType,
        call: (text: unknown, expression: unknown) => matchesExpression(text, expression, isWhole),
      });
    }
  }
}

const environment = new LinearEnvironment();

/** @throws WireproofError `bad-usage` */
export function compilePath(expression: string): PathQuery {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new WireproofError('bad-usage', `The path ${expression} cannot be used: ${reason}.`, { cause });
  };
  if (!expression.startsWith('$')) refuse('a JSONPath begins with $, as $.params.arguments.password does');
  let query;
  try {
    query = environment.compile(expression);
  } catch (cause) {
    return refuse((cause as Error).message.replace(/ \('.*$/s, ''), cause);
  }
  const { descents, looksBack } = ways(query);
  if (descents > mostDescents) refuse(`it goes down to any depth more than ${mostDescents} times`);
  if (looksBack) refuse('inside a filter, $ may only lead to one value, since it is looked up for each value again');
  return new Query(query, descents);
}

/** What a query costs more for than one look at each value. */
function ways(query: JSONPathQuery): { descents: number; looksBack: boolean } {
  let descents = 0;
  let looksBack = false;
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || part === environment) return;
    if (part instanceof jsonpath.JSONPathSegment && isDescent(part)) descents++;
    if (part instanceof jsonpath.expressions.RootQuery && !part.path.singularQuery()) looksBack = true;
    for (const inner of Object.values(part)) visit(inner);
  };
  visit(query.segments);
  return { descents, looksBack };
}

const isDescent = (segment: jsonpath.JSONPathSegment): boolean => segment.toString().startsWith('..');

/** The only names that a segment of a path picks; nothing where it may pick others. */
function namesPicked({ selectors }: jsonpath.JSONPathSegment): ReadonlySet<string | number> | undefined {
  const names = selectors.flatMap((selector) =>
    selector instanceof jsonpath.selectors.NameSelector ? [selector.name] : [],
  );
  return names.length === selectors.length ? new Set(names) : undefined;
}

class Query implements PathQuery {
  readonly descents: number;
  private readonly query: JSONPathQuery;

  constructor(query: JSONPathQuery, descents: number) {
    this.query = query;
    this.descents = descents;
  }

  mayLeadInto(name: string | number): boolean {
    const [first] = this.query.segments;
    if (!first || isDescent(first)) return true;
    return namesPicked(first)?.has(name) ?? true;
  }

  mayEndAt(name: string | number | undefined): boolean {
    const last = this.query.segments.at(-1);
    if (!last || name === undefined) return !last;
    return namesPicked(last)?.has(name) ?? true;
  }

  mark(document: unknown, tree: PathTree): boolean {
    let places = 0;
    for (const { location } of this.query.lazyQuery(document as JSONValue)) {
      if (++places > mostPlaces) return false;
      let branch = tree;
      for (const name of location) {
        let next = branch.branches.get(name);
        if (!next) branch.branches.set(name, (next = { isHit: false, branches: new Map() }));
        branch = next;
      }
      branch.isHit = true;
    }
    return true;
  }
}
