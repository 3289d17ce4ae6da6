import { base64Length, writeBase64 } from '../wire/base64.ts';
import { withoutUnseen } from '../wire/json-text.ts';
import { readUtf8, showUtf8 } from '../wire/utf8.ts';
import type { TraceHeader } from './format.ts';
import type {
  ConnectionUnit,
  ExchangeUnit,
  FramedMessage,
  FrameUnit,
  Link,
  RequestRef,
  Spoken,
  StreamUnit,
  Unit,
} from './unit.ts';

/** The JSON texts of an object's members; those without one are left out. */
type Members = Readonly<Record<string, string | undefined>>;

/**
 * A unit as one line of JSON, without its newline. Messages and ids stand in it as they came, but for
 * characters that cannot be seen, which are `\u` escapes.
 */
export const unitJson = (unit: Unit): string => withoutUnseen(jsonOf(unit));

function jsonOf(unit: Unit): string {
  if (unit.unit === 'frame') return frameJson(unit);
  if (unit.unit === 'exchange') return exchangeJson(unit);
  return unit.unit === 'stream' ? streamJson(unit) : connectionJson(unit);
}

/** The header of a trace as the first line. */
export function headerJson(header: TraceHeader): string {
  const pid = header.pid > 0 ? header.pid : undefined;
  return withoutUnseen(JSON.stringify({ unit: 'trace', ...header, pid }));
}

/** A line of the file that is no record. */
export const faultJson = (fault: object): string => JSON.stringify({ unit: 'fault', ...fault });

function frameJson(frame: FrameUnit): string {
  const { c, n, at, since, from, records, size, eol, bytes, messages, stray } = frame;
  const { s, leg, event, content, encoding, redacted } = frame;
  const isMessage = messages.length > 0 && size === bytes.length;
  return object({
    unit: '"frame"',
    c: String(c),
    s: s === undefined ? undefined : String(s),
    leg: leg && JSON.stringify(leg),
    n: String(n),
    at: String(at),
    since: since < at ? String(since) : undefined,
    from: JSON.stringify(from),
    size: String(size),
    eol: eol === '\n' || s !== undefined ? undefined : JSON.stringify(eol),
    event: event && JSON.stringify(event),
    encoding: encoding === undefined ? undefined : JSON.stringify(encoding),
    redacted: redacted && JSON.stringify(redacted),
    records: records.length > 1 ? JSON.stringify(records) : undefined,
    stray: stray && JSON.stringify({ ...stray, holds: undefined }),
    messages: messages.length > 0 ? `[${messages.map(messageJson).join(',')}]` : undefined,
    ...(isMessage ? { msg: showUtf8(content ?? bytes).trim() } : bytesJson(frame)),
  });
}

function bytesJson({ size, bytes, eol, event, content }: FrameUnit): Members {
  const isWhole = size === bytes.length;
  const plain = event ? bytes : (content ?? bytes);
  const body = isWhole ? plain.subarray(0, plain.length - eol.length) : plain;
  const cut = isWhole ? undefined : 'true';
  const text = readUtf8(body);
  return text === undefined ? { b64: base64(body), cut } : { text: JSON.stringify(text), cut };
}

function base64(bytes: Uint8Array): string {
  const letters = new Uint8Array(base64Length(bytes.length));
  writeBase64(bytes, 0, bytes.length, letters, 0);
  return JSON.stringify(showUtf8(letters));
}

function messageJson({ message, id, batch, link }: FramedMessage): string {
  return object({
    kind: JSON.stringify(message.kind),
    method: message.kind === 'response' ? undefined : JSON.stringify(message.method),
    id,
    batch: batch && JSON.stringify([batch.index, batch.of]),
    link: link && linkJson(link),
  });
}

function linkJson(link: Link): string {
  return object({
    is: JSON.stringify(link.is),
    why: 'why' in link ? JSON.stringify(link.why) : undefined,
    when: 'when' in link ? JSON.stringify(link.when) : undefined,
    status: 'status' in link ? String(link.status) : undefined,
    ...('of' in link && link.of ? refJson(link.of) : {}),
  });
}

const refJson = ({ n, method, tool, id }: RequestRef): Members => ({
  n: String(n),
  method: JSON.stringify(method),
  tool: tool === undefined ? undefined : JSON.stringify(tool),
  id,
});

function exchangeJson(exchange: ExchangeUnit): string {
  const { c, from, method, tool, id, status, isOver, duration, cancelled, progress, idReused } = exchange;
  const { request, answer, httpStatus, refusal, streamEnd } = exchange;
  return object({
    unit: '"exchange"',
    c: String(c),
    from: JSON.stringify(from),
    method: JSON.stringify(method),
    tool: tool === undefined ? undefined : JSON.stringify(tool),
    id,
    status: JSON.stringify(status),
    over: status === 'pending' ? String(isOver) : undefined,
    http: httpStatus === undefined ? undefined : String(httpStatus),
    duration: duration === undefined ? undefined : rounded(duration),
    cancelled: cancelled && JSON.stringify(cancelled),
    progress: progress.count > 0 ? String(progress.count) : undefined,
    refusal: refusal && JSON.stringify(showUtf8(refusal)),
    streamEnd: status === 'pending' && streamEnd ? JSON.stringify(streamEnd) : undefined,
    idReused: idReused ? 'true' : undefined,
    request: spokenJson(request),
    answer: answer && spokenJson(answer),
  });
}

const spokenJson = ({ n, at, s, json }: Spoken): string =>
  object({
    n: String(n),
    s: s === undefined ? undefined : String(s),
    at: String(at),
    msg: json.length > 0 ? showUtf8(json).trim() : undefined,
  });

function streamJson({ unit, phase, refusal, ...rest }: StreamUnit): string {
  return JSON.stringify({ unit, phase, ...rest, ...(refusal ? { refusal: showUtf8(refusal) } : {}) });
}

/** To the microsecond, as the times it is made of. */
const rounded = (milliseconds: number): string => String(Math.round(milliseconds * 1000) / 1000);

function connectionJson(unit: ConnectionUnit): string {
  const { unit: kind, what, c, n, at, ...rest } = unit;
  const head = { unit: kind, what, c, n, at };
  try {
    return JSON.stringify({ ...head, ...rest });
  } catch {
    // What a record of an unknown kind holds may be nested deeper than can be written.
    return JSON.stringify(head);
  }
}

function object(members: Members): string {
  const present = Object.entries(members).filter(([, json]) => json !== undefined);
  return `{${present.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}
