import { counted, grouped } from '../../core/trace/amounts.ts';
import { excerpt } from '../../core/trace/conversation/excerpt.ts';
import { cancelledWords, milliseconds, named, openWords } from '../../core/trace/conversation/message-rows.ts';
import { strayRow } from '../../core/trace/conversation/other-rows.ts';
import { requestBrief } from '../../core/trace/conversation/request-brief.ts';
import type { StreamName, TraceEvent } from '../../core/trace/format.ts';
import { parseBody } from '../../core/wire/parse-body.ts';
import type { RecordPage } from '../../core/trace/record-finder.ts';
import type { ExchangeUnit, FramedMessage, FrameUnit, Link } from '../../core/trace/unit.ts';
import { prettyLines } from '../../core/wire/json-text.ts';
import { readUtf8, showUtf8 } from '../../core/wire/utf8.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { hexText, prettyText, rawText, revealed, shorten } from './bytes-text.ts';
import {
  httpEventText,
  httpFrameText,
  placeWords,
  redactedText,
  requestText,
  storedWhere,
} from './http-record-text.ts';
import type { Ink } from './ink.ts';

/** How a record is to be shown. */
export interface RecordTextOptions {
  ink: Ink;
  isFull: boolean;
  /** It is shown with secrets replaced that stand in the recording. */
  isRedacted?: boolean;
  /** What to type for all the bytes of a stream. */
  bytesCommand: (from: StreamName) => string;
}

/** One record whole, line by line: what it is, its JSON laid out, and its exact bytes made visible. */
export function* recordText(page: RecordPage, options: RecordTextOptions): Generator<string> {
  const { ink, isFull, isRedacted = false } = options;
  const { event, frame } = page;
  yield ink.bold(`Record ${event.n}`) + ink.dim(`  ${whenAndWhere(event)}`);
  yield* requestText(page);
  if (!frame) {
    yield* redactedText(event.redacted ?? [], isRedacted);
    const http = httpEventText(page, { ink, isFull, isRedacted });
    if (http) yield* http;
    else yield* eventText(event, ink, isFull);
    return;
  }
  for (const line of belongings(page, frame)) yield line;
  yield* redactedText(frame.redacted ?? [], isRedacted);
  if (frame.s !== undefined) {
    yield* httpFrameText(page, frame, { ink, isFull, isRedacted, bytesCommand: options.bytesCommand(frame.from) });
    return;
  }
  const { bytes, eol } = frame;
  const body = bytes.subarray(0, bytes.length - (isCut(frame) ? 0 : eol.length));
  if (frame.from !== 'stderr' && parseBody(body) !== undefined) {
    yield '';
    yield* prettyText(showUtf8(body), ink, isFull);
  }
  yield '';
  yield ink.dim(`${lengthWords(frame, isRedacted)}:`);
  if (readUtf8(body) === undefined) yield* hexText(bytes, ink, isFull);
  else yield* rawText(body, { eol, isCut: isCut(frame) }, ink, isFull);
  const all = isRedacted ? 'all of it, not redacted' : 'all of it';
  if (isCut(frame)) yield ink.dim(`(${all}, in its stream: ${options.bytesCommand(frame.from)})`);
}

/** It was too long to be read whole: only its beginning is here. */
const isCut = ({ size, bytes }: FrameUnit): boolean => size > bytes.length;

function whenAndWhere(event: TraceEvent): string {
  const from = 'from' in event ? `, ${event.from === 'stderr' ? 'on stderr' : `from the ${event.from}`}` : '';
  const since =
    event.kind === 'frame' && event.since !== undefined ? ` (it began at ${event.since.toFixed(3)} ms)` : '';
  return `at ${event.at.toFixed(3)} ms${from}${placeWords(event)}${since}`;
}

