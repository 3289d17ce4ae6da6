import type { Side } from '../../protocol/message.ts';
import type { Closed, StreamName } from '../format.ts';
import type { ConnectionUnit, FrameUnit, Stray } from '../unit.ts';
import { byteCount, counted } from '../amounts.ts';
import { excerpt, excerptOfBytes } from './excerpt.ts';
import { heldMessages } from './message-rows.ts';
import type { Row } from './row.ts';

/** A line on stderr. */
export function stderrRow({ n, at, bytes, eol }: FrameUnit): Row {
  return { n, at, by: 'stderr', subject: excerptOfBytes(bytes.subarray(0, bytes.length - eol.length)) };
}

/** A line, a body or an event that is no message: what it is instead, and how it begins. */
export function strayRow(frame: FrameUnit): Row {
  const { n, at, bytes, eol, content } = frame;
  const from = frame.from as Side;
  const stray = frame.stray as Stray;
  const body = content ?? bytes.subarray(0, bytes.length - eol.length);
  const says = (): string => excerptOfBytes(body);
  const words = frame.s === undefined ? strayWords : httpStrayWords;
  const [subject, outcome] = words(stray, frame, from, says);
  const isBlank = stray.why === 'blank';
  return { n, at, by: from, subject, ...(outcome === '' ? {} : { outcome }), tone: isBlank ? 'quiet' : 'odd' };
}

function strayWords(stray: Stray, { size }: FrameUnit, from: Side, says: () => string): [string, string] {
  switch (stray.why) {
    case 'blank':
      return ['a blank line', ''];
    case 'not JSON':
      return [stray.hint === undefined ? 'not JSON' : `not JSON: ${hints[stray.hint]}`, says()];
    case 'not UTF-8':
      return [`not UTF-8, at byte ${stray.offset}`, says()];
    case 'not JSON-RPC':
      return ['JSON, but no JSON-RPC message', says()];
    case 'spread':
      return [`one JSON value over ${stray.lines} lines`, wouldBe(stray, from) || says()];
    case 'unterminated':
      return unterminatedWords(stray, size, from, says);
    case 'too long':
      return ['too long to be read', `${byteCount(size)}: ${says()}`];
    case 'incomplete':
      return ['a line with a part missing', `${byteCount(size)}: ${says()}`];
    case 'named event':
      return ['an event', says()];
  }
}

function httpStrayWords(stray: Stray, frame: FrameUnit, from: Side, says: () => string): [string, string] {
  const what = frame.event ? 'an event' : 'a body';
  const size = byteCount(frame.size);
  if (stray.why === 'named event') {
    const held = heldMessages(stray.holds, from);
    return [`an event named ${excerpt(stray.event)}`, `clients pass over it; named message it would be ${held}`];
  }
  if (stray.why === 'incomplete') return [`${what} with a part missing`, `${size}: ${says()}`];
  if (stray.why !== 'unterminated') return strayWords(stray, frame, from, says);
  const { isOpen, isJson, holds } = stray;
  const held = heldMessages(holds, from);
  if (isOpen)
    return [`${what} without its end`, `${size}; ${isJson ? 'it is JSON' : 'it is no JSON so far'}: ${says()}`];
  const would = held === '' ? '' : `, with one it would be ${held}`;
  return ['the last event has no blank line', `${size}; clients drop it${would}: ${says()}`];
}

/** A server-sent event that holds no message: an `endpoint`, or something that is no JSON. Nothing where it says nothing. */
export function eventRow({ n, at, event, content, from, s }: FrameUnit): Row | undefined {
  if (s === undefined || !event || !content || content.length === 0) return undefined;
  const subject = event.event === undefined ? 'an event that is no message' : `event ${excerpt(event.event)}`;
  return { n, at, by: from, subject, outcome: excerptOfBytes(content) };
}

const hints = { 'byte-order mark': 'a byte-order mark', 'Content-Length header': 'a Content-Length header' } as const;

