import { counted } from '../../core/trace/amounts.ts';
import { excerpt } from '../../core/trace/conversation/excerpt.ts';
import type { Head, HeadEvent, HeaderLine, HttpEnd, Leg, TraceEvent } from '../../core/trace/format.ts';
import { brokenOff } from '../../core/trace/http-heads.ts';
import { parseBody } from '../../core/wire/parse-body.ts';
import type { RecordPage } from '../../core/trace/record-finder.ts';
import type { FrameUnit } from '../../core/trace/unit.ts';
import { readUtf8, showUtf8 } from '../../core/wire/utf8.ts';
import { hexText, prettyText, rawText, revealed, shorten } from './bytes-text.ts';
import type { Ink } from './ink.ts';

/** Where on HTTP a record belongs: `, stream 3, between wireproof and server`. */
export function placeWords(event: TraceEvent): string {
  if (!('s' in event) || event.s === undefined) return '';
  const leg = 'leg' in event && event.leg !== undefined ? `, ${legWords(event.leg)}` : '';
  return `${event.c === 1 ? '' : `, connection ${event.c}`}, stream ${event.s}${leg}`;
}

const legWords = (leg: Leg): string => `between ${leg === 'client' ? 'client and wireproof' : 'wireproof and server'}`;

/** The request that the stream of a record began with, where that is another record. */
export function requestText({ event, request }: RecordPage): string[] {
  if (!request || (event.kind === 'head' && event.from === 'client')) return [];
  const { method = '?', target = '?' } = request.head;
  return [`On the stream of ${excerpt(method)} ${excerpt(target)}, record ${request.n}.`];
}

/** How what is said of HTTP is to be shown. */
interface HttpTextOptions {
  ink: Ink;
  isFull: boolean;
  /** Secrets were replaced just now. */
  isRedacted: boolean;
}

/** A head, trailers, or the end of a stream, as it stands in the recording; nothing where the record is another. */
export function httpEventText(
  { event, other, request, own }: RecordPage,
  options: HttpTextOptions,
): Iterable<string> | undefined {
  const { ink, isFull, isRedacted } = options;
  if (event.kind === 'head') return headText(event, other, ink, isFull);
  if (event.kind === 'trailers') {
    const lines = event.trailers.map((line) => headerText(line, ink, isFull));
    return [`Trailers, behind the body of the ${event.from}:`, '', ...lines];
  }
  if (event.kind === 'streamEnded') {
    const why = brokenOff(own?.head, event.end, request?.head);
    return endText(event.from, { ...event.end, why }, isRedacted);
  }
  if (event.kind === 'streamSum') {
    return [`The body of the ${event.from} goes on. So far:`, '', ...sumLines(event.sum, isRedacted)];
  }
  return undefined;
}

function* headText(event: HeadEvent, other: HeadEvent | undefined, ink: Ink, isFull: boolean): Generator<string> {
  const { head, made } = event;
  if (made) yield 'wireproof made this itself: it did not come from the server.';
  yield '';
  yield ink.bold(revealed(shorten(startLine(head), isFull), ink));
  for (const line of head.lines) yield headerText(line, ink, isFull);
  if (!other) return;
  yield '';
  const where = `${legWords(other.leg ?? 'server')} (record ${other.n})`;
  const [gone, added] = difference(head, other.head);
  if (gone.length + added.length === 0) {
    yield `The same, but perhaps for the order of its lines, was said ${where}.`;
    return;
  }
  yield `What was said ${where} differs from it:`;
  for (const line of gone) yield ink.red(`- ${revealed(shorten(line, isFull), ink)}`);
  for (const line of added) yield ink.green(`+ ${revealed(shorten(line, isFull), ink)}`);
}

function startLine({ version, method, target, status, reason }: Head): string {
  if (status === undefined) return `${method ?? '?'} ${target ?? '?'} HTTP/${version}`;
  return `HTTP/${version} ${status} ${reason ?? ''}`.trimEnd();
}

const headerText = ([name, value]: HeaderLine, ink: Ink, isFull: boolean): string =>
  `${ink.cyan(revealed(name, ink))}: ${revealed(shorten(value, isFull), ink)}`;

/** The lines that only the one has, and those that only the other has. */
function difference(one: Head, other: Head): [string[], string[]] {
  const here = linesOf(one);
  const there = linesOf(other);
  return [without(here, there), without(there, here)];
}

const linesOf = (head: Head): string[] => [startLine(head), ...head.lines.map((line) => line.join(': '))];

function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function* endText(
  from: string,
  { sum, passed, why }: Omit<HttpEnd, 'why'> & { why: string | undefined },
  isRedacted: boolean,
): Generator<string> {
  yield why === undefined
    ? `What the ${from} said on this stream is over.`
    : `What the ${from} said on this stream is not whole: ${excerpt(why)}.`;
  yield '';
  yield* sumLines(sum, isRedacted);
  if (!passed) return;
  yield 'Something else passed in places that were replaced. What passed:';
  yield `  ${counted(passed.bytes, 'byte')}, HMAC-SHA-256 under the key of the store ${excerpt(passed.hmac)}`;
}

