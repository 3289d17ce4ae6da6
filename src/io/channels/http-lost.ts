import type { Outgoing } from '../../core/peer/client.ts';
import { retryAfter } from '../../core/peer/retry-after.ts';
import { isObject, readMessages } from '../../core/protocol/message.ts';
import { headerValue, isNamed } from '../../core/wire/http-headers.ts';
import type { ResponseHead } from '../../core/wire/http-response-framer.ts';
import { parseBody } from '../../core/wire/parse-body.ts';
import { showUtf8 } from '../../core/wire/utf8.ts';
import type { Lost } from './channel.ts';
import { type AnswerEnd, isFine } from './http-answer.ts';
import { claimedIn } from './http-lines.ts';

/** So much is told of a body. Bytes. */
const told = 64 * 1024;
const toldLines = ['www-authenticate', 'retry-after', 'location'];
/** What those say who stand before a server that may be at it still. */
const timedOut: ReadonlySet<number> = new Set([408, 499]);

/** Whatever else is said with it (up to 2025-11-25: basic/transports, session management). */
export const isSessionGone = ({ json }: Outgoing, { head }: AnswerEnd, session: string | undefined): boolean =>
  head?.status === 404 && session !== undefined && claimedIn(json) === undefined;

/** A server that says nothing unasked gives no stream for it, and says so in its own way. */
export const needsNone = ({ status = 0 }: Lost): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 403;

/** Why a request is lost that was answered so. */
export function lostOf(end: AnswerEnd): Lost {
  const { head, body, broken } = end;
  if (!head) return unansweredOf(broken);
  const headers = headersOf(head);
  const error = idlessError(body);
  return {
    why: whyLost(end, head),
    status: head.status,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(body.length > 0 ? { body: showUtf8(body.subarray(0, told)) } : {}),
    ...(error === undefined ? {} : { error }),
    neverLeft: false,
    ...(isRefusal(head.status, headers) ? { refused: true as const } : {}),
  };
}

function unansweredOf(broken: AnswerEnd['broken']): Lost {
  const { what = 'there was no answer', neverLeft = false, code } = broken ?? {};
  return { why: what, neverLeft, ...(neverLeft && code !== undefined ? { code } : {}) };
}

/** The server did nothing (RFC 9110, sections 15.4 and 15.5). 503 may come from one that has begun, unless it says when to come again. */
function isRefusal(status: number, headers: Readonly<Record<string, string>>): boolean {
  if (status === 503) return retryAfter(headers['retry-after'], 0) !== undefined;
  return status >= 300 && status < 500 && !timedOut.has(status);
}

/** The status as a person is told. */
export const statusText = ({ status, reason }: ResponseHead): string => `HTTP ${status} ${reason}`.trimEnd();

/** The ids of the requests that a body answers. */
export const answeredIn = (bytes: Uint8Array): unknown[] =>
  readMessages(parseBody(bytes)).flatMap((message) => (message.kind === 'response' ? [message.id] : []));

/** Whether a body is JSON by its type. */
export const isJson = ({ lines }: ResponseHead): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headerValue(lines, 'content-type') ?? '');

/** What came of a stream that broke off and could not be taken up again. Other statuses than these say nothing of the request. */
export function notResumed(first: Lost, { why, status, headers, body }: Lost): Lost {
  const whole = `${first.why}, and could not be taken up again: ${why}`;
  const says = status === 401 || status === 403 || status === 404;
  if (!says) return { why: whole, neverLeft: false };
  return {
    why: whole,
    status,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    neverLeft: false,
  };
}

function whyLost({ body, stream, broken }: AnswerEnd, head: ResponseHead): string {
  const said = statusText(head);
  if (!isFine(head)) return refusal(head, body);
  if (stream) {
    if (broken) return `the event stream broke off: ${broken.what}`;
    return `the event stream ended ${stream.held > 1 ? 'in the middle of an event' : 'without the answer'}`;
  }
  if (broken) return `the answer broke off: ${broken.what}`;
  if (body.length === 0) return `${said}, without the answer`;
  return `${said}, with something else than the answer`;
}

function refusal(head: ResponseHead, body: Buffer): string {
  const said = statusText(head);
  const { location } = headersOf(head);
  if (head.status < 400 && location !== undefined) return `${said} to ${location}: redirects are not followed`;
  const error = idlessError(body);
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' && message !== '' ? `${said}: ${message}` : said;
}

/** Servers that cannot tell a request's id, or do not look, say `null`, none, or one of their own. */
function idlessError(body: Buffer): unknown {
  const json = parseBody(body);
  return isObject(json) && isObject(json['error']) ? json['error'] : undefined;
}

/** Of several lines of a name all are told (RFC 9110, section 5.3). */
function headersOf({ lines }: ResponseHead): Record<string, string> {
  const values = toldLines.map((name) => {
    const all = lines.filter((line) => isNamed(line, name)).map(([, value]) => value);
    return [name, all.join(', ')] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
