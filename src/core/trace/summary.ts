import { isObject } from '../protocol/message.ts';
import { metaKeys } from '../protocol/revision.ts';
import type { Closed, Counts, TraceEvent, TraceHeader } from './format.ts';
import { TraceReader, type TraceItem } from './trace-reader.ts';
import { parseBody } from './parse-body.ts';

/** What a trace says of itself at its two ends. */
export interface TraceSummary {
  header: TraceHeader;
  /** Name and version that the server gave itself. */
  server: string | undefined;
  /** Milliseconds from the start to the last record. */
  length: number;
  counts: Counts | undefined;
  closed: Closed | undefined;
}

const newline = 0x0a;

/** @param tail The last bytes of the file; its first line may be cut, and is passed over. Nothing where this is no trace. */
export function summarize(head: Uint8Array, tail: Uint8Array): TraceSummary | undefined {
  const first = items(head);
  const start = first.find((item) => 'header' in item);
  if (!start || !('header' in start)) return undefined;
  const firstNewline = tail.indexOf(newline);
  const last = tail === head ? first : items(joinHeader(head, tail.subarray(firstNewline + 1)));
  const events = last.flatMap((item) => ('event' in item ? [item.event] : []));
  const sums = events.findLast((event) => event.kind === 'sums');
  const closed = events.findLast((event) => event.kind === 'closed');
  return {
    header: start.header,
    server: serverName(first),
    length: events.at(-1)?.at ?? 0,
    counts: sums?.counts,
    closed: closed?.closed,
  };
}

function items(bytes: Uint8Array): TraceItem[] {
  const reader = new TraceReader();
  try {
    return [...reader.feed(bytes), ...reader.end()];
  } catch {
    return [];
  }
}

/** The reader wants a header first. */
function joinHeader(head: Uint8Array, rest: Uint8Array): Uint8Array {
  const header = head.subarray(0, head.indexOf(newline) + 1);
  const joined = new Uint8Array(header.length + rest.length);
  joined.set(header);
  joined.set(rest, header.length);
  return joined;
}

/** As the server calls itself: in the answer to `initialize`, or in the `_meta` of a result. */
function serverName(found: readonly TraceItem[]): string | undefined {
  for (const item of found) {
    const info = 'event' in item ? serverInfo(item.event) : undefined;
    if (info) return info;
  }
  return undefined;
}

function serverInfo(event: TraceEvent): string | undefined {
  if (event.kind !== 'frame' || event.from !== 'server' || event.form !== 'msg') return undefined;
  const json = parseBody(event.bytes);
  const result = isObject(json) ? json['result'] : undefined;
  if (!isObject(result)) return undefined;
  const meta = isObject(result['_meta']) ? result['_meta'][metaKeys.serverInfo] : undefined;
  const info = isObject(result['serverInfo']) ? result['serverInfo'] : meta;
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  return typeof info['version'] === 'string' ? `${info['name']} ${info['version']}` : info['name'];
}
