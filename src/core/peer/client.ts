import { isObject, type JsonObject, type Message, readMessages } from '../protocol/message.ts';
import { type Era, metaKeys } from '../protocol/revision.ts';
import { parseBody } from '../wire/parse-body.ts';
import { writeUtf8 } from '../wire/utf8.ts';
import { ListedTools } from './listed-tools.ts';
import { shownJson } from './shown-json.ts';

/** A message of the client, ready to be sent. */
export interface Outgoing {
  /** Of a request: its id. */
  id?: number;
  method?: string;
  json: JsonObject;
  body: Uint8Array;
}

/** What a body from the server turned out to be. */
export type Heard =
  | { kind: 'answer'; id: number; method: string; result: unknown; error: unknown; json: JsonObject }
  | { kind: 'request'; id: unknown; method: string; params: JsonObject; json: JsonObject }
  | { kind: 'notification'; method: string; params: JsonObject; json: JsonObject }
  /** What belongs to nothing that was asked, or is not over yet. @param why as a person is told */
  | { kind: 'unasked'; json: JsonObject; why: string }
  /** No message at all. */
  | { kind: 'stray'; body: Uint8Array };

/** Who the client is, as requests of the modern era say each time. */
export interface ClientIdentity {
  client: { name: string; version: string };
  capabilities: JsonObject;
}

/** A request that is not answered yet. */
interface Pending {
  method: string;
  asksForProgress: boolean;
  /** Of a list: it is not the next page of one. */
  isFirstPage: boolean;
}

/** So many tokens that belong to nothing are told of. */
const mostStrangeTokens = 8;

/**
 * Speaks as an MCP client, in either era: makes messages, and says what the server's are. It knows no transport and never waits.
 */
export class Client {
  /** What requests say of themselves; nothing before it is agreed on. */
  era: Era | undefined;
  revision: string | undefined;
  /** The least level of log messages that are wanted with each request (2026-07-28, server/utilities/logging). */
  logLevel: string | undefined;
  private readonly identity: ClientIdentity;
  /** What the server listed last. */
  readonly tools = new ListedTools();
  private readonly pending = new Map<number, Pending>();
  /** Requests that nobody waits for any more: what still comes for them is no fault. */
  private readonly forgotten = new OldestOut<number>();
  private readonly strangeTokens = new Set<unknown>();
  private lastId = 0;

  constructor(identity: ClientIdentity) {
    this.identity = identity;
  }

  /** @param options `revision` where another one is claimed than was agreed on; `progress` asks for progress */
  request(method: string, params: JsonObject, options: { revision?: string; progress?: boolean } = {}): Outgoing {
    const id = ++this.lastId;
    const asksForProgress = options.progress === true;
    this.pending.set(id, { method, asksForProgress, isFirstPage: params['cursor'] === undefined });
    const isModern = options.revision !== undefined || this.era === 'modern';
    const given = isObject(params['_meta']) ? params['_meta'] : {};
    if (!isModern && options.progress !== true) {
      // There is nothing to add, as for most requests of the handshake's era.
      const json = { jsonrpc: '2.0', id, method, params };
      return { id, method, json, body: writeUtf8(JSON.stringify(json)) };
    }
    const meta = {
      ...(isModern ? this.modernMeta(options.revision ?? this.revision ?? '') : {}),
      ...(asksForProgress ? { progressToken: id } : {}),
      ...given,
    };
    const whole = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    return { ...outgoing({ jsonrpc: '2.0', id, method, params: whole }), id, method };
  }

  notification(method: string, params: JsonObject = {}): Outgoing {
    const json = { jsonrpc: '2.0', method, ...(Object.keys(params).length > 0 ? { params } : {}) };
    return { ...outgoing(json), method };
  }

  /** The answer to a request of the server. */
  answer(id: unknown, outcome: { result: JsonObject } | { error: { code: number; message: string } }): Outgoing {
    return outgoing({ jsonrpc: '2.0', id, ...outcome });
  }