const sumLines = ({ bytes, sha256 }: HttpEnd['sum'], isRedacted: boolean): string[] => [
  isRedacted ? 'What a redacted copy gives back:' : 'What the recording gives back:',
  `  ${counted(bytes, 'byte')}, SHA-256 ${excerpt(sha256)}`,
];

const decodedMark = 'decoded:';

/** Where the bytes stand so that are not those that passed. */
export const storedWhere = (isRedacted: boolean): string => (isRedacted ? 'Redacted' : 'In the recording');

/** Where something else stands in the recording, or is shown of it, than what passed. */
export function* redactedText(places: readonly string[], isRedacted: boolean): Generator<string> {
  const replaced = places.filter((place) => !place.startsWith(decodedMark));
  if (replaced.length > 0)
    yield `Replaced${isRedacted ? '' : ' in the recording'}: ${replaced.map((place) => (place === '' ? 'all of it' : excerpt(place))).join(', ')}.`;
  for (const place of places) {
    if (place.startsWith(decodedMark))
      yield `It is ${isRedacted ? 'shown' : 'kept'} without its encoding, ${excerpt(place.slice(decodedMark.length))}.`;
  }
}

/** How a frame is to be shown. */
interface FrameTextOptions extends HttpTextOptions {
  /** What to type for all the bytes of that side. */
  bytesCommand: string;
}

/** A body or a server-sent event: what it says, then its bytes. */
export function* httpFrameText(page: RecordPage, frame: FrameUnit, options: FrameTextOptions): Generator<string> {
  const { ink, isFull, isRedacted, bytesCommand } = options;
  const events = [frame, ...(page.more ?? [])].filter(({ event }) => event !== undefined);
  if (events.length > 0 && frame.encoding !== undefined)
    yield `Without its encoding it is ${counted(events.length, 'event')}.`;
  if (events.length === 0) yield* contentText(frame, ink, isFull);
  for (const event of isFull ? events : events.slice(0, mostEvents)) {
    yield* fieldsText(event);
    yield* contentText(event, ink, isFull);
  }
  if (!isFull && events.length > mostEvents)
    yield ink.dim(`(${counted(events.length - mostEvents, 'more event')}; --full shows all)`);
  yield '';
  yield* wireText(page, frame, options);
  const isCut = frame.size > frame.bytes.length;
  if (isCut || (frame.encoding !== undefined && frame.records.length > 1)) {
    yield ink.dim(`(all of it${isRedacted ? ', not redacted' : ''}: ${bytesCommand} --stream ${frame.s})`);
  }
}

const mostEvents = 20;

function* fieldsText({ event }: FrameUnit): Generator<string> {
  const { id, event: name, retry } = event ?? {};
  const fields = [
    ...(id === undefined ? [] : [`id ${id === '' ? 'taken back' : excerpt(id)}`]),
    ...(name === undefined ? [] : [`event ${excerpt(name)}`]),
    ...(retry === undefined ? [] : [`retry after ${retry} ms`]),
  ];
  yield fields.length === 0 ? 'A server-sent event.' : `A server-sent event: ${fields.join(', ')}.`;
}

/** What a body or an event says, where that is not to be seen in its bytes. */
function* contentText({ content, bytes, event, encoding }: FrameUnit, ink: Ink, isFull: boolean): Generator<string> {
  const says = content ?? bytes;
  if (parseBody(says) !== undefined) {
    yield '';
    yield* prettyText(showUtf8(says), ink, isFull);
  } else if (encoding !== undefined && content === undefined && !event) {
    yield `Its encoding (${excerpt(encoding)}) cannot be undone here.`;
  } else if (encoding !== undefined) {
    yield '';
    yield ink.dim(`Without its encoding, ${counted(says.length, 'byte')}:`);
    yield* bytesText(says, false, ink, isFull);
  }
}

/** The bytes as they were on the wire, or as they stand in the recording. */
function* wireText({ event }: RecordPage, frame: FrameUnit, options: FrameTextOptions): Generator<string> {
  const { ink, isFull, isRedacted } = options;
  const { encoding, redacted = [] } = frame;
  const isOwn = encoding !== undefined && event.kind === 'frame' && event.part === undefined;
  if (encoding !== undefined && frame.event && !isOwn) return;
  const bytes = isOwn ? event.bytes : frame.bytes;
  const size = isOwn ? bytes.length : frame.size;
  const where = redacted.length > 0 ? storedWhere(isRedacted) : 'On the wire';
  const coded = encoding === undefined ? '' : `, encoded with ${excerpt(encoding)}`;
  const kept = size > bytes.length ? `; too long to be shown beyond the first ${counted(bytes.length, 'byte')}` : '';
  yield ink.dim(`${where}, ${counted(size, 'byte')}${coded}${kept}:`);
  yield* bytesText(bytes, size > bytes.length, ink, isFull);
}

function* bytesText(bytes: Uint8Array, isCut: boolean, ink: Ink, isFull: boolean): Generator<string> {
  if (readUtf8(bytes) === undefined) yield* hexText(bytes, ink, isFull);
  else yield* rawText(bytes, { eol: '', isCut }, ink, isFull);
}
