import { isObject, type Message, readMessages } from '../protocol/message.ts';
import { metaKeys } from '../protocol/revision.ts';
import { readSseEvent } from '../wire/sse-framer.ts';
import { readUtf8, writeUtf8 } from '../wire/utf8.ts';
import type { Closed, Counts, FrameEvent, TraceHeader } from './format.ts';
import { parseBody } from '../wire/parse-body.ts';
import { parseObject, readRecord } from './read-record.ts';
import { readHeader } from './upgrade.ts';

/** What the first bytes of a trace say of it. */
export interface HeadSummary {
  header: TraceHeader;
  /** Name and version that the server gave itself. */
  server: string | undefined;
  /** Milliseconds from the start to the last whole record here. */
  length: number;
  /** They end inside what may be the record that names the server. */
  needsMore: boolean;
}

/** What the last bytes of a trace say of it. */
export interface TailSummary {
  /** Milliseconds from the start to the last record; nothing where there is no whole one here. */
  length: number | undefined;
  /** Nothing where there are no counts here and these bytes are not the whole trace. */
  counts: Counts | undefined;
  closed: Closed | undefined;
}

const newline = 0x0a;

/**
 * @param isWhole Nothing follows these bytes.
 * @throws WireproofError `trace-unreadable`
 */
export function summarizeHead(bytes: Uint8Array, isWhole: boolean): HeadSummary | undefined {
  const firstNewline = bytes.indexOf(newline);
  if (firstNewline < 0 && !isWhole) return undefined;
  const header = readHeader(parseObject(firstNewline < 0 ? bytes : bytes.subarray(0, firstNewline)));
  let length = 0;
  let at = firstNewline < 0 ? bytes.length : firstNewline + 1;
  for (let end = bytes.indexOf(newline, at); end >= 0; end = bytes.indexOf(newline, at)) {
    const event = readRecord(bytes.subarray(at, end));
    at = end + 1;
    if (!event) continue;
    length = event.at;
    const server = event.kind === 'frame' ? serverInfo(event) : undefined;
    if (server !== undefined) return { header, server, length, needsMore: false };
  }
  return { header, server: undefined, length, needsMore: !isWhole && isFromServer(bytes.subarray(at)) };
}

/** @param isWhole These bytes are the whole trace; else the first line may be cut, and is passed over. */
export function summarizeTail(bytes: Uint8Array, isWhole: boolean): TailSummary {
  const summary: TailSummary = { length: undefined, counts: undefined, closed: undefined };
  const after = { messages: 0, errors: 0 };
  let end = bytes.lastIndexOf(newline);
  while (end > 0) {
    const start = bytes.lastIndexOf(newline, end - 1) + 1;
    if (start === 0 && !isWhole) return summary;
    const event = readRecord(bytes.subarray(start, end));
    end = start - 1;
    if (!event) continue;
    summary.length ??= event.at;
    if (event.kind === 'closed') summary.closed ??= event.closed;
    else if (event.kind === 'frame') count(event, after);
    const before = 'counts' in event ? event.counts : undefined;
    if (before) return { ...summary, counts: added(before, after) };
  }
  return { ...summary, counts: isWhole ? after : undefined };
}

/** What came after the last counts, which tell of all that was before. */
function count(event: FrameEvent, counts: Counts): void {
  const messages = messagesIn(event);
  counts.messages += messages.length;
  counts.errors += messages.filter(isError).length;
}

/** On HTTP, JSON may stand on several lines, and is told once where it passed in two forms. */
function messagesIn(event: FrameEvent): Message[] {
  const { form, bytes, s, leg, isEvent, part } = event;
  if (s === undefined) return form === 'msg' ? readMessages(parseBody(bytes)) : [];
  if (leg === 'server' || form === 'b64' || part !== undefined) return [];
  return readMessages(parseBody(isEvent ? writeUtf8(readSseEvent(bytes, true).data ?? '') : bytes));
}

function isError(message: Message): boolean {
  if (message.kind !== 'response') return false;
  return message.error !== undefined || (isObject(message.result) && message.result['isError'] === true);
}

const added = (one: Counts, other: Counts): Counts => ({
  messages: one.messages + other.messages,
  errors: one.errors + other.errors,
});

const isFromServer = (line: Uint8Array): boolean =>
  /^\{[^{]*"from":"server"/.test(readUtf8(line.subarray(0, 200)) ?? '');

/** As the server calls itself: in the answer to `initialize`, or in the `_meta` of a result. */
function serverInfo(event: FrameEvent): string | undefined {
  if (event.from !== 'server' || readUtf8(event.bytes)?.includes('serverInfo') !== true) return undefined;
  for (const message of messagesIn(event)) {
    const result = message.kind === 'response' ? message.result : undefined;
    if (!isObject(result)) continue;
    const meta = isObject(result['_meta']) ? result['_meta'][metaKeys.serverInfo] : undefined;
    const info = isObject(result['serverInfo']) ? result['serverInfo'] : meta;
    if (!isObject(info) || typeof info['name'] !== 'string') continue;
    return typeof info['version'] === 'string' ? `${info['name']} ${info['version']}` : info['name'];
  }
  return undefined;
}
