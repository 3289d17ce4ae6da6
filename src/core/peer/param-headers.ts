import { isObject, type JsonObject } from '../protocol/message.ts';
import { base64Length, writeBase64 } from '../wire/base64.ts';
import { readLatin1 } from '../wire/latin1.ts';
import { writeUtf8 } from '../wire/utf8.ts';

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~\w-]+$/;
const mirrored: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** A property that a tool wants said in a header too. */
interface Annotated {
  /** The names of the properties from the outside in. */
  path: readonly string[];
  name: unknown;
  type: unknown;
}

/**
 * The `Mcp-Param-*` lines of a call (2026-07-28: basic/transports/streamable-http, custom headers from tool parameters):
 * one for each annotated argument that is there and not null. What is annotated wrongly has none.
 */
export function paramHeaders(inputSchema: unknown, args: unknown): [name: string, value: string][] {
  const lines = new Map<string, [string, string]>();
  for (const one of annotatedIn(inputSchema)) {
    const { name } = one;
    const value = spelled(valueAt(args, one.path));
    if (faultOf(one) !== undefined || typeof name !== 'string' || value === undefined) continue;
    if (!lines.has(name.toLowerCase())) lines.set(name.toLowerCase(), [`Mcp-Param-${name}`, value]);
  }
  return [...lines.values()];
}

/**
 * What is wrong with the annotations of a tool, if anything: a client leaves such a tool out of its list (2026-07-28:
 * server/tools, x-mcp-header). It must be reached by `properties` alone, so it is looked for everywhere else too.
 */
export function annotationFault(inputSchema: unknown): string | undefined {
  const all = annotatedIn(inputSchema);
  const fault = all.map(faultOf).find((one) => one !== undefined);
  if (fault !== undefined) return fault;
  const names = new Set(all.map(({ name }) => String(name).toLowerCase()));
  if (names.size < all.length) return `${annotation} names the same header twice`;
  return countIn(inputSchema) > all.length ? `${annotation} stands where no argument is sure to be` : undefined;
}

/**
 * A value as it can stand in a header line: what is not plain visible ASCII, has outer blanks, or looks like the wrapper
 * is wrapped (2026-07-28: basic/transports/streamable-http, value encoding).
 */
export function headerText(text: string): string {
  const isPlain = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = writeUtf8(text);
  const wrapped = new Uint8Array(base64Length(bytes.length));
  writeBase64(bytes, 0, bytes.length, wrapped, 0);
  return `=?base64?${readLatin1(wrapped)}?=`;
}

function annotatedIn(schema: unknown, path: readonly string[] = []): Annotated[] {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(properties) || path.length >= deepest) return [];
  const found: Annotated[] = [];
  for (const [property, one] of Object.entries(properties)) {
    const here = [...path, property];
    if (isObject(one) && annotation in one) found.push({ path: here, name: one[annotation], type: one['type'] });
    found.push(...annotatedIn(one, here));
  }
  return found;
}

/** A schema of a stranger may be nested without measure. */
const deepest = 100;

function faultOf({ path, name, type }: Annotated): string | undefined {
  const where = `${annotation} of ${path.join('.')}`;
  if (typeof name !== 'string' || !token.test(name)) return `${where} is no name of a header: ${JSON.stringify(name)}`;
  return mirrored.has(type) ? undefined : `${where} is on a property that is no string, integer or boolean`;
}

/** How many annotations there are, wherever they stand. Data such as a `default` is no schema. */
function countIn(schema: unknown, isNames = false, depth = 0): number {
  if (depth > deepest * 2) return 0;
  if (Array.isArray(schema)) return sum(schema.map((one) => countIn(one, false, depth + 1)));
  if (!isObject(schema)) return 0;
  const below = Object.entries(schema).map(([name, one]) =>
    !isNames && data.has(name) ? 0 : countIn(one, !isNames && named.has(name), depth + 1),
  );
  return sum(below) + (!isNames && annotation in schema ? 1 : 0);
}

const data: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', annotation]);
/** Their members are schemas by names of the author's own. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Nothing for what has no place in a header. */
function spelled(value: unknown): string | undefined {
  if (typeof value === 'string') return headerText(value);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : undefined;
}

/** Where a method says what it is about. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** `Mcp-Method` and `Mcp-Name` of a request (2026-07-28: basic/transports/streamable-http, standard request headers). */
export function standardHeaders({ method, params }: JsonObject): [name: string, value: string][] {
  if (typeof method !== 'string') return [];
  const member = Object.hasOwn(nameMembers, method) ? (nameMembers[method] as string) : '';
  const name = isObject(params) ? params[member] : undefined;
  const lines: [string, string][] = [['Mcp-Method', headerText(method)]];
  return typeof name === 'string' ? [...lines, ['Mcp-Name', headerText(name)]] : lines;
}
