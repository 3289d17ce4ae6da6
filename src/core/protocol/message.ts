/** Who sent something. */
export type Side = 'client' | 'server';

export const otherSide = (side: Side): Side => (side === 'client' ? 'server' : 'client');

export type JsonObject = { readonly [member: string]: unknown };

/**
 * A body read as JSON-RPC (specification: basic, messages). Reading is lenient: a message that breaks
 * a rule is still a message, as long as it can be told what it was meant to be.
 */
export type Message =
  | { kind: 'request'; method: string; id: unknown; params: unknown; json: JsonObject }
  | { kind: 'notification'; method: string; params: unknown; json: JsonObject }
  | { kind: 'response'; id: unknown; result: unknown; error: unknown; json: JsonObject };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The message that a parsed body is, or nothing where it is JSON but no JSON-RPC message. */
export function readMessage(value: unknown): Message | undefined {
  if (!isObject(value)) return undefined;
  const json = value;
  if (typeof json['method'] === 'string') {
    const { method, params } = json;
    return 'id' in json
      ? { kind: 'request', method, id: json['id'], params, json }
      : { kind: 'notification', method, params, json };
  }
  const answers = 'result' in json || 'error' in json;
  const marked = json['jsonrpc'] !== undefined;
  if (!(answers && (marked || 'id' in json)) && !(marked && 'id' in json)) return undefined;
  return { kind: 'response', id: json['id'], result: json['result'], error: json['error'], json };
}

/** The messages in a body: one, or those of a batch (revision 2025-03-26), or none. */
export function readMessages(value: unknown): Message[] {
  const candidates = Array.isArray(value) ? (value as unknown[]) : [value];
  return candidates.map(readMessage).filter((message) => message !== undefined);
}
