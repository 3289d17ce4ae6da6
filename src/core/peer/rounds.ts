import { isObject, type JsonObject } from '../protocol/message.ts';

/** What a server asks for before it can answer (2026-07-28: basic/patterns/mrtr). */
export interface InputRequired {
  /** Requests of the server, by its own keys. */
  requests: ReadonlyMap<string, { method: string; params: JsonObject }>;
  /** To be given back as it came. */
  state: string | undefined;
}

/** What is asked for in a result; nothing where it is a final one. */
export function inputRequired(result: unknown): InputRequired | undefined {
  if (!isObject(result) || result['resultType'] !== 'input_required') return undefined;
  const { inputRequests, requestState } = result;
  return {
    requests: serverRequests(inputRequests),
    state: typeof requestState === 'string' ? requestState : undefined,
  };
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