function wouldBe(stray: Stray & { why: 'spread' }, from: Side): string {
  const held = heldMessages(stray.holds, from);
  return held === '' ? '' : `so it is no message; on one line it would be ${held}`;
}

function unterminatedWords(
  stray: Stray & { why: 'unterminated' },
  size: number,
  from: Side,
  says: () => string,
): [string, string] {
  const subject = stray.isOpen ? 'a line without its end' : 'the last line has no newline';
  const json = stray.isJson ? 'it is JSON' : 'it is no JSON either';
  const held = heldMessages(stray.holds, from);
  const would = held === '' ? '' : `, with a newline it would be ${held}`;
  return [subject, `${byteCount(size)}; ${json}${would}: ${says()}`];
}

/** A line of the trace file that is no record. */
export function faultRow(fault: { damaged: Place } | { torn: Place }, at: number): Row {
  const [{ line, bytes }, what] =
    'damaged' in fault
      ? [fault.damaged, 'is damaged and cannot be read']
      : [fault.torn, 'is cut off: its writer was stopped in the middle of it'];
  return { at, by: 'trace', subject: `line ${line} of the recording ${what} (${byteCount(bytes)})`, tone: 'odd' };
}

interface Place {
  line: number;
  bytes: number;
}

/** News of a connection; nothing where it is not worth a line. */
export function newsRow(unit: ConnectionUnit): Row | undefined {
  const { n, at } = unit;
  const base = { n, at, by: 'trace', tone: 'quiet' } as const;
  switch (unit.what) {
    case 'opened':
      if (unit.peer !== undefined) return { ...base, subject: `a client, from ${excerpt(unit.peer)}` };
      return { ...base, subject: unit.pid === undefined ? 'opened' : `opened, the server is process ${unit.pid}` };
    case 'ended':
      return unit.from === 'stderr' ? undefined : { ...base, subject: ends[unit.from] };
    case 'note':
      return { ...base, subject: `${excerpt(unit.note)}: ${excerpt(unit.text)}` };
    case 'lost':
      return { ...base, subject: lostWords(unit.lost), tone: 'odd' };
    case 'held':
      return heldRow(unit);
    case 'closed':
      return { ...base, subject: closedWords(unit.closed), ...(isWell(unit.closed) ? {} : { tone: 'odd' }) };
    case 'unknown':
      return { ...base, subject: `a record of a kind unknown here: ${Object.keys(unit.json).map(excerpt).join(', ')}` };
    case 'cut':
      return undefined;
  }
}

const ends: Readonly<Record<StreamName, string>> = {
  client: 'the client has ended its input',
  server: 'the server has ended its output',
  stderr: 'stderr has ended',
};

const lostWords = ({ from, bytes, why }: { from: StreamName; bytes: number; why: string }): string =>
  `${byteCount(bytes)} from ${from === 'stderr' ? 'stderr' : `the ${from}`} not recorded: ${excerpt(why)}`;

function heldRow({ n, at, from, bytes, isJson, s, isEvent }: ConnectionUnit & { what: 'held' }): Row {
  if (s !== undefined) {
    const subject = isEvent ? 'an event without its blank line so far' : 'a body without its end so far';
    return { n, at, by: from, subject, outcome: counted(bytes, 'byte'), tone: 'odd' };
  }
  const subject = 'a line without its end so far';
  const json = isJson ? ', and it is JSON: only the newline is missing' : '';
  return { n, at, by: from, subject, outcome: counted(bytes, 'byte') + json, tone: 'odd' };
}

const isWell = ({ error, exit, signal }: Closed): boolean =>
  error === undefined && signal === undefined && (exit ?? 0) === 0;

/** How a connection ended, in words. */
export function closedWords({ exit, signal, error, why }: Closed): string {
  const reason = why === undefined ? '' : `, ${excerpt(why)}`;
  if (error !== undefined) return `not started: ${excerpt(error)}`;
  if (signal !== undefined) return `closed, the server was ended by ${excerpt(signal)}${reason}`;
  return exit === undefined ? `closed${reason}` : `closed, the server exited with ${exit}${reason}`;
}
