import { isBase64 } from '../../core/peer/result-flaws.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { sizeText } from './amounts.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Ink } from './ink.ts';

/** Keeps an image, a sound or another file that came in a result. @returns where it is */
export type KeepFile = (data: Uint8Array, mimeType: string) => Promise<string>;

/** The result of a tool, as a person wants it (server/tools, tool result). */
export async function toolResultText(result: JsonObject, ink: Ink, keep: KeepFile): Promise<string[]> {
  const { content, structuredContent: structured } = result;
  if (!Array.isArray(content) && structured === undefined) return unusualText(result);
  const blocks: unknown[] = Array.isArray(content) ? content : [content].filter((one) => one !== undefined);
  const lines = await linesOfAll(blocks, (block) => blockText(block, ink, keep));
  if (structured !== undefined && !isSaidAlready(structured, blocks.filter(isObject)))
    lines.push(...jsonText(structured));
  return lines;
}

/** What was read of a resource (server/resources). */
export async function resourceText(result: JsonObject, ink: Ink, keep: KeepFile): Promise<string[]> {
  const { contents } = result;
  if (!Array.isArray(contents)) return unusualText(result);
  return linesOfAll(contents, (one) => contentsText(one, ink, keep));
}

/** What is no object, where it should be one, is shown as it came. */
async function linesOfAll(
  all: readonly unknown[],
  linesOfOne: (one: JsonObject) => Promise<string[]>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const one of all) for (const line of isObject(one) ? await linesOfOne(one) : jsonText(one)) lines.push(line);
  return lines;
}

/** A result without what it should have: all of it, but for what says how it was sent. */
function unusualText(result: JsonObject): string[] {
  const own = Object.entries(result).filter(([name]) => !ofEveryResult.has(name));
  return own.length > 0 ? jsonText(Object.fromEntries(own)) : [];
}

const ofEveryResult: ReadonlySet<string> = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope', 'isError']);

/** The messages of a prompt (server/prompts). */
export async function promptText(result: JsonObject, ink: Ink, keep: KeepFile): Promise<string[]> {
  const { messages } = result;
  if (!Array.isArray(messages)) return unusualText(result);
  return linesOfAll(messages, async ({ role, content }) => {
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    const lines = await linesOfAll(blocks, (block) => blockText(block, ink, keep));
    return [ink.bold(`${visibleText(String(role))}:`), ...lines];
  });
}

/** The values that a server suggests for an argument (server/utilities/completion). */
export function completionText(result: JsonObject, ink: Ink): Promise<string[]> {
  const completion = isObject(result['completion']) ? result['completion'] : {};
  const values = Array.isArray(completion['values']) ? completion['values'] : [];
  const more =
    completion['hasMore'] === true
      ? [ink.dim(`and more, ${typeof completion['total'] === 'number' ? completion['total'] : 'how many is not said'}`)]
      : [];
  return Promise.resolve([...values.map((value) => visibleText(String(value))), ...more]);
}

async function blockText(block: JsonObject, ink: Ink, keep: KeepFile): Promise<string[]> {
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return linesOf(text);
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return [await fileText(type, data, typeof mimeType === 'string' ? mimeType : '', ink, keep)];
  }
  if (type === 'resource' && isObject(resource)) return contentsText(resource, ink, keep);
  if (type === 'resource_link') {
    const facts = [block['name'], block['description']].filter((one) => typeof one === 'string').map(visibleText);
    return [`${ink.cyan(visibleText(String(block['uri'])))}  ${ink.dim(facts.join(': '))}`];
  }
  return jsonText(block);
}

async function contentsText(contents: JsonObject, ink: Ink, keep: KeepFile): Promise<string[]> {
  const { uri, text, blob, mimeType } = contents;
  const head = ink.dim(
    `${visibleText(String(uri))}${typeof mimeType === 'string' ? `, ${visibleText(mimeType)}` : ''}`,
  );
  if (typeof text === 'string') return [head, ...linesOf(text)];
  if (typeof blob === 'string')
    return [head, await fileText('file', blob, typeof mimeType === 'string' ? mimeType : '', ink, keep)];
  return [head, ...jsonText(contents)];
}

async function fileText(kind: string, data: string, mimeType: string, ink: Ink, keep: KeepFile): Promise<string> {
  // What is no base64 would be made into a file of something else.
  if (!isBase64(data))
    return ink.dim(`${kind}, ${visibleText(mimeType)}: ${data.length} characters that are no base64`);
  const bytes = Buffer.from(data, 'base64');
  const path = await keep(bytes, mimeType);
  return `${ink.cyan(visibleText(path))}  ${ink.dim(`${kind}, ${visibleText(mimeType)}, ${sizeText(bytes.length)}`)}`;
}

/** Many servers say structured content a second time as text. */
function isSaidAlready(structured: unknown, content: readonly JsonObject[]): boolean {
  const wanted = JSON.stringify(structured);
  return content.some(({ type, text }) => {
    if (type !== 'text' || typeof text !== 'string') return false;
    try {
      return JSON.stringify(JSON.parse(text)) === wanted;
    } catch {
      return false;
    }
  });
}

export const jsonText = (value: unknown): string[] => linesOf(JSON.stringify(value, undefined, 2) ?? 'nothing');

/** Text as it was meant, with what cannot be seen as escapes; tabs stay. */
const linesOf = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => line.split('\t').map(visibleText).join('\t'));
