import { isObject } from '../../protocol/message.ts';
import { readUtf8 } from '../../wire/utf8.ts';
import { byteCount, counted, grouped } from '../amounts.ts';
import type { Head } from '../format.ts';
import { headerValue } from '../../wire/http-headers.ts';
import { isEventStream, isSuccess, valuesOf } from '../http-heads.ts';
import { parseBody } from '../parse-body.ts';
import type { StreamUnit } from '../unit.ts';
import { excerpt, flowing } from './excerpt.ts';
import type { Row } from './row.ts';

/** Has a stream nothing to say that its exchanges do not say? */
export function isQuiet({ phase, made, response, messages, ends }: StreamUnit): boolean {
  const isWhole = ends.server !== undefined && ends.server.why === undefined && ends.client?.why === undefined;
  return phase === 'ended' && !made && messages.client > 0 && isWhole && isSuccess(response);
}

/** An event stream begins. */
export function openedRow(stream: StreamUnit): Row {
  const { n, at, request } = stream;
  const resumed = request && headerValue(request.lines, 'last-event-id');
  const row: Row = { n, at, by: 'server', subject: asked(stream), outcome: 'event stream opens' };
  return resumed === undefined ? row : { ...row, beside: [`resumes behind event ${excerpt(resumed)}`] };
}

/**
 * A stream as a whole: where its request stands, or where it ends if it is an event stream.
 *
 * @param hasExchange a request on it has a line of its own, which tells the answer
 */
export function streamRow(stream: StreamUnit, hasExchange: boolean): Row {
  if (isSuccess(stream.response) && isEventStream(stream.response)) return endedRow(stream);
  const { first, since, at, phase, ends, response, bytes, messages } = stream;
  const state = stateOf(stream);
  const pending = phase === 'cut' ? 'no response so far' : 'no response';
  const beside = [
    ...(response ? [byteCount(bytes.server)] : []),
    ...(hasExchange && messages.server > 0 ? [] : refusalWords(stream)),
    ...(response && state === 'moved' ? headerWords(response, 'location', 'to') : []),
    ...(response?.status === 401 ? challengeWords(response) : []),
    ...common(stream),
  ];
  return {
    n: first,
    at: since,
    by: 'client',
    subject: asked(stream),
    state,
    outcome: response ? statusWords(response) : pending,
    ...(beside.length > 0 ? { beside } : {}),
    ...(ends.server ? { duration: Math.max(0, at - since) } : {}),
  };
}

function stateOf({ ends, response }: StreamUnit): NonNullable<Row['state']> {
  const { status = 0 } = response ?? {};
  if (!ends.server) return 'pending';
  if (ends.server.why !== undefined || status === 0) return 'error';
  if (isSuccess(response) || status === 304 || status === 101) return 'ok';
  return status < 400 ? 'moved' : 'error';
}

function endedRow(stream: StreamUnit): Row {
  const { n, at, since, events, ends, phase, messages } = stream;
  const { server } = ends;
  const lasted = span(Math.max(0, at - since));
  const how = server
    ? `ended after ${lasted}${server.why === undefined ? '' : `: ${excerpt(server.why)}`}`
    : phase === 'cut'
      ? `open so far, ${lasted}`
      : 'open to the end';
  const isBroken = server?.why !== undefined && messages.client > 0;
  const beside = common({ ...stream, ends: { ...ends, server: { sum: { bytes: 0, sha256: '' } } } });
  return {
    n,
    at,
    by: 'server',
    subject: asked(stream),
    outcome: `event stream, ${counted(events, 'event')}, ${how}`,
    ...(beside.length > 0 ? { beside } : {}),
    ...(isBroken ? { tone: 'odd' } : {}),
  };
}

/** A session begins with this response. */
export function sessionRow({ n, at }: { n: number; at: number }, session: string): Row {
  return { n, at, by: 'trace', subject: `session ${excerpt(session)} begins`, tone: 'quiet' };
}

const asked = ({ request, s }: StreamUnit): string =>
  request ? `${excerpt(request.method ?? '?')} ${excerpt(request.target ?? '?')}` : `stream ${s}, without its request`;

