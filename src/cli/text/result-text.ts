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
  const lines: string[] = [];
  const content = Array.isArray(result['content']) ? result['content'].filter(isObject) : [];
  for (const block of content) lines.push(...(await blockText(block, ink, files)));
  const structured = result['structuredContent'];
  if (structured !== undefined && !isSaidAlready(structured, content)) lines.push(...jsonText(structured));
  return lines;
}

/** What was read of a resource (server/resources). */
export async function resourceText(result: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const contents = Array.isArray(result['contents']) ? result['contents'].filter(isObject) : [];
  const lines: string[] = [];
  for (const one of contents) lines.push(...(await contentsText(one, ink, files)));
  return lines;
}

/** The messages of a prompt (server/prompts). */
export async function promptText(result: JsonObject, ink: Ink, files: Attachments): Promise<string[]> {
  const messages = Array.isArray(result['messages']) ? result['messages'].filter(isObject) : [];
  const lines: string[] = [];
  for (const message of messages) {
    lines.push(ink.bold(`${visibleText(String(message['role']))}:`));
    const { content } = message;
    const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
    for (const block of blocks) lines.push(...(await blockText(block, ink, files)));
  }
  return lines;
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
  const bytes = Buffer.from(data, 'base64');
  const isFaulty = !isBase64(data);
  const path = await files.keep(bytes, mimeType);
  const isImage = kind === 'image' || mimeType.toLowerCase().startsWith('image/');
  const picture = isImage && !isFaulty ? files.draw(bytes) : undefined;
  const facts = [kind, mimeType || 'of no type', sizeText(bytes.length)].map(visibleText).join(', ');
  const fault = isFaulty ? `  ${ink.yellow('(its base64 is faulty: this is what could be read of it)')}` : '';
  return [...(picture === undefined ? [] : [picture]), `${ink.cyan(visibleText(path))}  ${ink.dim(facts)}${fault}`];
}

/** RFC 4648, section 4. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

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
