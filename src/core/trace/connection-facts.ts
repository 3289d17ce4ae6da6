import { isObject, type JsonObject } from '../protocol/message.ts';
import { claimedRevision, type Era, eraOf, metaKeys, shownEra } from '../protocol/revision.ts';
import type { Head, StreamName } from './format.ts';
import { headerValue } from '../wire/http-headers.ts';
import { stateOfStream } from './stream-state.ts';
import type { ConnectionUnit, ExchangeUnit, FrameUnit, StreamUnit } from './unit.ts';

/** What is known of a connection so far. */
export interface ConnectionFacts {
  c: number;
  /** How client and server name themselves, with their versions. */
  client?: string;
  server?: string;
  /** On HTTP: where the client's requests come from, and its session (`Mcp-Session-Id`) as the recording has it. */
  peer?: string;
  session?: string;
  /** The eras that the client's requests have shown, in the order they were first seen. */
  eras: Era[];
  /** The revisions in force: that of the `initialize` result, and those that requests with a result carried themselves. */
  revisions: string[];
  /** The revision that `initialize` asked for, or the first that a request carried itself. */
  askedRevision?: string;
  /** The era whose opening, or all of whose requests so far, got an error. */
  refusedEra?: Era;
  frames: Record<StreamName, number>;
  requests: number;
  notifications: number;
  /** Exchanges that ended in an error, errors that answer nothing, and on HTTP streams that failed and had no request. */
  errors: number;
  /** Requests that were never answered and not cancelled. */
  unanswered: number;
  /** Responses that nobody asked for. */
  unasked: number;
  stray: number;
  lostBytes: number;
  /** Requests on HTTP that were answered with a status from 400 on. */
  refused?: number;
}

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';

const longestName = 200;
const longestRevision = 100;

/** Of a connection of which nothing was seen yet. */
export const noFacts = (c: number): ConnectionFacts => ({
  c,
  eras: [],
  revisions: [],
  frames: { client: 0, server: 0, stderr: 0 },
  requests: 0,
  notifications: 0,
  errors: 0,
  unanswered: 0,
  unasked: 0,
  stray: 0,
  lostBytes: 0,
});

/** Takes in a frame whose messages have their links. */
export function noteFrame(facts: ConnectionFacts, frame: FrameUnit): void {
  if (frame.leg === 'server') return;
  facts.frames[frame.from]++;
  if (frame.stray && frame.stray.why !== 'blank') facts.stray++;
  for (const { message, link } of frame.messages) {
    if (link?.is === 'again') continue;
    if (message.kind === 'request') {
      facts.requests++;
      if (frame.from === 'client') noteRequest(facts, message);
    } else if (message.kind === 'notification') facts.notifications++;
    else {
      if (link?.is === 'unasked') facts.unasked++;
      if (link?.is === 'unasked' && failed(message)) facts.errors++;
      if (frame.from === 'server' && isObject(message.result)) noteResult(facts, message.result);
    }
  }
}

function noteRequest(facts: ConnectionFacts, message: Extract<FrameMessage, { kind: 'request' }>): void {
  addNew(facts.eras, shownEra(message));
  const claimed = claimedRevision(message)?.slice(0, longestRevision);
  if (claimed !== undefined) facts.askedRevision ??= claimed;
  const params = isObject(message.params) ? message.params : {};
  if (message.method === 'initialize') {
    if (typeof params['protocolVersion'] === 'string') {
      facts.askedRevision = params['protocolVersion'].slice(0, longestRevision);
    }
    setName(facts, 'client', params['clientInfo']);
  } else if (isObject(params['_meta'])) setName(facts, 'client', params['_meta'][clientInfoKey]);
}

type FrameMessage = FrameUnit['messages'][number]['message'];

function noteResult(facts: ConnectionFacts, result: JsonObject): void {
  if (isObject(result['_meta'])) setName(facts, 'server', result['_meta'][metaKeys.serverInfo]);
}

/** Takes in an exchange: the answer to `initialize`, or to a request that carries a revision, puts it in force. */
export function noteExchange(facts: ConnectionFacts, exchange: ExchangeUnit): void {
  if (exchange.status === 'error') facts.errors++;
  // A subscription waits for no answer.
  if (exchange.status === 'pending' && exchange.isOver && exchange.method !== 'subscriptions/listen')
    facts.unanswered++;
  const answer = exchange.answer?.message;
  const era = exchange.from === 'client' ? shownEra(exchange.request.message) : undefined;
  if (era === undefined || answer?.kind !== 'response') return;
  if (!isObject(answer.result)) {
    if (!facts.revisions.some((revision) => eraOf(revision) === era)) facts.refusedEra = era;
    return;
  }
  if (facts.refusedEra === era) delete facts.refusedEra;
  const claimed = claimedRevision(exchange.request.message);
  const revision = era === 'legacy' ? answer.result['protocolVersion'] : claimed;
  if (typeof revision === 'string') addNew(facts.revisions, revision.slice(0, longestRevision));
  if (era === 'legacy') setName(facts, 'server', answer.result['serverInfo']);
}

/** Takes in what was lost, and whose connection it is. */
export function noteConnection(facts: ConnectionFacts, unit: ConnectionUnit): void {
  if (unit.what === 'lost' && unit.leg !== 'server') facts.lostBytes += unit.lost.bytes;
  if (unit.what === 'opened' && unit.peer !== undefined) facts.peer = unit.peer.slice(0, longestName);
}

/** Takes in what a head on HTTP says of the session. */
export function noteHead(facts: ConnectionFacts, head: Head): void {
  const session = headerValue(head.lines, 'mcp-session-id');
  if (session !== undefined) facts.session = session.slice(0, longestName);
}

/** Takes in a stream that is over. */
export function noteStream(facts: ConnectionFacts, stream: StreamUnit): void {
  const { response, requests } = stream;
  if (requests === 0 && stateOfStream(stream) === 'error') facts.errors++;
  if (response?.status !== undefined && response.status >= 400) facts.refused = (facts.refused ?? 0) + 1;
}

/** A response that says that something went wrong: a JSON-RPC error, `isError: true`, or nothing at all. */
export function failed(response: Extract<FrameMessage, { kind: 'response' }>): boolean {
  if (response.error !== undefined && response.error !== null) return true;
  return response.result === undefined || (isObject(response.result) && response.result['isError'] === true);
}

function addNew<T>(list: T[], value: T | undefined): void {
  // A peer that claims a new revision with every request does not make the list grow without end.
  if (value !== undefined && list.length < 16 && !list.includes(value)) list.push(value);
}

function setName(facts: ConnectionFacts, side: 'client' | 'server', info: unknown): void {
  if (facts[side] !== undefined || !isObject(info) || typeof info['name'] !== 'string') return;
  const name = info['name'].slice(0, longestName);
  facts[side] = typeof info['version'] === 'string' ? `${name} ${info['version'].slice(0, longestName)}` : name;
}
