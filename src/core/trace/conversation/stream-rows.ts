import { byteCount, counted, grouped } from '../amounts.ts';
import { headerValue } from '../../wire/http-headers.ts';
import { isSuccess } from '../http-heads.ts';
import { stateOfStream } from '../stream-state.ts';
import type { StreamUnit } from '../unit.ts';
import { excerpt } from './excerpt.ts';
import { refusalWords, refusedWords, statusWords, withoutStatus } from './response-words.ts';
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
 * @param isTold what became of the requests on it is told by lines of their own
 */
export function streamRow(stream: StreamUnit, isTold: boolean): Row {
  const state = stateOfStream(stream);
  if (state === undefined) return endedRow(stream);
  const { first, since, at, phase, ends, response, bytes, messages, refusal } = stream;
  const pending = phase === 'cut' ? 'no response so far' : 'no response';
  const said = messages.server > 0 && isTold ? [] : refusalWords(refusal);
  const beside = [
    ...(response ? [byteCount(bytes.server)] : []),
    ...said.map((text) => withoutStatus(text, response?.status)),
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
  const beside = common(stream, true);
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

/** What any stream may have to say. @param isSaid why it is not whole has been told */
function common({ ends, made, mapped, request, response }: StreamUnit, isSaid = false): string[] {
  const whyServer = ends.server?.why;
  const whyClient = ends.client?.why;
  return [
    ...refusedWords({ request, response, made }),
    ...(mapped ? ['URLs mapped'] : []),
    ...(whyServer === undefined || isSaid ? [] : [`${response ? 'not whole: ' : ''}${excerpt(whyServer)}`]),
    ...(whyClient === undefined || whyClient === whyServer ? [] : [`the request is not whole: ${excerpt(whyClient)}`]),
  ];
}

/** `250 ms`, `3.2 s`, `12 min 5 s`, `3 h 20 min`. */
function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor(milliseconds / 1000) % 60} s`;
  return `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
