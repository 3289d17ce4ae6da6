import { headerValue } from '../wire/http-headers.ts';
import { eraOf, shownEra } from '../protocol/revision.ts';
import type { ExchangeUnit, RequestRef, Spoken } from './unit.ts';

/** An exchange that waits for its answer. */
export interface Open {
  exchange: ExchangeUnit;
  key: string;
  tokenKey: string | undefined;
}

/** Where on HTTP something is said that belongs to a request. */
export interface Place {
  /** It goes on with what had begun on this stream. */
  resumed?: number | undefined;
  session?: string | undefined;
  /** Those that were asked on this very stream with the same id, or token: it is about one of them. */
  here?: readonly RequestRef[] | undefined;
  /** Is what was asked on this stream being answered there? */
  isAnswering?: ((s: number) => boolean) | undefined;
}

/** More requests with one id are not looked through to say that it is in use. */
const mostLooked = 64;

/**
 * The request that something is about which comes on another stream than it: of those that may be answered there, one
 * of the stream that is resumed, or the newest. On stdio, where there are no places, the one that waits longest.
 */
export function choose(
  open: readonly Open[] | undefined,
  place: Place | undefined,
  fits: (open: Open) => boolean = mayBeAnsweredElsewhere,
): Open | undefined {
  return !open || !place ? open?.[0] : elsewhere(open, place, fits);
}

/** The first of those that were asked on a stream; they stand together. */
function askedOn(open: readonly Open[], s: number): Open | undefined {
  const last = open.findLastIndex(({ exchange }) => exchange.request.s === s);
  let at = last;
  while (at > 0 && open[at - 1]?.exchange.request.s === s) at--;
  return open[at];
}

function elsewhere(open: readonly Open[], place: Place, fits: (open: Open) => boolean): Open | undefined {
  if (place.resumed !== undefined) {
    const begun = askedOn(open, place.resumed);
    if (begun && fits(begun)) return begun;
  }
  const mayBe = (one: Open): boolean => fits(one) && isSameSession(one, place.session);
  const { isAnswering } = place;
  const waits = ({ exchange: { from, request } }: Open): boolean =>
    from === 'server' || request.s === undefined || isAnswering?.(request.s) !== true;
  return open.findLast((one) => mayBe(one) && waits(one)) ?? open.findLast(mayBe);
}

/** In the modern era a request is answered on its own stream or not at all (2026-07-28, basic/transports/streamable-http). */
const mayBeAnsweredElsewhere = ({ exchange }: Open): boolean => !isBoundToStream(exchange);

/** A request of the modern era on HTTP, as its metadata or its head says. */
export function isBoundToStream({ from, method, request }: ExchangeUnit): boolean {
  if (from === 'server' || request.s === undefined) return false;
  const era = shownEra(request.message);
  if (era !== undefined) return era === 'modern';
  return method === 'subscriptions/listen' || isModernHead(request);
}

function isModernHead({ heads }: Spoken): boolean {
  const revision = headerValue(heads?.request?.lines ?? [], 'mcp-protocol-version')?.trim() ?? '';
  return /^\d{4}-\d\d-\d\d$/.test(revision) && eraOf(revision) === 'modern';
}

/** Another one that is open under the same id, so that what answers the one may be taken for the answer to the other. */
export function rivalOf(open: Open, others: readonly Open[]): Open | undefined {
  const { s } = open.exchange.request;
  if (s === undefined) return others[0];
  const session = sessionOf(open.exchange.request);
  return others.slice(-mostLooked).findLast((other) => {
    if (other.exchange.request.s === s) return true;
    if (!mayBeAnsweredElsewhere(open) || !mayBeAnsweredElsewhere(other)) return false;
    // Its client has let go of it.
    if (other.exchange.streamEnd?.why !== undefined) return false;
    return isSameSession(other, session);
  });
}

const sessionOf = ({ heads }: Spoken): string | undefined =>
  heads?.request && headerValue(heads.request.lines, 'mcp-session-id');

/** One of them may not have been told yet. */
function isSameSession({ exchange }: Open, session: string | undefined): boolean {
  const own = sessionOf(exchange.request);
  return own === undefined || session === undefined || own === session;
}