/** What the record is, and what it has to do with others. */
function belongings({ event, exchanges }: RecordPage, frame: FrameUnit): string[] {
  const lines = frame.messages.map((framed) => {
    const place = framed.batch ? `${framed.batch.index + 1} of ${framed.batch.of} in a batch: ` : '';
    const exchange = exchanges.find(({ request }) => request.batch?.index === framed.batch?.index);
    return place + (exchange ? requestWords(exchange) : messageWords(framed, frame));
  });
  if (frame.stray) {
    const { subject, outcome } = strayRow({ ...frame, bytes: new Uint8Array(), content: new Uint8Array() });
    lines.push(
      `No message: ${subject}${frame.stray.why === 'not JSON' || !outcome ? '' : `, ${outcome.replace(/: $/, '')}`}`,
    );
  }
  if (frame.records.length > 1) {
    const [first] = frame.records;
    const shown = isCut(frame) ? '.' : '; all of it is shown here.';
    lines.push(
      `${frame.s === undefined ? 'The line' : frame.event ? 'The event' : 'The body'} stands in records ${first} to ${frame.records.at(-1)}${shown}`,
    );
  } else if (event.n !== frame.n) lines.push(`It belongs to record ${frame.n}.`);
  return lines;
}

function requestWords(exchange: ExchangeUnit): string {
  const { request, answer, method, tool, id, from, idReused } = exchange;
  const asked = `A request: ${named({ ...request, index: 0, from, method, ...(tool === undefined ? {} : { tool }), id })}`;
  const isCertain = request.s !== undefined && request.s === answer?.s;
  const doubt = isCertain ? '' : ': which answer is whose is not certain';
  return `${asked}, ${becameWords(exchange)}${idReused ? `. Its id was in use twice at once${doubt}` : ''}.`;
}

function becameWords(exchange: ExchangeUnit): string {
  const { answer, status, duration = 0, cancelled, httpStatus } = exchange;
  if (answer) return `answered (${status}) by record ${answer.n}, ${milliseconds(duration)} later`;
  if (cancelled) return `cancelled ${cancelledWords(exchange)} (record ${cancelled.n})`;
  return httpStatus === undefined ? openWords(exchange) : `refused with ${httpStatus}, ${milliseconds(duration)} later`;
}

function messageWords(framed: FramedMessage, frame: FrameUnit): string {
  const { message, link } = framed;
  if (message.kind === 'notification') return `A notification: ${requestBrief(framed).subject}${linkWords(link)}.`;
  if (message.kind === 'request') return `A request: ${requestBrief(framed).subject}.`;
  if (link?.is !== 'answer') return `A response that answers no open request${linkWords(link)}.`;
  return `The answer to record ${link.of.n}, ${named(link.of)}, ${milliseconds(frame.at - link.of.at)} later.`;
}

function linkWords(link: Link | undefined): string {
  if (!link?.is || link.is === 'answer') return '';
  if (link.is === 'again') return ', delivered again';
  if (link.is === 'refusal') return `: it says why the request was refused with ${link.status}`;
  const of = link.of ? `record ${link.of.n}, ${named(link.of)}` : '';
  if (link.is === 'unasked') return of === '' ? ` (${link.why})` : `: a second answer to ${of}`;
  if (of === '') return `, ${link.when}`;
  return link.when === 'late' ? `, for ${of}, which was answered already` : `, for ${of}`;
}

function lengthWords(frame: FrameUnit, isRedacted: boolean): string {
  const { size, bytes, eol, redacted } = frame;
  const where = redacted ? storedWhere(isRedacted) : 'On the wire';
  const ending = eol === '' ? 'without a newline' : `ending in ${visibleText(eol)}`;
  const kept = isCut(frame) ? `; too long to be shown beyond the first ${grouped(bytes.length)}` : '';
  return `${where}, ${counted(size, 'byte')}, ${ending}${kept}`;
}

/** A record that is no whole line: what it says of the connection or of the beginning of a line. */
function* eventText(event: TraceEvent, ink: Ink, isFull: boolean): Generator<string> {
  if (event.kind === 'frame' || event.kind === 'held') {
    const what = event.s === undefined ? 'a line' : 'a body or an event';
    yield event.kind === 'held'
      ? `The beginning of ${what} that had not ended yet; a later record has it whole.`
      : `A part of ${what} whose end was not recorded.`;
    yield '';
    const readable = readUtf8(event.bytes) !== undefined;
    if (!readable) yield* hexText(event.bytes, ink, isFull);
    else yield revealed(shorten(showUtf8(event.bytes), isFull), ink);
    return;
  }
  const { n: _n, at: _at, c: _c, redacted: _redacted, kind, ...rest } = event;
  yield event.kind === 'unknown' ? 'A record of a kind unknown here.' : `What happened: ${kind}`;
  yield '';
  const said = event.kind === 'unknown' ? Object.keys(event.json) : rest;
  for (const line of prettyLines(JSON.stringify(said))) yield excerpt(line);
}
