import { type Message, readMessage, readMessages } from '../protocol/message.ts';
import { findMember } from '../wire/json-member.ts';
import type { Outline } from '../wire/json-scanner.ts';
import { elementTexts } from '../wire/json-text.ts';
import { readUtf8, showUtf8, writeUtf8 } from '../wire/utf8.ts';
import { firstInvalidByte } from '../wire/utf8-fault.ts';
import type { FramedMessage, FrameUnit, Stray } from './unit.ts';

/** A line before anything is known of what it says. */
export type Line = Omit<FrameUnit, 'unit' | 'messages' | 'stray'>;

/** Reads a line: the messages in it, or why there are none. What stands on stderr is neither. */
export function readFrame(line: Line, isOpen = false): FrameUnit {
  const body = line.bytes.subarray(0, line.bytes.length - line.eol.length);
  if (line.from === 'stderr') return { unit: 'frame', ...line, messages: [] };
  const text = readUtf8(body);
  const json = text === undefined ? undefined : parse(text);
  if (line.eol === '') return stray(line, unterminated(json, isOpen));
  if (text === undefined) return stray(line, { why: 'not UTF-8', offset: firstInvalidByte(body) as number });
  if (json === undefined) return stray(line, notJson(text));
  const messages = messagesOf(json.value, text, body);
  return messages.length === 0 ? stray(line, { why: 'not JSON-RPC' }) : { unit: 'frame', ...line, messages };
}

/** The messages in bytes that may be anything. */
export function readMessagesIn(bytes: Uint8Array): FramedMessage[] {
  const text = readUtf8(bytes);
  const json = text === undefined ? undefined : parse(text);
  return json ? messagesOf(json.value, text as string, bytes) : [];
}

const messagesOf = (value: unknown, text: string, body: Uint8Array): FramedMessage[] =>
  Array.isArray(value) ? readBatch(value, text) : readOne(value, body);

/** A line that is too long to keep: what was seen of its messages as it passed is all that is told. */
export function readOutlines(line: Line, outlines: readonly Outline[]): FrameUnit {
  const messages = outlinedMessages(outlines);
  if (messages.length === 0 || line.eol === '') return stray(line, { why: 'too long' });
  return { unit: 'frame', ...line, messages };
}

export const outlinedMessages = (outlines: readonly Outline[]): FramedMessage[] =>
  outlines.map(outlined).filter((message) => message !== undefined);

/** A line of which a part is missing. */
export const readIncomplete = (line: Line): FrameUnit => stray(line, { why: 'incomplete' });

export const stray = (line: Line, why: Stray): FrameUnit => ({ unit: 'frame', ...line, messages: [], stray: why });

/** Parsed JSON in a box: the value may be `null`, which is JSON too. */
export function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function unterminated(json: { value: unknown } | undefined, isOpen: boolean): Stray {
  return { why: 'unterminated', isOpen, isJson: json !== undefined, holds: json ? readMessages(json.value) : [] };
}

function notJson(text: string): Stray {
  if (/^[ \t\r]*$/.test(text)) return { why: 'blank' };
  if (text.startsWith('\ufeff')) return { why: 'not JSON', hint: 'byte-order mark' };
  // The header of a message framed as language servers do; it may follow the message before without a newline.
  if (/^Content-(?:Length|Type):/i.test(text) || /\}Content-Length:\s*\d+\s*$/i.test(text.slice(-64))) {
    return { why: 'not JSON', hint: 'Content-Length header' };
  }
  return { why: 'not JSON' };
}

function readOne(value: unknown, body: Uint8Array): FramedMessage[] {
  const message = readMessage(value);
  return message ? [framed(message, body)] : [];
}

function readBatch(values: readonly unknown[], text: string): FramedMessage[] {
  const texts = elementTexts(text);
  return values.flatMap((value, index) => {
    const message = readMessage(value);
    if (!message) return [];
    return [{ ...framed(message, writeUtf8(texts[index] as string)), batch: { index, of: values.length } }];
  });
}

function framed(message: Message, json: Uint8Array): FramedMessage {
  return message.kind === 'notification' ? { message, json } : { message, json, id: token(json, ['id'], message.id) };
}

/** A value as it is spelled in the message, or as it would be where the name of its member is spelled with escapes. */
export function token(json: Uint8Array, path: readonly string[], value: unknown): string {
  const span = findMember(json, path);
  if (span) return showUtf8(json.subarray(span.from, span.to));
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : 'null';
}

function outlined({ hasMethod, id, answers, failed }: Outline): FramedMessage | undefined {
  const json = new Uint8Array();
  const seen = { json: {}, params: undefined, result: failed ? undefined : {}, error: failed ? {} : undefined };
  if (!hasMethod && !answers) return undefined;
  if (hasMethod && id === undefined) return { message: { kind: 'notification', method: '', ...seen }, json };
  const kind = hasMethod ? 'request' : 'response';
  return { message: { kind, id, method: '', ...seen }, json, id: String(id ?? 'null') };
}
