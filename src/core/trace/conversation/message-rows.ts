import { isObject, type Message, otherSide, type Side } from '../../protocol/message.ts';
import { failed } from '../connection-facts.ts';
import type { ExchangeUnit, FramedMessage, FrameUnit, Link, RequestRef } from '../unit.ts';
import { byteCount, counted, grouped } from '../amounts.ts';
import { excerpt } from './excerpt.ts';
import { progressBrief, requestBrief } from './request-brief.ts';
import { refusalWords, refusedWords, statusWords, withoutStatus } from './response-words.ts';
import { answerBrief } from './result-brief.ts';
import type { Row } from './row.ts';

/** A request whose answer is not known yet. */
export function askedRow(frame: FrameUnit, framed: FramedMessage, isCancelled: boolean): Row {
  const marks = messageMarks(frame, framed);
  const base = { n: frame.n, at: frame.at, by: frame.from, ...requestBrief(framed), id: idText(framed.id) };
  return { ...base, state: isCancelled ? 'cancelled' : 'asked', ...(marks.length > 0 ? { marks } : {}) };
}

/** An exchange as a whole, where its request stands. */
export function exchangeRow(exchange: ExchangeUnit): Row {
  const { request, from, id } = exchange;
  const base = { n: request.n, at: request.at, by: from, ...requestBrief(request), id: idText(id) };
  return { ...base, ...outcomeOf(exchange) };
}

/** The end of an exchange whose request was shown before. */
export function answerRow(exchange: ExchangeUnit): Row {
  const { request, answer, from, id, at } = exchange;
  const { subject } = requestBrief(request);
  const base = { n: answer?.n ?? request.n, at, by: answer ? otherSide(from) : from, subject, id: idText(id) };
  return { ...base, ...outcomeOf(exchange) };
}

function outcomeOf(exchange: ExchangeUnit): Pick<Row, 'state' | 'outcome' | 'beside' | 'duration' | 'marks'> {
  const { status, answer, duration, httpStatus } = exchange;
  const marks = exchangeMarks(exchange);
  const said = answer ? answerBrief(answer) : '';
  const outcome = {
    ok: said,
    error: said,
    pending: openWords(exchange),
    cancelled: cancelledWords(exchange),
    late: `answered after it was cancelled: ${said || 'ok'}`,
  }[status];
  const isUsual = httpStatus === undefined || httpStatus === 200;
  return {
    state: status,
    ...(isUsual ? { outcome } : httpOutcome(exchange, httpStatus, outcome)),
    ...(duration === undefined ? {} : { duration }),
    ...(marks.length > 0 ? { marks } : {}),
  };
}

/** Of a request without an answer: whether one may come. */
export function openWords({ method, isOver, streamEnd }: ExchangeUnit): string {
  const why = streamEnd?.why === undefined ? '' : `: ${excerpt(streamEnd.why)}`;
  // A subscription is open until somebody ends it.
  if (method === 'subscriptions/listen')
    return isOver && streamEnd ? `open until its stream ended${why}` : 'open to the end';
  return (isOver ? 'never answered' : 'no answer so far') + why;
}

/** `after 706 ms: the client closed the request`. */
export function cancelledWords({ cancelled, request }: ExchangeUnit): string {
  if (!cancelled) return '';
  const reason = cancelled.closed ? 'the client closed the request' : cancelled.reason;
  return `after ${milliseconds(cancelled.at - request.at)}${reason === undefined ? '' : `: ${excerpt(reason)}`}`;
}

/** The status, then what was said beside it. */
function httpOutcome(exchange: ExchangeUnit, status: number, said: string): Pick<Row, 'outcome' | 'beside'> {
  const { request, refusal } = exchange;
  const heads = request.heads?.response?.status === status ? request.heads : undefined;
  const words = said === '' ? refusalWords(refusal) : [said];
  const beside = [...words.map((text) => withoutStatus(text, status)), ...(heads ? refusedWords(heads) : [])];
  const outcome = heads?.response ? statusWords(heads.response) : String(status);
  return { outcome, ...(beside.length > 0 ? { beside } : {}) };
}

