import { idKey } from '../protocol/id.ts';
import { isObject, type Side } from '../protocol/message.ts';
import { failed } from './connection-facts.ts';
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

/** An exchange that waits for its answer. */
export interface Open {
  exchange: ExchangeUnit;
  key: string;
  tokenKey: string | undefined;
}

/** The requests of one side of a connection: those that are open, and what is remembered of the others. */
export class OpenExchanges {
  private readonly byId = new Map<string, Open[]>();
  private readonly byToken = new Map<string, Open>();
  private readonly cancelled = new Set<Open>();
  private readonly finished = new Memory<RequestRef>(mostRemembered);
  private readonly finishedTokens = new Memory<RequestRef>(mostRemembered);
  private count = 0;

  /** A request was sent. Hands back what has to make room for it. */
  sent(c: number, from: Side, request: Spoken): ExchangeUnit[] {
    const key = idKey(request.id as string);
    const sameId = this.byId.get(key) ?? [];
    const open: Open = { exchange: newExchange(c, from, request), key, tokenKey: progressTokenKey(request) };
    sameId.push(open);
    // All but the first two are marked when they come.
    if (sameId.length > 1) for (const index of [0, -1]) (sameId.at(index) as Open).exchange.idReused = true;
    this.byId.set(key, sameId);
    if (open.tokenKey !== undefined) this.byToken.set(open.tokenKey, open);
    return ++this.count > mostOpen ? this.giveUpOldest() : [];
  }

  /** The request that an answer with this id is for: the one that waits longest. It is no longer open. */
  answered(id: string): Open | undefined {
    const open = this.byId.get(idKey(id))?.[0];
    if (open) this.remove(open);
    return open;
  }

  /** This very request, where it is open. It is no longer. */
  take({ n, index, id }: { n: number; index: number; id: string }): Open | undefined {
    const isIt = ({ exchange: { request } }: Open): boolean => request.n === n && (request.batch?.index ?? 0) === index;
    const open = this.byId.get(idKey(id))?.find(isIt);
    if (open) this.remove(open);
    return open;
  }

  /** Is this very request open? */
  has(request: { n: number; index: number; id: string }): boolean {
    return this.byId.get(idKey(request.id))?.some(({ exchange }) => exchange.request.n === request.n) === true;
  }

  /** A finished request that had this id. */
  finishedWith = (id: string): RequestRef | undefined => this.finished.get(idKey(id));

  openWithToken = (tokenText: string): Open | undefined => this.byToken.get(idKey(tokenText));

  finishedWithToken = (tokenText: string): RequestRef | undefined => this.finishedTokens.get(idKey(tokenText));

  /** The request that a cancellation of this id is for. */
  toCancel(id: string): Open | undefined {
    return this.byId.get(idKey(id))?.find(({ exchange }) => exchange.cancelled === undefined);
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
    this.cancelled.clear();
    this.count = 0;
    return all.sort((one, other) => one.request.n - other.request.n);
  }

  private giveUpOldest(): ExchangeUnit[] {
    const oldest = this.byId.values().next().value?.[0];
    if (!oldest) return [];
    this.remove(oldest);
    return [oldest.exchange];
  }

  private remove(open: Open): void {
    const sameId = this.byId.get(open.key) as Open[];
    sameId.splice(sameId.indexOf(open), 1);
    if (sameId.length === 0) this.byId.delete(open.key);
    this.cancelled.delete(open);
    this.count--;
    const ref = requestRef(open.exchange);
    this.finished.set(open.key, ref);
    if (open.tokenKey === undefined) return;
    if (this.byToken.get(open.tokenKey) === open) this.byToken.delete(open.tokenKey);
    this.finishedTokens.set(open.tokenKey, ref);
  }
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
export function refuse(exchange: ExchangeUnit, { n, at }: { n: number; at: number }, httpStatus: number): void {
  exchange.n = n;
  exchange.at = at;
  exchange.duration = Math.max(0, at - exchange.request.at);
  exchange.httpStatus = httpStatus;
  exchange.isOver = true;
  if (exchange.status === 'pending') exchange.status = 'error';
}

function progressTokenKey({ message, json }: FramedMessage): string | undefined {
  if (message.kind !== 'request' || !isObject(message.params) || !isObject(message.params['_meta'])) return undefined;
  const value = message.params['_meta']['progressToken'];
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return idKey(token(json, ['params', '_meta', 'progressToken'], value));
}
