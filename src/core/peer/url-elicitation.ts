import { isObject, type JsonObject } from '../protocol/message.ts';

const urlElicitationRequired = -32_042;

/** More pages than a person would visit for one request. */
const mostPages = 10;

/** A page that has to be visited before a request can be answered, as the params of `elicitation/create`. */
export type RequiredPage = JsonObject & { url: string; elicitationId: string };

/**
 * The pages that an error asks for (2025-11-25: client/elicitation, URL elicitation required error); nothing where it is
 * another error, or one that cannot be followed.
 */
export function requiredPages(error: unknown): readonly RequiredPage[] | undefined {
  if (!isObject(error) || error['code'] !== urlElicitationRequired || !isObject(error['data'])) return undefined;
  const { elicitations } = error['data'];
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > mostPages) return undefined;
  return elicitations.every(isPage) ? elicitations : undefined;
}

const isPage = (one: unknown): one is RequiredPage =>
  isObject(one) &&
  one['mode'] === 'url' &&
  typeof one['elicitationId'] === 'string' &&
  typeof one['url'] === 'string' &&
  isUrl(one['url']);

function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}
