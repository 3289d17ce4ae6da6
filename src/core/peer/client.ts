import { isObject, type JsonObject, type Message, readMessages } from '../protocol/message.ts';
import { type Era, metaKeys } from '../protocol/revision.ts';
import { parseBody } from '../wire/parse-body.ts';
import { writeUtf8 } from '../wire/utf8.ts';

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
  /** An answer to nothing that was asked, or asked and answered before. */
  | { kind: 'unasked'; json: JsonObject }
  /** No message at all. */
  | { kind: 'stray'; body: Uint8Array };

/** Who the client is, as requests of the modern era say each time. */
export interface ClientIdentity {
  client: { name: string; version: string };
  capabilities: JsonObject;
}

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
  private readonly pending = new Map<number, string>();
  private lastId = 0;

  constructor(identity: ClientIdentity) {
    this.identity = identity;
  }

  /** @param options `revision` where another one is claimed than was agreed on; `progress` asks for progress */
  request(method: string, params: JsonObject, options: { revision?: string; progress?: boolean } = {}): Outgoing {
    const id = ++this.lastId;
    this.pending.set(id, method);
    const isModern = options.revision !== undefined || this.era === 'modern';
    const given = isObject(params['_meta']) ? params['_meta'] : {};
    if (!isModern && options.progress !== true) {
      // There is nothing to add, as for most requests of the handshake's era.
      const json = { jsonrpc: '2.0', id, method, params };
      return { id, method, json, body: writeUtf8(JSON.stringify(json)) };
    }
    const meta = {
      ...(isModern ? this.modernMeta(options.revision ?? this.revision ?? '') : {}),
      ...(options.progress === true ? { progressToken: id } : {}),
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
    this.pending.delete(id);
  }

  hear(body: Uint8Array): Heard[] {
    const messages = readMessages(parseBody(body));
    if (messages.length === 0) return [{ kind: 'stray', body }];
    return messages.map((message) => this.heard(message));
  }

  private heard(message: Message): Heard {
    const { json } = message;
    if (message.kind !== 'response') {
      const params = isObject(message.params) ? message.params : {};
      const { method } = message;
      return message.kind === 'request'
        ? { kind: 'request', id: message.id, method, params, json }
        : { kind: 'notification', method, params, json };
    }
    const { id, result, error } = message;
    const method = typeof id === 'number' ? this.pending.get(id) : undefined;
    if (typeof id !== 'number' || method === undefined) return { kind: 'unasked', json };
    this.pending.delete(id);
    return { kind: 'answer', id, method, result, error, json };
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

function outgoing(json: JsonObject): Outgoing {
  return { json, body: writeUtf8(JSON.stringify(json)) };
}
