import { isObject, type JsonObject } from '../protocol/message.ts';
import { readBase64 } from '../wire/base64.ts';
import { findMember } from '../wire/json-member.ts';
import { joinBytes } from '../wire/line-framer.ts';
import { readUtf8, writeUtf8 } from '../wire/utf8.ts';
import { readHttpPlace, readHttpRecord, readRedacted } from './read-http-record.ts';
import { readUnprovenFrame, readWrittenFrame } from './written-frame.ts';
import {
  type Closed,
  type Counts,
  type Lost,
  type StreamName,
  streamNames,
  type Sums,
  type TraceEvent,
} from './format.ts';

const closingBrace = 0x7d;
const colon = 0x3a;

/** One line of a trace, without its newline, read as an event; nothing where it is no record. */
export function readRecord(line: Uint8Array): TraceEvent | undefined {
  return readWrittenFrame(line) ?? readParsed(line);
}

/** The same for one who holds the bytes against their sums: does not look whether a message is JSON. */
export const readUnprovenRecord = (line: Uint8Array): TraceEvent | undefined =>
  readUnprovenFrame(line) ?? readParsed(line);

/** However it is written: a trace may have passed through other hands. */
function readParsed(line: Uint8Array): TraceEvent | undefined {
  const json = parseObject(line);
  if (!json) return undefined;
  const { n, at, c } = json;
  if (typeof n !== 'number' || typeof at !== 'number' || typeof c !== 'number') return undefined;
  const base = { n, at, c, ...readRedacted(json) };
  const frame = readFrame(json, line, base);
  if (frame) return frame;
  const http = readHttpRecord(json, base);
  if (http) return http;
  if (isObject(json['opened'])) {
    const { pid, peer } = json['opened'];
    return { ...base, kind: 'opened', pid: numberOr(pid), ...(typeof peer === 'string' ? { peer } : {}) };
  }
  if (isStream(json['ended'])) return { ...base, kind: 'ended', from: json['ended'] };
  const place = readHttpPlace(json);
  if (isObject(json['note'])) {
    const { kind, text } = json['note'];
    return { ...base, kind: 'note', note: String(kind), text: String(text), ...(place ? { s: place.s } : {}) };
  }
  if (isLost(json['lost'])) return { ...base, kind: 'lost', lost: json['lost'], ...place };
  if (isSums(json['sums'])) return { ...base, kind: 'sums', sums: json['sums'], counts: readCounts(json['counts']) };
  const counts = readCounts(json['counts']);
  if (isObject(json['closed'])) {
    return { ...base, kind: 'closed', closed: readClosed(json['closed']), ...(counts ? { counts } : {}) };
  }
  if (counts) return { ...base, kind: 'counts', counts };
  return { ...base, kind: 'unknown', json };
}

export function parseObject(line: Uint8Array): JsonObject | undefined {
  const text = readUtf8(line);
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function readFrame(
  json: JsonObject,
  line: Uint8Array,
  base: { n: number; at: number; c: number },
): TraceEvent | undefined {
  const { from, since, part, last, held, sse } = json;
  if (!isStream(from)) return undefined;
  const payload = readPayload(json, line);
  if (!payload) return undefined;
  const place = readHttpPlace(json);
  if (typeof held === 'number') return { ...base, kind: 'held', from, offset: held, bytes: payload.bytes, ...place };
  const isPart = typeof part === 'number';
  const eol = typeof json['eol'] === 'string' ? json['eol'] : place || (isPart && last !== true) ? '' : '\n';
  const before = typeof sse === 'string' ? sse : '';
  return {
    ...base,
    kind: 'frame',
    from,
    ...(typeof since === 'number' ? { since } : {}),
    bytes: before + eol === '' ? payload.bytes : joinBytes([writeUtf8(before), payload.bytes, writeUtf8(eol)]),
    eol,
    form: payload.form,
    ...(isPart ? { part } : {}),
    ...(last === true ? { last } : {}),
    ...place,
    ...(typeof sse === 'string' ? { isEvent: true } : {}),
  };
}

function readPayload(
  json: JsonObject,
  line: Uint8Array,
): { form: 'msg' | 'text' | 'b64'; bytes: Uint8Array } | undefined {
  if ('msg' in json) {
    const bytes = exactMessage(line);
    return bytes && { form: 'msg', bytes };
  }
  if (typeof json['text'] === 'string') return { form: 'text', bytes: writeUtf8(json['text']) };
  if (typeof json['b64'] !== 'string') return undefined;
  const bytes = readBase64(writeUtf8(json['b64']));
  return bytes && { form: 'b64', bytes };
}

/** `msg` is the last member: what stands between its colon and the closing brace is what was on the wire, white space too. */
function exactMessage(line: Uint8Array): Uint8Array | undefined {
  const value = findMember(line, ['msg']);
  if (!value) return undefined;
  let from = value.from;
  while (line[from - 1] !== colon) from--;
  const to = line.lastIndexOf(closingBrace);
  const isLast = line.subarray(value.to, to).every((byte) => byte === 0x20 || byte === 0x09);
  // A copy, which `slice` of a Node buffer would not be.
  return new Uint8Array(isLast ? line.subarray(from, to) : line.subarray(value.from, value.to));
}

const numberOr = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const isStream = (value: unknown): value is StreamName =>
  value === 'client' || value === 'server' || value === 'stderr';

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function isLost(value: unknown): value is Lost {
  return isObject(value) && isStream(value['from']) && isCount(value['bytes']) && typeof value['why'] === 'string';
}

function isSums(value: unknown): value is Sums {
  if (!isObject(value)) return false;
  return streamNames.every((from) => {
    const sum = value[from];
    return isObject(sum) && isCount(sum['bytes']) && typeof sum['sha256'] === 'string';
  });
}

function readCounts(value: unknown): Counts | undefined {
  if (!isObject(value)) return undefined;
  const { messages, errors } = value;
  return typeof messages === 'number' && typeof errors === 'number' ? { messages, errors } : undefined;
}

function readClosed(value: JsonObject): Closed {
  const { exit, signal, error, why } = value;
  return {
    ...(typeof exit === 'number' ? { exit } : {}),
    ...(typeof signal === 'string' ? { signal } : {}),
    ...(typeof error === 'string' ? { error } : {}),
    ...(typeof why === 'string' ? { why } : {}),
  };
}
