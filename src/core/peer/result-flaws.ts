import { isObject, type JsonObject } from '../protocol/message.ts';
import { type Era, eraOf } from '../protocol/revision.ts';
import { shownJson } from './shown-json.ts';

/** So many flaws are told of a result. */
const most = 10;

/** What a result answers. */
export interface Answered {
  method: string;
  revision: string;
  /** Of a call: the tool, as it was listed. */
  tool?: JsonObject | undefined;
}

/**
 * Why a result cannot be taken as one; nothing where it can. A modern `resultType` that nobody knows makes it invalid
 * (2026-07-28: basic, result responses).
 */
export function whyNoResult(result: unknown, era: Era): string | undefined {
  if (result === undefined) return 'the answer has neither a result nor an error';
  if (!isObject(result)) return `the result is no object: ${shownJson(result)}`;
  const { resultType } = result;
  if (era === 'legacy' || resultType === undefined || knownTypes.has(resultType)) return undefined;
  return `the result is of a type that nobody knows: resultType is ${shownJson(resultType)}`;
}

const knownTypes: ReadonlySet<unknown> = new Set(['complete', 'input_required', 'task']);

/**
 * What is wrong with a result, as far as it keeps something from who asked (server/tools, tool result; server/resources,
 * server/prompts).
 */
export function resultFlaws(result: JsonObject, answered: Answered): string[] {
  if (result['resultType'] === 'task' || isObject(result['task'])) return [];
  const flaws = flawsOf(result, answered);
  const rest = flaws.length - most;
  return rest > 0 ? [...flaws.slice(0, most), `and ${rest} more of this kind`] : flaws;
}

function flawsOf(result: JsonObject, answered: Answered): string[] {
  switch (answered.method) {
    case 'tools/call':
      return [
        ...listFlaws(result, 'content', (block, where) => blockFlaws(block, where)),
        ...callFlaws(result, answered),
      ];
    case 'resources/read':
      return listFlaws(result, 'contents', (one, where) => contentsFlaws(one, where));
    case 'prompts/get':
      return listFlaws(result, 'messages', messageFlaws);
    case 'completion/complete': {
      const { completion } = result;
      return isObject(completion)
        ? listFlaws(completion, 'values', () => [], 'string')
        : ['the result has no completion'];
    }
    default:
      return [];
  }
}

function callFlaws(result: JsonObject, { revision, tool }: Answered): string[] {
  const { isError, structuredContent } = result;
  const flaws: string[] = [];
  if (isError !== undefined && typeof isError !== 'boolean') {
    flaws.push(`isError is ${shownJson(isError)}, where only true says that the tool failed`);
  }
  // What a tool gives when it fails has any form.
  if (isError === true) return flaws;
  if (structuredContent === undefined && tool?.['outputSchema'] !== undefined) {
    flaws.push('the tool has an outputSchema, and its result no structuredContent');
  }
  if (structuredContent !== undefined && !isObject(structuredContent) && eraOf(revision) === 'legacy') {
    flaws.push(`structuredContent is ${noun(structuredContent)}, and has to be an object in ${revision}`);
  }
  return flaws;
}

/** A member that has to be a list, and what is in it. */
function listFlaws(
  object: JsonObject,
  member: string,
  ofEach: (one: JsonObject, where: string) => string[],
  kind: 'object' | 'string' = 'object',
): string[] {
  const given = object[member];
  if (given === undefined) return [`the result has no ${member}`];
  if (!Array.isArray(given)) return [`${member} is ${noun(given)}, and has to be a list`];
  return given.flatMap((one: unknown, index) => {
    const where = `${member}[${index}]`;
    if (kind === 'string') return typeof one === 'string' ? [] : [`${where} is ${noun(one)}, and no text`];
    return isObject(one) ? ofEach(one, where) : [`${where} is ${noun(one)}, and has to be an object`];
  });
}

/** What each kind of content has to have. */
const needed: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

function blockFlaws(block: JsonObject, where: string): string[] {
  const { type, resource } = block;
  if (type === 'resource') {
    return isObject(resource) ? contentsFlaws(resource, `${where}.resource`) : [`${where} has no resource`];
  }
  const members = needed.get(type);
  if (!members) return [`${where} is of a kind that nobody knows: its type is ${shownJson(type)}`];
  const missing = members
    .filter((member) => typeof block[member] !== 'string')
    .map((member) => `${where}, of type ${shownJson(type)}, has no ${member}${member in block ? ' that is text' : ''}`);
  return [...missing, ...(members.includes('data') ? base64Flaws(block['data'], `${where}.data`) : [])];
}

function contentsFlaws(contents: JsonObject, where: string): string[] {
  const { uri, text, blob } = contents;
  const flaws = typeof uri === 'string' ? [] : [`${where} has no uri`];
  if (typeof text !== 'string' && typeof blob !== 'string') flaws.push(`${where} has neither a text nor a blob`);
  return [...flaws, ...base64Flaws(blob, `${where}.blob`)];
}

function messageFlaws(message: JsonObject, where: string): string[] {
  const { role, content } = message;
  const flaws =
    role === 'user' || role === 'assistant' ? [] : [`${where} has the role ${shownJson(role)}, not user or assistant`];
  if (!isObject(content)) return [...flaws, `${where} has content that is ${noun(content)}, and has to be an object`];
  return [...flaws, ...blockFlaws(content, `${where}.content`)];
}

function base64Flaws(data: unknown, where: string): string[] {
  return typeof data !== 'string' || isBase64(data)
    ? []
    : [`${where} is no base64: it begins with ${shownJson(data.slice(0, 24))}`];
}

/** RFC 4648, section 4; line ends and left-out padding, which many encoders make, lose nothing. */
export const isBase64 = (text: string): boolean => {
  const { length } = text.replace(/[\r\n]+/g, '').replace(/={1,2}$/, '');
  return length % 4 !== 1 && !/[^A-Za-z0-9+/\r\n=]/.test(text) && !/=[^=\r\n]/.test(text) && !/===/.test(text);
};

const noun = (value: unknown): string => {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : shownJson(value);
};
