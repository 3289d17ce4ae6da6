import { closedByClient } from './format.ts';
import { idKey } from '../protocol/id.ts';
import { isObject, type Side } from '../protocol/message.ts';
import { failed } from './connection-facts.ts';
import { choose, type Open, type Place, rivalOf } from './open-choice.ts';
import { token } from './read-frame.ts';
import type { ExchangeUnit, FramedMessage, RequestRef, Spoken } from './unit.ts';

/** So many requests of one side are waited for; beyond them the oldest is handed on as it stands. */
const mostOpen = 65_536;
/** So many that were cancelled are kept to see whether an answer comes all the same. */
const mostCancelled = 1024;
/** So many finished exchanges are remembered, by their ids and by their progress tokens. */
const mostRemembered = 4096;
/** Longer ids and tokens are paired, but not remembered. */
const longestRemembered = 256;

/** The requests of one side of a connection: those that are open, and what is remembered of the others. */
export class OpenExchanges {
  private readonly byId = new Map<string, Open[]>();
  private readonly byToken = new Map<string, Open[]>();
  /** On HTTP, where a stream knows the requests that were asked on it. */
  private readonly byRequest = new Map<string, Open>();
  private readonly cancelled = new Set<Open>();
  private readonly finished = new Memory<RequestRef>(mostRemembered);
  private readonly finishedTokens = new Memory<RequestRef>(mostRemembered);
  private count = 0;

  /** A request was sent. Hands back what has to make room for it. */
  sent(c: number, from: Side, request: Spoken): ExchangeUnit[] {
    const key = idKey(request.id as string);
    const sameId = this.byId.get(key) ?? [];
    const open: Open = { exchange: newExchange(c, from, request), key, tokenKey: progressTokenKey(request) };
    const rival = rivalOf(open, sameId);
    if (rival) for (const one of [rival, open]) one.exchange.idReused = true;
    sameId.push(open);
    this.byId.set(key, sameId);
    if (request.s !== undefined) this.byRequest.set(requestKey(requestRef(open.exchange)), open);
    if (open.tokenKey !== undefined) this.addToken(open.tokenKey, open);
    return ++this.count > mostOpen ? this.giveUpOldest() : [];
  }

  /** The request that an answer with this id is for. It is no longer open. @param place where on HTTP it came */
  answered(id: string, place?: Place): Open | undefined {
    const open = place?.here ? this.firstOf(place.here) : choose(this.byId.get(idKey(id)), place);
    if (open) this.remove(open);
    return open;
  }

  /** This very request, where it is open. It is no longer. */
  take(request: RequestRef): Open | undefined {
    const open = this.find(request);
    if (open) this.remove(open);
    return open;
  }

  /** This very request, where it is open. */
  find = (request: RequestRef): Open | undefined => this.byRequest.get(requestKey(request));

  /** The first of these that is open. */
  private firstOf(requests: readonly RequestRef[]): Open | undefined {
    for (const request of requests) {
      const open = this.find(request);
      if (open) return open;
    }
    return undefined;
  }

  /** A finished request that had this id. */
  finishedWith = (id: string): RequestRef | undefined => this.finished.get(idKey(id));

  openWithToken(tokenText: string, place?: Place): Open | undefined {
    if (place?.here) return this.firstOf(place.here);
    const open = this.byToken.get(idKey(tokenText));
    return place ? choose(open, place) : open?.at(-1);
  }

  finishedWithToken = (tokenText: string): RequestRef | undefined => this.finishedTokens.get(idKey(tokenText));

  /** The request that a cancellation of this id is for. */
  toCancel(id: string, place?: Place): Open | undefined {
    if (place?.here) return this.firstOf(place.here);
    const isLeft = ({ exchange }: Open): boolean => exchange.cancelled === undefined;
    const open = this.byId.get(idKey(id));
    return place ? choose(open?.filter(isLeft), place, () => true) : open?.find(isLeft);
  }

  /** It stays open in case it is answered all the same. Hands back the oldest such one where there are too many. */
  cancel(open: Open, cancelled: NonNullable<ExchangeUnit['cancelled']>): ExchangeUnit[] {
    open.exchange.cancelled = cancelled;
    open.exchange.status = 'cancelled';
    this.cancelled.add(open);
    if (this.cancelled.size <= mostCancelled) return [];
    const [oldest] = this.cancelled as Iterable<Open>;
    this.remove(oldest as Open);
    return [(oldest as Open).exchange];
  }

  /** All that is still open, oldest first; nothing is open any more. */
  takeAll(): ExchangeUnit[] {
    const all = [...this.byId.values()].flat().map(({ exchange }) => exchange);
    this.byId.clear();
    this.byToken.clear();
    this.byRequest.clear();
    this.cancelled.clear();
    this.count = 0;
    return all.sort((one, other) => one.request.n - other.request.n);
  }

