import { isObject, type JsonObject } from '../protocol/message.ts';
import { shownJson } from './shown-json.ts';

/** The lists of a server, by the members of the results that hold them. */
export type ListedMember = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** What items of a list are told apart by. */
const keys = { tools: 'name', resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const;

const nouns = { tools: 'tool', resources: 'resource', resourceTemplates: 'template', prompts: 'prompt' } as const;

/** So many flaws are told of a list. */
const most = 20;

/**
 * What is wrong with the definitions in a list, as far as it makes a host take another one than was meant, or none
 * (server/tools, server/resources, server/prompts). Schemas that are legal are never remarked on.
 *
 * @param revision of the connection: what an `outputSchema` may be depends on it
 */
export function definitionFlaws(member: ListedMember, items: readonly JsonObject[], revision: string): string[] {
  const flaws = [
    ...unnamed(member, items),
    ...repeated(member, items),
    ...(member === 'tools' ? items.flatMap((tool) => toolFlaws(tool, revision)) : []),
    ...(member === 'prompts' ? items.flatMap(promptFlaws) : []),
  ];
  const rest = flaws.length - most;
  return rest > 0 ? [...flaws.slice(0, most), `and ${rest} more of this kind`] : flaws;
}

function unnamed(member: ListedMember, items: readonly JsonObject[]): string[] {
  const key = keys[member];
  return items.flatMap((item, index) => {
    const value = item[key];
    if (typeof value === 'string' && value !== '') return [];
    const what = value === undefined ? `no ${key}` : `a ${key} that is ${shownJson(value)}`;
    return [`${nouns[member]} ${index + 1} has ${what}: it cannot be asked for`];
  });
}

function repeated(member: ListedMember, items: readonly JsonObject[]): string[] {
  const key = keys[member];
  const counts = new Map<string, number>();
  for (const { [key]: value } of items) {
    if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([value, count]) => `${count} ${nouns[member]}s have the ${key} ${shownJson(value)}: hosts take either one`);
}

/** Where the root of an `outputSchema` may be anything (SEP-2106). */
const anyOutputSince = '2026-07-28';

function toolFlaws(tool: JsonObject, revision: string): string[] {
  const { inputSchema, outputSchema } = tool;
  const who = `the tool ${shownJson(tool['name'])}`;
  const flaws: string[] = [];
  if (inputSchema === undefined) flaws.push(`${who} has no inputSchema`);
  else if (!isObject(inputSchema)) flaws.push(`${who} has an inputSchema that is ${shownJson(inputSchema)}, no object`);
  else if (inputSchema['type'] !== 'object') flaws.push(`${who} has an inputSchema without "type": "object"`);
  if (outputSchema !== undefined) flaws.push(...outputFlaws(who, outputSchema, revision));
  for (const [name, schema] of Object.entries({ inputSchema, outputSchema })) {
    const reference = foreignReference(schema);
    if (reference !== undefined) {
      flaws.push(`${who} has an ${name} that refers to ${shownJson(reference)}: that is not fetched, and not checked`);
    }
  }
  return flaws;
}

function outputFlaws(who: string, schema: unknown, revision: string): string[] {
  if (!isObject(schema)) return [`${who} has an outputSchema that is ${shownJson(schema)}, no object`];
  if (revision >= anyOutputSince || schema['type'] === 'object') return [];
  return [`${who} has an outputSchema without "type": "object", which it needs before ${anyOutputSince}`];
}

const promptFlaws = (prompt: JsonObject): string[] => {
  const given = prompt['arguments'];
  return given === undefined || Array.isArray(given)
    ? []
    : [`the prompt ${shownJson(prompt['name'])} has arguments that are ${shownJson(given)}, no list`];
};

/** Members whose values are no schemas: what stands there refers to nothing. */
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** How much of a schema is looked at. */
const mostLooks = 1000;

/** A reference to another document, which is not a part of this one either. */
function foreignReference(schema: unknown): string | undefined {
  const ids = new Set<unknown>();
  const references: string[] = [];
  const left: unknown[] = [schema];
  for (let looks = 0; left.length > 0 && looks < mostLooks; looks++) {
    const value = left.pop();
    if (!isObject(value) && !Array.isArray(value)) continue;
    for (const [name, inner] of Object.entries(value as JsonObject)) {
      if (name === '$ref' && typeof inner === 'string') references.push(inner);
      else if (name === '$id') ids.add(inner);
      else if (!data.has(name) && left.length < mostLooks) left.push(inner);
    }
  }
  return references.find((one) => /^[a-z][a-z\d+.-]*:/i.test(one) && !ids.has(one.replace(/#.*$/s, '')));
}
