import { joinBytes } from '../../wire/line-framer.ts';
import { SseFramer, sseLines } from '../../wire/sse-framer.ts';
import { showUtf8 } from '../../wire/utf8.ts';
import type { RedactedBytes } from './redactor.ts';

const newline = 0x0a;
const nothing = new Uint8Array();
/** Of all other fields the names count too: nobody knows them. */
const knownFields: ReadonlySet<string> = new Set(['', 'event', 'id', 'retry']);

/** The types that the transports name (specification 2024-11-05: basic/transports; HTML, 9.2.6): they say how data is read. */
const ownTypes: ReadonlySet<string> = new Set(['endpoint', 'message']);

/** How the parts of a server-sent event are looked through; nothing where all stays. */
export interface EventSearch {
  /** What an event says, its lines of data joined. `type` is its type, where it has one. */
  data(data: Uint8Array, type: string | undefined): RedactedBytes | undefined;
  /** The value of another field, or a comment. */
  other(value: Uint8Array): RedactedBytes | undefined;
}

/** A part of an event and what takes its place. */
interface ByteEdit {
  from: number;
  to: number;
  bytes: Uint8Array;
}

/** Redacts events, one or many, as they stand in an event stream: what a client takes for lines and fields stays. */
export function redactEvents(bytes: Uint8Array, search: EventSearch): RedactedBytes | undefined {
  const framer = new SseFramer();
  const events = [...framer.feed(bytes), ...framer.end()];
  const found = events.map((event, index) => redactEvent(event, index === 0, search));
  if (found.every((one) => one === undefined)) return undefined;
  return {
    bytes: joinBytes(events.map((event, index) => found[index]?.bytes ?? event)),
    redacted: [...new Set(found.flatMap((one) => one?.redacted ?? []))],
  };
}

function redactEvent(event: Uint8Array, isFirst: boolean, search: EventSearch): RedactedBytes | undefined {
  const lines = sseLines(event, isFirst);
  const edits: ByteEdit[] = [];
  const places: string[] = [];
  const dataLines = lines.filter(({ name }) => name === 'data');
  const typed = lines.findLast(({ name }) => name === 'event');
  const type = typed && showUtf8(event.subarray(typed.from, typed.to));
  const said = dataLines.map(({ from, to }) => event.subarray(from, to));
  const data = said.length > 0 ? search.data(joinLines(said), type) : undefined;
  if (data) {
    const values = cutLines(data.bytes, said.length);
    dataLines.forEach(({ start, from, to, next }, index) => {
      const bytes = values[index];
      edits.push(bytes ? { from, to, bytes } : { from: start, to: next, bytes: nothing });
    });
    places.push(...data.redacted);
  }
  for (const { name, start, from, to } of lines) {
    if (name === 'data' || (name === 'event' && ownTypes.has(showUtf8(event.subarray(from, to))))) continue;
    const isKnown = knownFields.has(name) && from > start;
    const found = search.other(event.subarray(isKnown ? from : start, to));
    if (!found) continue;
    edits.push({ from: isKnown ? from : start, to, bytes: found.bytes });
    places.push(`event:${isKnown ? name : ''}`);
  }
  return edits.length === 0 ? undefined : { bytes: applyByteEdits(event, edits), redacted: places };
}

const joinLines = (lines: readonly Uint8Array[]): Uint8Array =>
  joinBytes(lines.flatMap((line, index) => (index === 0 ? [line] : [Uint8Array.of(newline), line])));

/** Into at most so many lines; what goes over them is the last. */
function cutLines(bytes: Uint8Array, most: number): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = 0;
  while (lines.length < most - 1) {
    const at = bytes.indexOf(newline, from);
    if (at < 0) break;
    lines.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [...lines, bytes.subarray(from)];
}

function applyByteEdits(bytes: Uint8Array, edits: readonly ByteEdit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const edit of [...edits].sort((one, other) => one.from - other.from)) {
    parts.push(bytes.subarray(done, edit.from), edit.bytes);
    done = edit.to;
  }
  return joinBytes([...parts, bytes.subarray(done)]);
}
