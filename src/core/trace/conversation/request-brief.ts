import { isObject, type JsonObject } from '../../protocol/message.ts';
import type { FramedMessage } from '../unit.ts';
import { excerpt, excerptOfMember, flowing } from './excerpt.ts';

/** What is asked, in two parts: the method with what it is about, and the arguments in brief. */
export interface RequestBrief {
  subject: string;
  detail: string;
}

/** A request or notification in brief. */
export function requestBrief({ message, json }: FramedMessage): RequestBrief {
  if (message.kind === 'response') return { subject: '', detail: '' };
  if (message.method === '' && json.length === 0) return { subject: 'a message too long to be read', detail: '' };
  const method = excerpt(message.method);
  const params = isObject(message.params) ? message.params : undefined;
  const about = params && aboutWhat(message.method, params);
  return {
    subject: about === undefined ? method : `${method} ${excerpt(about)}`,
    detail: params ? detailOf(message.method, params, json) : (excerptOfMember(json, ['params']) ?? ''),
  };
}

/** The tool, the prompt, the resource that a request names. */
function aboutWhat(method: string, params: JsonObject): string | undefined {
  const { name, uri, ref, level, taskId } = params;
  if (method === 'tools/call' || method === 'prompts/get') return text(name);
  if (method.startsWith('resources/') || method === 'notifications/resources/updated') return text(uri);
  if (method === 'completion/complete' && isObject(ref)) return text(ref['name']) ?? text(ref['uri']);
  if (method === 'logging/setLevel') return text(level);
  return method.startsWith('tasks/') ? text(taskId) : undefined;
}

function detailOf(method: string, params: JsonObject, json: Uint8Array): string {
  const spelled = (...path: string[]): string => excerptOfMember(json, ['params', ...path]) ?? '';
  const { message, data, level, progress } = params;
  if (method === 'notifications/message') {
    const logged = typeof data === 'string' ? flowing(data) : spelled('data');
    return typeof level === 'string' ? `${excerpt(level)}: ${logged}` : logged;
  }
  if (method === 'notifications/progress' && progress !== undefined) return progressBrief(params, json);
  if (method === 'notifications/cancelled') return said(params['reason']);
  if (method === 'elicitation/create') return said(message);
  if (method === 'sampling/createMessage') return sampled(params);
  if (params['arguments'] !== undefined) return spelled('arguments');
  if (params['argument'] !== undefined) return spelled('argument');
  if (typeof params['cursor'] === 'string') return `cursor ${spelled('cursor')}`;
  return isKnownToNeedNoDetail(method, params) ? '' : spelled();
}

/** `3/10 message`, the numbers as they are spelled. */
export function progressBrief({ total, message }: JsonObject, json: Uint8Array): string {
  const spelled = (name: string): string => excerptOfMember(json, ['params', name]) ?? '';
  const reached = spelled('progress') + (total === undefined ? '' : `/${spelled('total')}`);
  return typeof message === 'string' ? `${reached} ${flowing(message)}` : reached;
}

function sampled({ messages }: JsonObject): string {
  const [first] = Array.isArray(messages) ? (messages as unknown[]) : [];
  const content = isObject(first) ? first['content'] : undefined;
  const [block] = Array.isArray(content) ? (content as unknown[]) : [content];
  return isObject(block) ? said(block['text']) : '';
}

/** Its params say nothing beyond the subject: they are empty, hold only metadata, or are the handshake's. */
function isKnownToNeedNoDetail(method: string, params: JsonObject): boolean {
  if (method === 'initialize' || method === 'tools/call' || method === 'prompts/get') return true;
  return Object.keys(params).every((name) => ['_meta', 'name', 'uri', 'level', 'taskId'].includes(name));
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const said = (value: unknown): string => (typeof value === 'string' ? flowing(value) : '');
