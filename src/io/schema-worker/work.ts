import { isObject } from '../../core/protocol/message.ts';
import { keywords, type Shape } from './keywords.ts';
import type { Plan, PlainSchema } from './plan-schema.ts';

/** How much work may be done without a thread and a deadline: some tens of milliseconds at the worst. */
const light = 20_000;

/** References that lead to references are followed so far. */
const deepest = 200;

/** Keywords whose cost is not in proportion to the size of what they look at. */
const heavy = ['pattern', 'patternProperties', 'uniqueItems'];

/**
 * Whether a value can be checked at once: no schema stands more often in the others than can be afforded, none refers to
 * itself, and there are no regular expressions.
 */
export function isLight(plan: Plan, value: unknown): boolean {
  const size = sizeOf(value, light);
  return size <= light && new Weight(plan).of(plan.root) * size <= light;
}

/** How many schemas a value may meet at most, each as often as it is referred to. */
class Weight {
  private readonly plan: Plan;
  private readonly known = new Map<PlainSchema, number>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  of(schema: PlainSchema | boolean, depth = 0): number {
    if (typeof schema === 'boolean') return 1;
    if (depth > deepest) return Infinity;
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    // Whoever comes back here while this is being weighed has found a schema that refers to itself.
    this.known.set(schema, Infinity);
    const weight = heavy.some((keyword) => schema[keyword] !== undefined) ? Infinity : this.sum(schema, depth);
    this.known.set(schema, weight);
    return weight;
  }

  private sum(schema: PlainSchema, depth: number): number {
    const target = schema.__absolute_ref__ === undefined ? undefined : this.plan.lookup[schema.__absolute_ref__];
    let weight = 1 + (target === undefined ? 0 : this.of(target, depth + 1));
    for (const [keyword, shape] of keywords[this.plan.dialect]) {
      const value = schema[keyword];
      if (value === undefined || keyword === '$defs' || keyword === 'definitions') continue;
      if (lists.has(shape)) weight += sizeOf(value, light);
      for (const inner of schemasUnder(shape, value)) weight += this.of(inner, depth + 1);
    }
    return weight;
  }
}

const lists = new Set<Shape>(['any', 'values', 'names', 'names-map']);

function schemasUnder(shape: Shape, value: unknown): (PlainSchema | boolean)[] {
  if (shape === 'schema' || (shape === 'schema-or-list' && !Array.isArray(value))) return [value as PlainSchema];
  if (shape === 'schema-list' || shape === 'schema-or-list') return value as PlainSchema[];
  const isMap = shape === 'schema-map' || shape === 'pattern-map' || shape === 'dependencies';
  return isMap ? Object.values(value as Record<string, PlainSchema>).filter((one) => !Array.isArray(one)) : [];
}

/** How much there is in a value; where it is more than `most`, anything above that. */
export function sizeOf(value: unknown, most: number): number {
  const open = [value];
  let size = 0;
  while (open.length > 0 && size <= most) {
    const next = open.pop();
    size++;
    if (typeof next === 'string') size += Math.floor(next.length / 100);
    else if (Array.isArray(next)) size += push(open, next, most - size);
    else if (isObject(next)) size += push(open, Object.values(next), most - size);
  }
  return size;
}

/** @returns what is counted at once: only what is too much */
function push(open: unknown[], values: readonly unknown[], most: number): number {
  if (values.length > most) return values.length;
  for (const value of values) open.push(value);
  return 0;
}