  /** On stdio a token is that of the last request with it; on HTTP the stream of its progress says whose it is. */
  private addToken(key: string, open: Open): void {
    const list = open.exchange.request.s === undefined ? undefined : this.byToken.get(key);
    if (list) list.push(open);
    else this.byToken.set(key, [open]);
  }

  private giveUpOldest(): ExchangeUnit[] {
    const oldest = this.byId.values().next().value?.[0];
    if (!oldest) return [];
    this.remove(oldest);
    return [oldest.exchange];
  }

  private remove(open: Open): void {
    drop(this.byId, open.key, open);
    this.cancelled.delete(open);
    this.count--;
    const ref = requestRef(open.exchange);
    this.byRequest.delete(requestKey(ref));
    this.finished.set(open.key, ref);
    if (open.tokenKey === undefined) return;
    drop(this.byToken, open.tokenKey, open);
    this.finishedTokens.set(open.tokenKey, ref);
  }
}

const requestKey = ({ n, index }: RequestRef): string => `${n} ${index}`;

function drop(lists: Map<string, Open[]>, key: string, open: Open): void {
  const list = lists.get(key);
  const at = list?.[0] === open ? 0 : (list?.lastIndexOf(open) ?? -1);
  if (!list || at < 0) return;
  list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}

/** The last so many things, by key. */
class Memory<T> {
  private readonly things = new Map<string, T>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get = (key: string): T | undefined => this.things.get(key);

  set(key: string, thing: T): void {
    if (key.length > longestRemembered) return;
    this.things.delete(key);
    this.things.set(key, thing);
    if (this.things.size > this.most) this.things.delete(this.things.keys().next().value as string);
  }
}

function newExchange(c: number, from: Side, request: Spoken): ExchangeUnit {
  const method = request.message.kind === 'request' ? request.message.method : '';
  const tool = toolName(request);
  return {
    unit: 'exchange',
    c,
    n: request.n,
    at: request.at,
    from,
    request,
    method,
    ...(tool === undefined ? {} : { tool }),
    id: request.id as string,
    status: 'pending',
    isOver: false,
    progress: { count: 0 },
    idReused: false,
  };
}

/** The tool that a request calls. */
export function toolName({ message }: FramedMessage): string | undefined {
  if (message.kind !== 'request' || message.method !== 'tools/call' || !isObject(message.params)) return undefined;
  return typeof message.params['name'] === 'string' ? message.params['name'] : undefined;
}

/** What names the request of an exchange. */
export const requestRef = ({ request, from, method, tool, id }: ExchangeUnit): RequestRef => ({
  n: request.n,
  index: request.batch?.index ?? 0,
  at: request.at,
  from,
  method,
  ...(tool === undefined ? {} : { tool }),
  id,
});

/** Puts an answer to its exchange. */
export function settle(exchange: ExchangeUnit, answer: Spoken): void {
  exchange.answer = answer;
  exchange.n = answer.n;
  exchange.at = answer.at;
  exchange.duration = Math.max(0, answer.at - exchange.request.at);
  exchange.isOver = true;
  if (exchange.status === 'cancelled') exchange.status = 'late';
  else exchange.status = answer.message.kind === 'response' && !failed(answer.message) ? 'ok' : 'error';
}

/** Ends an exchange whose request was refused with this status and no answer. */
export function refuse(
  exchange: ExchangeUnit,
  { n, at }: { n: number; at: number },
  { httpStatus, refusal }: { httpStatus: number; refusal: Uint8Array | undefined },
): void {
  exchange.n = n;
  exchange.at = at;
  exchange.duration = Math.max(0, at - exchange.request.at);
  exchange.httpStatus = httpStatus;
  if (refusal) exchange.refusal = refusal;
  exchange.isOver = true;
  if (exchange.status === 'pending') exchange.status = 'error';
}

/** Ends an exchange that nothing can answer any more since its stream is over; where the client closed it, that cancels it. */
export function abandon(exchange: ExchangeUnit, end: NonNullable<ExchangeUnit['streamEnd']>): void {
  const { n, at, why } = end;
  exchange.n = n;
  exchange.at = at;
  exchange.streamEnd = end;
  exchange.isOver = true;
  if (exchange.status !== 'pending' || why !== closedByClient) return;
  exchange.status = 'cancelled';
  exchange.cancelled = { n, at, closed: true };
}

/** The progress token that a request gives, as a key. */
export function progressTokenKey({ message, json }: FramedMessage): string | undefined {
  if (message.kind !== 'request' || !isObject(message.params) || !isObject(message.params['_meta'])) return undefined;
  const value = message.params['_meta']['progressToken'];
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return idKey(token(json, ['params', '_meta', 'progressToken'], value));
}
