import { isObject, type JsonObject } from '../protocol/message.ts';
import { shownJson } from './shown-json.ts';

/** What a server asks for before it can answer (2026-07-28: basic/patterns/mrtr). */
export interface InputRequired {
  /** Requests of the server, by its own keys. */
  requests: ReadonlyMap<string, { method: string; params: JsonObject }>;
  /** To be given back as it came. */
  state: string | undefined;
  /** Why it cannot be answered, where it cannot. */
  trouble: string | undefined;
}

/** Requests that may be answered so (2026-07-28: basic/patterns/mrtr, supported requests). */
const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What is asked for in a result of this method; nothing where it is a final one. */
export function inputRequired(result: unknown, method: string): InputRequired | undefined {
  if (!isObject(result) || result['resultType'] !== 'input_required') return undefined;
  const { inputRequests, requestState } = result;
  const entries = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return {
    requests: serverRequests(inputRequests),
    state: typeof requestState === 'string' ? requestState : undefined,
    trouble: troubleWith(result, entries, method),
  };
}

function troubleWith(
  { inputRequests, requestState }: JsonObject,
  entries: readonly [string, unknown][],
  method: string,
): string | undefined {
  const asks = 'the server asks for input (input_required)';
  if (!askable.has(method)) return `${asks} where it may not, as the answer to ${method}`;
  if (inputRequests !== undefined && !isObject(inputRequests)) return `${asks}, and inputRequests is no object`;
  const strange = entries.find((entry) => !isRequest(entry));
  if (strange) return `${asks}, and ${shownJson(strange[0])} of its inputRequests is no request`;
  if (requestState !== undefined && typeof requestState !== 'string') return `${asks}, and requestState is no text`;
  if (entries.length > 0 || requestState !== undefined) return undefined;
  return `${asks}, and says neither which (inputRequests) nor where it stands (requestState)`;
}

/** What of `inputRequests` are requests, by the server's own keys. */
export function serverRequests(inputRequests: unknown): InputRequired['requests'] {
  const entries = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return new Map(
    entries
      .filter(isRequest)
      .map(([key, { method, params }]) => [key, { method, params: isObject(params) ? params : {} }]),
  );
}

const isRequest = (entry: [string, unknown]): entry is [string, JsonObject & { method: string }] =>
  isObject(entry[1]) && typeof entry[1]['method'] === 'string';

/** The same request once more, with what was asked for. */
export function answeredParams(
  params: JsonObject,
  { state }: InputRequired,
  responses: Readonly<Record<string, JsonObject>>,
): JsonObject {
  return {
    ...params,
    ...(Object.keys(responses).length > 0 ? { inputResponses: responses } : {}),
    ...(state === undefined ? {} : { requestState: state }),
  };
}
