import { isObject } from '../../protocol/message.ts';
import { headerValue } from '../../wire/http-headers.ts';
import { readUtf8 } from '../../wire/utf8.ts';
import type { Head } from '../format.ts';
import { isSuccess, valuesOf } from '../http-heads.ts';
import { parseBody } from '../../wire/parse-body.ts';
import type { HttpHeads } from '../unit.ts';
import { excerpt, flowing } from './excerpt.ts';

/** `404`, with the words of the server where they are its own. */
export const statusWords = ({ status, reason }: Head): string =>
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

/** What a head says beside its status of a request that was sent elsewhere, refused, or answered by wireproof. */
export function refusedWords({ request, response, made }: Partial<HttpHeads>): string[] {
  const { status = 0 } = response ?? {};
  const session = request && headerValue(request.lines, 'mcp-session-id');
  return [
    ...(response && status >= 300 && status < 400 ? headerWords(response, 'location', 'to') : []),
    ...(response && status === 401 ? challengeWords(response) : []),
    ...(made ? ['by wireproof'] : []),
    ...(session !== undefined && status === 404 ? [`session ${excerpt(session)} is unknown there`] : []),
    ...(session !== undefined && request?.method === 'DELETE' && isSuccess(response)
      ? [`session ${excerpt(session)} is over`]
      : []),
  ];
}

/** What was said, without the status that stands before it already. */
export const withoutStatus = (said: string, status: number | undefined): string =>
  status !== undefined && said.startsWith(`${status} `) ? said.slice(String(status).length + 1) : said;

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
export function refusalWords(refusal: Uint8Array | undefined): string[] {
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
