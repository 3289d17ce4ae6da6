import { isObject, type Message, readMessages } from '../protocol/message.ts';
import { metaKeys } from '../protocol/revision.ts';
import { readUtf8 } from '../wire/utf8.ts';
import type { Closed, Counts, FrameEvent, TraceHeader } from './format.ts';
import { parseBody } from './parse-body.ts';
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
  /** Nothing where there are no sums here and these bytes are not the whole trace. */
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
    const before = bytes.lastIndexOf(newline, end - 1);
    if (before < 0 && !isWhole) return summary;
    const event = readRecord(bytes.subarray(before + 1, end));
    end = before;
    if (!event) continue;
    summary.length ??= event.at;
    if (event.kind === 'closed') summary.closed ??= event.closed;
    else if (event.kind === 'frame') count(event, after);
    else if (event.kind === 'sums' && event.counts) return { ...summary, counts: added(event.counts, after) };
  }
  return { ...summary, counts: isWhole ? after : undefined };
}

/** What came after the last sums, which counts all that was before. */
function count(event: FrameEvent, counts: Counts): void {
  if (event.form !== 'msg') return;
  const messages = readMessages(parseBody(event.bytes));
  counts.messages += messages.length;
  counts.errors += messages.filter(isError).length;
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
  if (event.from !== 'server' || event.form !== 'msg') return undefined;
  const text = readUtf8(event.bytes);
  if (text === undefined || !text.includes('serverInfo')) return undefined;
  for (const message of readMessages(parseBody(event.bytes))) {
    const result = message.kind === 'response' ? message.result : undefined;
    if (!isObject(result)) continue;
    const meta = isObject(result['_meta']) ? result['_meta'][metaKeys.serverInfo] : undefined;
    const info = isObject(result['serverInfo']) ? result['serverInfo'] : meta;
    if (!isObject(info) || typeof info['name'] !== 'string') continue;
    return typeof info['version'] === 'string' ? `${info['name']} ${info['version']}` : info['name'];
  }
  return undefined;
}