/** `404`, with the words of the server where they are its own. */
const statusWords = ({ status, reason }: Head): string =>
  status === undefined ? '?' : reasonIsCommon(status, reason) ? String(status) : `${status} ${excerpt(reason ?? '')}`;

const commonReasons: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const reasonIsCommon = (status: number, reason = ''): boolean =>
  reason === '' || reason.toLowerCase() === commonReasons[status]?.toLowerCase();

/** What any stream may have to say. */
function common({ ends, made, mapped, request, response }: StreamUnit): string[] {
  const session = request && headerValue(request.lines, 'mcp-session-id');
  const named = session === undefined ? '' : excerpt(session);
  return [
    ...(made ? ['by wireproof'] : []),
    ...(mapped ? ['URLs mapped'] : []),
    ...(ends.server?.why === undefined ? [] : [`${response ? 'not whole: ' : ''}${excerpt(ends.server.why)}`]),
    ...(ends.client?.why === undefined || ends.client.why === ends.server?.why
      ? []
      : [`the request is not whole: ${excerpt(ends.client.why)}`]),
    ...(session !== undefined && request?.method === 'DELETE' && isSuccess(response)
      ? [`session ${named} is over`]
      : []),
    ...(session !== undefined && response?.status === 404 ? [`session ${named} is unknown there`] : []),
  ];
}

function headerWords({ lines }: Head, name: string, before: string): string[] {
  const value = headerValue(lines, name);
  return value === undefined ? [] : [`${before} ${excerpt(value)}`];
}

/** What is worth telling of a challenge (RFC 6750, section 3; RFC 9728, section 5.1), the rest is in the record. */
function challengeWords({ lines }: Head): string[] {
  const said = valuesOf(lines, 'www-authenticate').join(', ').slice(0, longestChallenge);
  if (said === '') return ['without WWW-Authenticate'];
  const found = new Map<string, string>();
  for (const { groups } of said.matchAll(challengeParameter)) {
    const { name, quoted, bare } = groups as { name?: string; quoted?: string; bare?: string };
    if (name !== undefined) found.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gs, '$1') ?? bare ?? '');
  }
  const [scheme] = said.split(/[ ,]/, 1) as [string];
  const words = ['error', 'error_description', 'scope', 'resource_metadata'].flatMap((name) => {
    const value = found.get(name);
    return value === undefined ? [] : [`${name} ${flowing(value)}`];
  });
  return [words.length === 0 ? excerpt(scheme) : `${excerpt(scheme)}: ${words.join(', ')}`];
}

const longestChallenge = 8192;
// Other quoted strings are matched to be stepped over.
const challengeParameter =
  /(?<![\w-])(?<name>error|error_description|scope|resource_metadata)[ \t]*=[ \t]*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^ \t,"]+))|"(?:[^"\\]|\\.)*"?/gis;

/** Why it was refused, as the body says it. */
function refusalWords({ refusal }: StreamUnit): string[] {
  const text = refusal && readUtf8(refusal);
  if (text === undefined || text.trim() === '') return [];
  const json = parseBody(refusal as Uint8Array);
  if (isObject(json)) {
    const said = jsonWords(json);
    return said === '' ? [] : [said];
  }
  if (!/^\s*</.test(text)) return [flowing(text)];
  const title = /<title>([^<]*)/i.exec(text)?.[1]?.trim();
  return title === undefined || title === '' ? [] : [flowing(title)];
}

/** As JSON-RPC, OAuth (RFC 6749, section 5.2), problem details (RFC 9457) and many others say it. */
function jsonWords(json: Readonly<Record<string, unknown>>): string {
  const { error, error_description: description, message, detail, title } = json;
  if (isObject(error)) {
    const { code, message: said } = error;
    const number = typeof code === 'number' || typeof code === 'string' ? `${excerpt(String(code))} ` : '';
    return typeof said === 'string' ? number + flowing(said) : '';
  }
  const words = [error, description ?? detail ?? message ?? title].filter((part) => typeof part === 'string');
  return words.map(flowing).join(': ');
}

/** `250 ms`, `3.2 s`, `12 min 5 s`, `3 h 20 min`. */
function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor(milliseconds / 1000) % 60} s`;
  return `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