  /** No answer to this request is waited for any more. */
  forget(id: number): void {
    if (this.pending.delete(id)) this.forgotten.add(id);
  }

  hear(body: Uint8Array): Heard[] {
    const messages = readMessages(parseBody(body));
    if (messages.length === 0) return [{ kind: 'stray', body }];
    return messages.flatMap((message) => this.heard(message));
  }

  private heard(message: Message): Heard[] {
    const { json } = message;
    if (message.kind === 'response') return this.answered(message);
    const params = isObject(message.params) ? message.params : {};
    const { method } = message;
    if (message.kind === 'request') return [{ kind: 'request', id: message.id, method, params, json }];
    const why = method === 'notifications/progress' ? this.whyStrange(params['progressToken']) : undefined;
    return [why === undefined ? { kind: 'notification', method, params, json } : { kind: 'unasked', json, why }];
  }

  private answered({ id, result, error, json }: Message & { kind: 'response' }): Heard[] {
    const asked = typeof id === 'number' ? this.pending.get(id) : undefined;
    if (typeof id !== 'number' || !asked) return [{ kind: 'unasked', json, why: this.whyUnasked(id) }];
    const { method, isFirstPage } = asked;
    this.pending.delete(id);
    if (method === 'tools/list') this.tools.take(result, isFirstPage);
    // Many libraries write a null for the one that there is not.
    const isBoth = isGiven(result) && isGiven(error);
    const answer: Heard = { kind: 'answer', id, method, result, error: error ?? undefined, json };
    const why = `the answer to ${method} has both a result and an error, and may have only one: the error counts`;
    return isBoth ? [answer, { kind: 'unasked', json, why }] : [answer];
  }

  private whyUnasked(id: unknown): string {
    const spelled = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
    if (spelled !== undefined && this.pending.has(spelled)) {
      return `an answer to the id ${shownJson(id)}, which is text: the request had the number ${spelled}, and waits still`;
    }
    if (typeof id === 'number' && this.forgotten.has(id)) return `an answer that nobody waits for any more, to ${id}`;
    if (typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= this.lastId)
      return `a second answer to ${id}`;
    return `an answer to ${id === undefined ? 'no id' : `the id ${shownJson(id)}`}, which nothing was asked with`;
  }

  /** Progress is told of what is still running, under the token that it was given (basic/utilities/progress). */
  private whyStrange(token: unknown): string | undefined {
    const isId = typeof token === 'number';
    if (isId && (this.pending.get(token)?.asksForProgress === true || this.forgotten.has(token))) return undefined;
    if (this.strangeTokens.has(token) || this.strangeTokens.size >= mostStrangeTokens) return undefined;
    this.strangeTokens.add(token);
    const isOver = isId && Number.isInteger(token) && token > 0 && token <= this.lastId && !this.pending.has(token);
    return isOver
      ? `progress of request ${token}, which is answered already`
      : `progress under the token ${shownJson(token)}, which no request was given`;
  }

  private modernMeta(revision: string): JsonObject {
    const { client, capabilities } = this.identity;
    return {
      [metaKeys.protocolVersion]: revision,
      [metaKeys.clientInfo]: client,
      [metaKeys.clientCapabilities]: capabilities,
      ...(this.logLevel === undefined ? {} : { [metaKeys.logLevel]: this.logLevel }),
    };
  }
}

/** Holds the newest of what it is given. */
class OldestOut<T> {
  private readonly all = new Set<T>();

  add(one: T): void {
    this.all.add(one);
    if (this.all.size <= mostForgotten) return;
    for (const oldest of this.all) {
      this.all.delete(oldest);
      return;
    }
  }

  has(one: T): boolean {
    return this.all.has(one);
  }
}

const mostForgotten = 1000;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function outgoing(json: JsonObject): Outgoing {
  return { json, body: writeUtf8(JSON.stringify(json)) };
}
