import { JsonString, JsonWalk } from './json-walk.ts';
import { oauthMemberKind } from './secret-names.ts';

/** What stands beside a code that is to be exchanged for a token. */
const besideCode: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'redirect_uri',
  'state',
  'iss',
  'code_verifier',
]);
const oauthPath =
  /(?:^|\/)(?:oauth2?|token|authorize|callback|register|introspect|revoke|device_authorization)(?:[/?]|$)/i;

/**
 * Whether a body that no endpoint is known for carries secrets of OAuth: an object that is no JSON-RPC message and has
 * one of them as a member. One that is cut off counts too.
 *
 * @param path Where the request went: at an endpoint for OAuth a lone `code` is taken for one, elsewhere for an error's.
 */
export function looksLikeOAuth(text: string, contentType: string | undefined, path: string): boolean {
  if (
    contentType !== undefined &&
    /^\s*(?:application\/x-www-form-urlencoded|text\/event-stream|multipart\/)/i.test(contentType)
  ) {
    return false;
  }
  const walk = new JsonWalk(text);
  if (!walk.next() || text[walk.from] !== '{') return false;
  let hasCode = false;
  let hasSecret = false;
  let isExchange = oauthPath.test(path);
  while (walk.next()) {
    const name = walk.names[0];
    if (walk.depth !== 1 || typeof name !== 'string') continue;
    if (name === 'jsonrpc') return false;
    if (besideCode.has(name)) isExchange = true;
    if (walk.kind !== '"' || oauthMemberKind(name, 1) === undefined) continue;
    if (new JsonString(text.slice(walk.from, walk.to)).text === '') continue;
    if (name.toLowerCase() === 'code') hasCode = true;
    else hasSecret = true;
  }
  return hasSecret || (hasCode && isExchange);
}