function exchangeMarks({ progress, idReused, request, answer }: ExchangeUnit): string[] {
  const marks: string[] = [];
  if (progress.count > 0) marks.push(`${grouped(progress.count)} progress`);
  if (request.batch) marks.push('in a batch');
  if (idReused) marks.push('id used twice at once');
  const { error, result } = answer?.message.kind === 'response' ? answer.message : {};
  if (error === null && result !== undefined) marks.push('error: null beside the result');
  return marks;
}

function messageMarks(frame: FrameUnit, { batch }: FramedMessage): string[] {
  const marks: string[] = [];
  if (batch) marks.push('in a batch');
  if (frame.size > frame.bytes.length) marks.push(byteCount(frame.size));
  return marks;
}

/** A notification, or a response that belongs to no request. Answers and requests have rows by their exchanges. */
export function messageRow(frame: FrameUnit, framed: FramedMessage): Row {
  const { message, link } = framed;
  const marks = messageMarks(frame, framed);
  const base = { n: frame.n, at: frame.at, by: frame.from, ...(marks.length > 0 ? { marks } : {}) };
  if (message.kind === 'response') {
    const outcome = `${whyUnasked(link)}: ${answerBrief(framed) || 'ok'}`;
    const state = failed(message) ? 'error' : 'unasked';
    return { ...base, subject: 'an answer to nothing', id: idText(framed.id), state, outcome, tone: 'odd' };
  }
  const { subject, detail } = requestBrief(framed);
  const row = { ...base, subject, outcome: detail };
  if (link?.is === 'progress') return progressRow(row, framed, link);
  return link?.is === 'cancellation' ? cancellationRow(row, link) : row;
}

function whyUnasked(link: Link | undefined): string {
  if (link?.is !== 'unasked') return 'nobody asked';
  const { why, of } = link;
  if (why === 'second answer' && of) return `a second answer to ${named(of)}`;
  return why === 'unknown id' ? 'nobody asked under this id' : why === 'null id' ? 'its id is null' : 'it has no id';
}

function progressRow(row: Row, { message, json }: FramedMessage, link: Link & { is: 'progress' }): Row {
  const params = message.kind === 'notification' && isObject(message.params) ? message.params : {};
  const reached = progressBrief(params, json);
  if (link.when === 'open' && link.of) return { ...row, id: idText(link.of.id), outcome: reached };
  const why = link.when === 'late' && link.of ? `after the answer to ${named(link.of)}` : 'its token is unknown';
  return { ...row, outcome: `${why}: ${reached}`, tone: 'odd' };
}

function cancellationRow(row: Row, { when, of }: Link & { is: 'cancellation' }): Row {
  const about = of ? named(of) : '';
  const said = row.outcome === undefined || row.outcome === '' ? '' : `: ${row.outcome}`;
  if (when === 'open') return { ...row, outcome: about + said };
  const what = when === 'late' ? `${about}, which was answered already` : 'no such request';
  return { ...row, outcome: what + said, ...(when === 'late' ? {} : { tone: 'odd' }) };
}

/** `tools/call add #3`. */
export function named({ method, tool, id }: RequestRef): string {
  return `${[method, ...(tool === undefined ? [] : [tool])].map(excerpt).join(' ')} ${idText(id)}`;
}

/** An id as it was spelled: `#7`, `#"7"`. */
export const idText = (id: string | undefined): string => `#${excerpt((id ?? '?').slice(0, 200))}`;

/** `8.6 ms`, `1,204 ms`, `61.2 s`. */
export function milliseconds(duration: number): string {
  if (duration < 100) return `${duration.toFixed(1)} ms`;
  return duration < 10_000 ? `${grouped(Math.round(duration))} ms` : `${grouped(Math.round(duration / 1000))} s`;
}

/** What the messages in a line would be if it were framed as it should be. */
export function heldMessages(messages: readonly Message[], from: Side): string {
  const [first] = messages;
  if (!first) return '';
  const more = messages.length > 1 ? ` and ${counted(messages.length - 1, 'more message')}` : '';
  if (first.kind !== 'response') return `${first.kind} ${excerpt(first.method)}${more}`;
  const id = typeof first.id === 'string' || typeof first.id === 'number' ? JSON.stringify(first.id) : 'null';
  const what = failed(first) ? 'an error' : 'an answer';
  return `${what} to the ${otherSide(from)}'s request ${idText(id)}${more}`;
}
