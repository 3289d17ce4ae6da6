import { isObject } from '../../core/protocol/message.ts';
import type { HeaderLine } from '../../core/trace/format.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import { bodyKind, OriginMap } from '../../core/wire/origin-map.ts';
import { readSseEvent, SseFramer, soleDataLine } from '../../core/wire/sse-framer.ts';
import { inflate } from './inflate.ts';

/** A whole body for the other side, and what in it could not be mapped; nothing where it stays as it is. */
export type BodyMapping = (
  bytes: Buffer,
  encoding: string | undefined,
) => { bytes: Buffer; notes: string[] } | undefined;

/** What changes of a request; nothing of what is missing here. */
export interface MappedRequest {
  target?: string;
  lines?: readonly HeaderLine[];
  body?: BodyMapping;
}

/** The beginning of an event stream, as far as its first event that says something. */
export interface FirstEvent {
  /** What is to be passed on of a chunk; `gaveEndpoint` hears of the path to post to. */
  feed(chunk: Buffer, gaveEndpoint: (target: string) => void): Buffer;
  /** What comes now stays as it is. */
  readonly isDone: boolean;
  readonly hasChanged: boolean;
}

export interface MappedResponse {
  lines?: readonly HeaderLine[];
  body?: BodyMapping;
  firstEvent?: FirstEvent;
}

/** A longer form is none of OAuth. Bytes. */
const longestForm = 1024 * 1024;

/** The URLs of one server, as clients of a proxy at `own` are to see them, and back. */
export function mapRequest(origin: string, own: string, target: string, lines: readonly HeaderLine[]): MappedRequest {
  const map = originMap(origin, own);
  if (!map) return {};
  const mappedTarget = map.requestTarget(target);
  const mappedLines = map.requestHeaders(lines);
  return {
    ...(mappedTarget === undefined ? {} : { target: mappedTarget }),
    ...(mappedLines === undefined ? {} : { lines: mappedLines }),
    ...(isForm(lines) ? { body: mapping((text) => asBody(map.formBody(text))) } : {}),
  };
}

export function mapResponse(
  origin: string,
  own: string,
  about: { target: string; method: string; status: number; lines: readonly HeaderLine[] },
): MappedResponse {
  const map = originMap(origin, own);
  if (!map) return {};
  const { target, method, status, lines } = about;
  const type = headerValue(lines, 'content-type');
  const kind = method === 'GET' ? bodyKind(target, type, status) : undefined;
  const mappedLines = map.responseHeaders(lines);
  const isEvents = method === 'GET' && /^text\/event-stream\b/i.test(type ?? '');
  const isPlain = headerValue(lines, 'content-encoding') === undefined;
  return {
    ...(mappedLines === undefined ? {} : { lines: mappedLines }),
    ...(kind === undefined
      ? {}
      : { body: mapping((text) => explained(map.responseBody(kind, text), text, origin, own)) }),
    ...(isEvents && isPlain ? { firstEvent: endpointMapping(map, target) } : {}),
  };
}

/** Says, where a resource is signed in to at an authorization server elsewhere, what that one will see and nobody else. */
function explained(
  mapped: { text: string; notes: string[] } | undefined,
  text: string,
  origin: string,
  own: string,
): { text: string; notes: string[] } | undefined {
  const foreign = authorizationServers(text).filter((issuer) => !isOf(issuer, origin));
  if (foreign.length === 0) return mapped;
  const note =
    `the authorization server ${foreign.join(', ')} is not behind this tap: what the client says to it is not seen here. ` +
    `It is asked for a token for ${own}; where it only knows ${origin}, it refuses (invalid_target), and --no-rewrite leaves the server's own URL`;
  return { text: mapped?.text ?? text, notes: [...(mapped?.notes ?? []), note] };
}

function authorizationServers(text: string): string[] {
  try {
    const json: unknown = JSON.parse(text);
    const servers = isObject(json) ? json['authorization_servers'] : undefined;
    return Array.isArray(servers) ? servers.filter((issuer) => typeof issuer === 'string') : [];
  } catch {
    return [];
  }
}

const isOf = (url: string, origin: string): boolean => URL.canParse(url) && new URL(url).origin === origin;

/** The proxy's names come again with each request: the last one, and those before. */
let last: { origin: string; own: string; map: OriginMap | undefined } | undefined;
const maps = new Map<string, OriginMap | undefined>();
const mostMaps = 100;

/** None where the client names the proxy in a way that is no host. */
function originMap(origin: string, own: string): OriginMap | undefined {
  if (last?.own === own && last.origin === origin) return last.map;
  const key = `${origin} ${own}`;
  if (!maps.has(key)) {
    if (maps.size >= mostMaps) maps.clear();
    maps.set(key, URL.canParse(own) ? new OriginMap(origin, own) : undefined);
  }
  last = { origin, own, map: maps.get(key) };
  return last.map;
}

function isForm(lines: readonly HeaderLine[]): boolean {
  const type = headerValue(lines, 'content-type') ?? '';
  const length = headerValue(lines, 'content-length');
  return /^application\/x-www-form-urlencoded\b/i.test(type) && Number(length ?? longestForm) < longestForm;
}

const asBody = (text: string | undefined): { text: string; notes: string[] } | undefined =>
  text === undefined ? undefined : { text, notes: [] };

const mapping =
  (map: (text: string) => { text: string; notes: string[] } | undefined): BodyMapping =>
  (bytes, encoding) => {
    const plain = encoding === undefined ? bytes : inflate(encoding, bytes);
    const text = plain && decode(plain);
    const mapped = text === undefined ? undefined : map(text);
    return mapped && { bytes: Buffer.from(mapped.text), notes: mapped.notes };
  };

/** Nothing where it is no UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A longer beginning of a stream is not waited for. Bytes. */
const longestFirstEvent = 64 * 1024;

/** The `endpoint` event comes first on a stream of HTTP+SSE (specification 2024-11-05: basic/transports). */
function endpointMapping(map: OriginMap, at: string): FirstEvent {
  const framer = new SseFramer();
  let isDone = false;
  let hasChanged = false;
  const take = (event: Uint8Array, gaveEndpoint: (target: string) => void): Uint8Array => {
    if (isDone) return event;
    isDone = readSseEvent(event, true).data !== undefined;
    const mapped = mapEndpoint(map, event, at, gaveEndpoint);
    hasChanged = mapped !== event;
    return mapped;
  };
  return {
    feed: (chunk, gaveEndpoint) => {
      const passed = framer.feed(chunk).map((event) => take(event, gaveEndpoint));
      isDone ||= framer.held > longestFirstEvent;
      if (isDone) passed.push(framer.takeHeld());
      return Buffer.concat(passed);
    },
    get isDone() {
      return isDone;
    },
    get hasChanged() {
      return hasChanged;
    },
  };
}

function mapEndpoint(
  map: OriginMap,
  event: Uint8Array,
  at: string,
  gaveEndpoint: (target: string) => void,
): Uint8Array {
  const { event: name, data } = readSseEvent(event, true);
  const place = soleDataLine(event, true);
  if (name !== 'endpoint' || data === undefined || !place) return event;
  gaveEndpoint(pathOf(data, at));
  const mapped = map.sseEndpoint(data);
  if (mapped === undefined) return event;
  return Buffer.concat([event.subarray(0, place.from), Buffer.from(mapped), event.subarray(place.to)]);
}

/** Path and query of a URL that may be relative to the one it was given at. */
function pathOf(url: string, at: string): string {
  try {
    const { pathname, search } = new URL(url, new URL(at, 'http://server.invalid'));
    return `${pathname}${search}`;
  } catch {
    return url;
  }
}
