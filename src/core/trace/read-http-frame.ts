import type { Message } from '../protocol/message.ts';
import type { Outline } from '../wire/json-scanner.ts';
import { readSseEvent, SseFramer, soleDataLine } from '../wire/sse-framer.ts';
import { readUtf8, showUtf8, writeUtf8 } from '../wire/utf8.ts';
import { firstInvalidByte } from '../wire/utf8-fault.ts';
import type { FrameEvent, Head } from './format.ts';
import { encodingOf, isEventStream } from './http-heads.ts';
import { parseBody } from '../wire/parse-body.ts';
import { longestReadLine } from './pieces.ts';
import { type Line, outlinedMessages, readMessagesIn, stray } from './read-frame.ts';
import type { FramedMessage, FrameUnit, Stray } from './unit.ts';

/** Undoes what `Content-Encoding` says was done to a body, as far as that goes; nothing where it cannot be undone. */
export type Decode = (encoding: string, bytes: Uint8Array) => Uint8Array | undefined;

/** What is known of a body beside its bytes. */
export interface BodyContext {
  head: Head | undefined;
  /** It is one event of an event stream; `isFirst` the first of them. */
  isEvent: boolean;
  isFirst: boolean;
  form: FrameEvent['form'];
  /** What was seen of its messages, where it was too long to keep. */
  outlines: readonly Outline[] | undefined;
  decode: Decode | undefined;
}

/** Reads a whole body, or one event of it: the frame that it is, or frames where it is an event stream that is encoded. */
export function readBody(line: Line, context: BodyContext): FrameUnit[] {
  const { head, isEvent, isFirst, outlines } = context;
  if (isEvent) return [outlines ? stray({ ...line, event: {} }, { why: 'too long' }) : readEvent(line, isFirst)];
  if (outlines) return [readLong(line, outlines, encodingOf(head))];
  const decoded = withoutEncoding(line, context);
  const content = decoded.content ?? decoded.bytes;
  if (decoded.leg === 'server') return [{ unit: 'frame', ...decoded, messages: [] }];
  if (isEventStream(head) && content.length > 0 && (decoded.encoding === undefined || decoded.content)) {
    return readEvents(decoded, content);
  }
  const read = readContent(withoutMark(content));
  return [{ unit: 'frame', ...decoded, ...read }];
}

/** A body, or an event, whose end is not in the recording. */
export function readOpenBody(line: Line, isEvent: boolean): FrameUnit {
  const content = isEvent ? dataOf(line.bytes, false)?.content : line.bytes;
  const about = isEvent ? { event: {}, ...(content ? { content } : {}) } : {};
  if (line.leg === 'server') return { unit: 'frame', ...line, ...about, messages: [] };
  return stray({ ...line, ...about }, unterminated(content ?? new Uint8Array(), true));
}

/** What was looked through for secrets is kept without its encoding, and so is what never had the one that is named. */
function withoutEncoding(line: Line, { head, form, decode }: BodyContext): Line {
  const isPlain = form === 'msg' || line.redacted?.some((place) => place.startsWith('decoded:'));
  const encoding = isPlain ? undefined : encodingOf(head);
  if (encoding === undefined || line.bytes.length === 0) return line;
  const content = decode?.(encoding, line.bytes);
  if (content) return { ...line, encoding, content };
  return form === 'b64' ? { ...line, encoding } : line;
}

function readLong(line: Line, outlines: readonly Outline[], encoding: string | undefined): FrameUnit {
  if (encoding !== undefined) return stray({ ...line, encoding }, { why: 'too long' });
  return { unit: 'frame', ...line, messages: line.leg === 'server' ? [] : outlinedMessages(outlines) };
}

/** The events of a stream that came as one body: their bytes are those that stood in it. */
function readEvents(line: Line, content: Uint8Array): FrameUnit[] {
  const { content: _, ...rest } = line;
  const framer = new SseFramer();
  return [...framer.feed(content), ...framer.end()].map((bytes, index) =>
    readEvent({ ...rest, bytes, size: bytes.length }, index === 0),
  );
}

function readEvent(line: Line, isFirst: boolean): FrameUnit {
  const { bytes } = line;
  const { id, event, retry } = readSseEvent(bytes, isFirst);
  const fields = {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(retry === undefined ? {} : { retry }),
  };
  const data = dataOf(bytes, isFirst);
  const frame: FrameUnit = { unit: 'frame', ...line, event: fields, ...data, messages: [] };
  if (!data || line.leg === 'server') return frame;
  // Whoever reads the stream drops an event without its blank line (HTML, 9.2.6).
  if (!hasBlankLine(bytes)) return { ...frame, stray: unterminated(data.content, false) };
  const read = readContent(data.content);
  if (event === undefined || event === 'message' || read.messages.length === 0) return { ...frame, ...read };
  return { ...frame, stray: { why: 'named event', event, holds: heldIn(read.messages) } };
}

/** The data of an event: as it stands there, where it is one line. */
function dataOf(bytes: Uint8Array, isFirst: boolean): { content: Uint8Array } | undefined {
  const sole = soleDataLine(bytes, isFirst);
  if (sole) return { content: bytes.subarray(sole.from, sole.to) };
  const { data } = readSseEvent(bytes, isFirst);
  return data === undefined ? undefined : { content: writeUtf8(data) };
}

function hasBlankLine(bytes: Uint8Array): boolean {
  const framer = new SseFramer();
  framer.feed(bytes);
  return framer.held === 0;
}

/** That it holds no messages is nothing odd on HTTP; but messages that cannot be read as they stand are. */
function readContent(content: Uint8Array): { messages: FramedMessage[]; stray?: Stray } {
  if (content.length > longestReadLine) return { messages: [], stray: { why: 'too long' } };
  if (readUtf8(content) !== undefined) return { messages: readMessagesIn(content) };
  const messages = readMessagesIn(writeUtf8(showUtf8(content)));
  if (messages.length === 0) return { messages };
  return { messages: [], stray: { why: 'not UTF-8', offset: firstInvalidByte(content) as number } };
}

function unterminated(content: Uint8Array, isOpen: boolean): Stray {
  const isJson = parseBody(content) !== undefined;
  return { why: 'unterminated', isOpen, isJson, holds: isJson ? heldIn(readMessagesIn(content)) : [] };
}

const heldIn = (messages: readonly FramedMessage[]): Message[] => messages.map(({ message }) => message);

/** Whoever reads a body as JSON leaves a byte-order mark away first. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
