import { isObject, type JsonObject, type Side } from '../protocol/message.ts';
import type { Head, HeaderLine, HttpEnd, HttpPlace, Sum, TraceEvent } from './format.ts';

interface Base {
  n: number;
  at: number;
  c: number;
  redacted?: string[];
}

/** A record that only stands in traces of HTTP; nothing where it is another. */
export function readHttpRecord(json: JsonObject, base: Base): TraceEvent | undefined {
  const place = readHttpPlace(json);
  if (!place) return undefined;
  const { ended } = json;
  if (isSide(ended)) return { ...base, ...place, kind: 'streamEnded', from: ended, end: readEnd(json) };
  const { from, head, trailers, sum } = json;
  if (!isSide(from)) return undefined;
  if (isObject(head)) return { ...base, ...place, kind: 'head', from, head: readHead(head) };
  if (Array.isArray(trailers)) return { ...base, ...place, kind: 'trailers', from, trailers: readLines(trailers) };
  if (isObject(sum)) return { ...base, ...place, kind: 'streamSum', from, sum: readSum(sum) };
  return undefined;
}

/** Where on HTTP it passed; nothing where it did not. */
export function readHttpPlace({ s, leg, made }: JsonObject): HttpPlace | undefined {
  if (typeof s !== 'number') return undefined;
  return { s, ...(isSide(leg) ? { leg } : {}), ...(made === true ? { made } : {}) };
}

export function readRedacted({ redacted }: JsonObject): { redacted?: string[] } {
  return Array.isArray(redacted) ? { redacted: (redacted as unknown[]).map(String) } : {};
}

function readHead({ version, method, target, status, reason, lines }: JsonObject): Head {
  return {
    version: typeof version === 'string' ? version : '',
    ...(typeof method === 'string' ? { method } : {}),
    ...(typeof target === 'string' ? { target } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    lines: Array.isArray(lines) ? readLines(lines) : [],
  };
}

function readLines(lines: readonly unknown[]): HeaderLine[] {
  return lines.flatMap((line) =>
    Array.isArray(line) && typeof line[0] === 'string' && typeof line[1] === 'string'
      ? [[line[0], line[1]] as const]
      : [],
  );
}

function readEnd({ sum, passed, why }: JsonObject): HttpEnd {
  return {
    sum: readSum(sum),
    ...(isObject(passed) && typeof passed['bytes'] === 'number'
      ? { passed: { bytes: passed['bytes'], hmac: String(passed['hmac']) } }
      : {}),
    ...(typeof why === 'string' ? { why } : {}),
  };
}

function readSum(sum: unknown): Sum {
  const { bytes, sha256 } = isObject(sum) ? sum : {};
  return { bytes: typeof bytes === 'number' ? bytes : -1, sha256: String(sha256) };
}

const isSide = (value: unknown): value is Side => value === 'client' || value === 'server';
