import { isObject, type JsonObject } from '../../protocol/message.ts';
import { metaKeys } from '../../protocol/revision.ts';
import type { FramedMessage } from '../unit.ts';
import { byteCount, counted } from '../amounts.ts';
import { excerpt, excerptOfMember, flowing } from './excerpt.ts';

/** What a response says, in one line. */
export function answerBrief({ message, json }: FramedMessage): string {
  if (message.kind !== 'response') return '';
  if (json.length === 0) return 'too long to be read';
  const { error, result } = message;
  const both = error !== undefined && error !== null && result !== undefined ? ' (and a result beside it)' : '';
  if (error !== undefined && error !== null) return errorBrief(error, json) + both;
  if (result === undefined) return 'neither result nor error';
  return resultBrief(result, json);
}

function errorBrief(error: unknown, json: Uint8Array): string {
  const message = isObject(error) ? error['message'] : undefined;
  if (typeof message !== 'string') return excerptOfMember(json, ['error']) ?? '';
  return `${excerptOfMember(json, ['error', 'code']) ?? 'no code'} ${flowing(message)}`;
}

/** The lists that a result may be, and what to call their elements. */
const lists: readonly (readonly [string, string])[] = [
  ['tools', 'tool'],
  ['prompts', 'prompt'],
  ['resources', 'resource'],
  ['resourceTemplates', 'resource template'],
  ['roots', 'root'],
  ['tasks', 'task'],
];

function resultBrief(result: unknown, json: Uint8Array): string {
  const spelled = (...path: string[]): string => excerptOfMember(json, ['result', ...path]) ?? '';
  if (!isObject(result)) return spelled();
  if (result['isError'] === true) return `isError ${contentBrief(result['content']) ?? spelled()}`;
  for (const [member, thing] of lists) {
    const list = result[member];
    if (Array.isArray(list)) return counted(list.length, thing) + (hasMore(result) ? ', and more to ask for' : '');
  }
  return peerBrief(result) ?? wantedInput(result) ?? saidBrief(result, spelled) ?? otherBrief(result, spelled);
}

const hasMore = (result: JsonObject): boolean => typeof result['nextCursor'] === 'string';

/** The answer to `initialize` or `server/discover`: who is there, and what it speaks. */
function peerBrief(result: JsonObject): string | undefined {
  const { serverInfo, protocolVersion, supportedVersions } = result;
  const versions = Array.isArray(supportedVersions) ? (supportedVersions as unknown[]) : [protocolVersion];
  const spoken = versions.filter((version) => typeof version === 'string').map(excerpt);
  if (spoken.length === 0) return undefined;
  const meta = isObject(result['_meta']) ? result['_meta'][metaKeys.serverInfo] : undefined;
  const info = isObject(serverInfo) ? serverInfo : isObject(meta) ? meta : {};
  const name = [info['name'], info['version']].filter((part) => typeof part === 'string').map(excerpt);
  return `${name.length > 0 ? name.join(' ') : 'a server without a name'}, speaks ${spoken.join(', ')}`;
}

function wantedInput(result: JsonObject): string | undefined {
  if (result['resultType'] !== 'input_required') return undefined;
  const requests = isObject(result['inputRequests']) ? Object.entries(result['inputRequests']) : [];
  const wanted = requests.map(([key, request]) => {
    const method = isObject(request) && typeof request['method'] === 'string' ? request['method'] : 'unknown';
    return `${excerpt(key)} (${excerpt(method)})`;
  });
  return `input required: ${wanted.length > 0 ? wanted.join(', ') : 'only a state to send back'}`;
}

type Spelled = (...path: string[]) => string;

/** Results that say something: contents, messages, completions, a person's answer. */
function saidBrief(result: JsonObject, spelled: Spelled): string | undefined {
  const { content, contents, messages, completion, action, task } = result;
  if (Array.isArray(contents)) return resourceBrief(contents[0], contents.length);
  if (Array.isArray(messages)) {
    const [first] = messages as unknown[];
    const said = isObject(first) ? contentBrief(first['content']) : undefined;
    return `${counted(messages.length, 'message')}${said === undefined ? '' : `: ${said}`}`;
  }
  if (isObject(completion) && Array.isArray(completion['values'])) return spelled('completion', 'values');
  if (typeof action === 'string') return `${excerpt(action)} ${content === undefined ? '' : spelled('content')}`.trim();
  if (isObject(task)) return `task ${excerpt(String(task['taskId']))} is ${excerpt(String(task['status']))}`;
  return contentBrief(content);
}

function otherBrief(result: JsonObject, spelled: Spelled): string {
  if (result['structuredContent'] !== undefined) return spelled('structuredContent');
  const members = Object.keys(result).filter((name) => name !== '_meta' && name !== 'resultType');
  return members.length === 0 ? '' : spelled();
}

/** What the first block of a content says, and how many more there are. */
function contentBrief(content: unknown): string | undefined {
  const blocks = Array.isArray(content) ? (content as unknown[]) : [content];
  const [first] = blocks;
  if (!isObject(first)) return undefined;
  const more = blocks.length > 1 ? ` (and ${counted(blocks.length - 1, 'more block')})` : '';
  return blockBrief(first) + more;
}

function blockBrief(block: JsonObject): string {
  const { type, text, data, mimeType, uri, resource, name } = block;
  if (typeof text === 'string') return flowing(text);
  const kind = excerpt(typeof mimeType === 'string' ? mimeType : String(type));
  if (typeof data === 'string') return `${kind}, ${byteCount(Math.floor((data.length * 3) / 4))}`;
  if (typeof uri === 'string') return excerpt(uri);
  if (isObject(resource)) return resourceBrief(resource, 1);
  return typeof name === 'string' ? `${kind} ${excerpt(name)}` : kind;
}

function resourceBrief(resource: unknown, count: number): string {
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  if (!isObject(resource)) return counted(count, 'content');
  const { text, blob, uri, mimeType } = resource;
  if (typeof text === 'string') return flowing(text) + more;
  const kind = typeof mimeType === 'string' ? excerpt(mimeType) : 'bytes';
  if (typeof blob === 'string') return `${kind}, ${byteCount(Math.floor((blob.length * 3) / 4))}${more}`;
  return (typeof uri === 'string' ? excerpt(uri) : kind) + more;
}
