import { isBase64 } from '../../core/peer/result-flaws.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { sizeText } from './amounts.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Ink } from './ink.ts';

/** What becomes of an image, a sound or another file that came in a result. */
export interface Attachments {
  /** @returns where it is kept */
  keep(data: Uint8Array, mimeType: string): Promise<string>;
  /** @returns what shows it in the terminal; nothing where that cannot be */
  draw(image: Uint8Array): string | undefined;
}

/** Makes lines of a result. */
export type ResultText = (result: JsonObject, ink: Ink, files: Attachments) => Promise<string[]>;

/** The result of a tool, as a person wants it (server/tools, tool result). */
export async function toolResultText(result: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const { content, structuredContent: structured } = result;
  if (!Array.isArray(content) && structured === undefined) return unusualText(result);
  const blocks: unknown[] = Array.isArray(content) ? content : [content].filter((one) => one !== undefined);
  const lines = await linesOfAll(blocks, (block) => blockText(block, ink, files));
  if (structured !== undefined && !isSaidAlready(structured, blocks.filter(isObject)))
    lines.push(...jsonText(structured));
  return lines;
}

/** What was read of a resource (server/resources). */
export async function resourceText(result: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const { contents } = result;
  if (!Array.isArray(contents)) return unusualText(result);
  return linesOfAll(contents, (one) => contentsText(one, ink, files));
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
export async function promptText(result: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const { messages } = result;
  if (!Array.isArray(messages)) return unusualText(result);
  return linesOfAll(messages, async ({ role, content }) => {
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    const lines = await linesOfAll(blocks, (block) => blockText(block, ink, files));
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

async function blockText(block: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return linesOf(text);
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return fileText(type, { data, mimeType: typeof mimeType === 'string' ? mimeType : '' }, ink, files);
  }
  if (type === 'resource' && isObject(resource)) return contentsText(resource, ink, files);
  if (type === 'resource_link') {
    const facts = [block['name'], block['description']].filter((one) => typeof one === 'string').map(visibleText);
    return [`${ink.cyan(visibleText(String(block['uri'])))}  ${ink.dim(facts.join(': '))}`];
  }
  return jsonText(block);
}

async function contentsText(contents: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const { uri, text, blob, mimeType } = contents;
  const head = ink.dim(
    `${visibleText(String(uri))}${typeof mimeType === 'string' ? `, ${visibleText(mimeType)}` : ''}`,
  );
  if (typeof text === 'string') return [head, ...linesOf(text)];
  if (typeof blob === 'string') {
    const file = { data: blob, mimeType: typeof mimeType === 'string' ? mimeType : '' };
    return [head, ...(await fileText('file', file, ink, files))];
  }
  return [head, ...jsonText(contents)];
}

/** Where it is kept, and above that the image itself, where the terminal shows it. */
async function fileText(
  kind: string,
  { data, mimeType }: { data: string; mimeType: string },
  ink: Ink,
  files: Attachments,
): Promise<string[]> {
  // What is no base64 would be made into a file of something else.
  if (!isBase64(data))
    return [ink.dim(`${kind}, ${visibleText(mimeType)}: ${data.length} characters that are no base64`)];
  const bytes = Buffer.from(data, 'base64');
  const path = await files.keep(bytes, mimeType);
  const isImage = kind === 'image' || mimeType.toLowerCase().startsWith('image/');
  const picture = isImage ? files.draw(bytes) : undefined;
  const facts = [kind, mimeType || 'of no type', sizeText(bytes.length)].map(visibleText).join(', ');
  return [...(picture === undefined ? [] : [picture]), `${ink.cyan(visibleText(path))}  ${ink.dim(facts)}`];
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

/** JSON on one line, with what cannot be seen as escapes. */
export const jsonLine = (value: unknown): string => visibleText(JSON.stringify(value) ?? 'nothing');

/** Text as it was meant, with what cannot be seen as escapes; tabs stay. */
const linesOf = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => line.split('\t').map(visibleText).join('\t'));
