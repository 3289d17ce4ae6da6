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
 * Whether JSON carries secrets of OAuth: an object that is no JSON-RPC message and has one of them as a member. One that
 * is cut off counts too, and one of several that stand one behind the other.
 *
 * @param path Where the request went: at an endpoint for OAuth a lone `code` is taken for one, elsewhere for an error's.
 */
export function looksLikeOAuth(text: string, path: string): boolean {
  const walk = new JsonWalk(text);
  if (!walk.next() || text[walk.from] !== '{') return false;
  const isAtEndpoint = oauthPath.test(path);
  let object = newObject(isAtEndpoint);
  while (walk.next()) {
    if (walk.depth === 0) {
      if (isOAuth(object)) return true;
      object = newObject(isAtEndpoint);
    }
    const name = walk.names[0];
    if (walk.depth !== 1 || typeof name !== 'string') continue;
    if (name === 'jsonrpc') object.isMessage = true;
    if (besideCode.has(name)) object.isExchange = true;
    if (walk.kind !== '"' || oauthMemberKind(name, 1) === undefined) continue;
    if (new JsonString(text.slice(walk.from, walk.to)).text === '') continue;
    if (name.toLowerCase() === 'code') object.hasCode = true;
    else object.hasSecret = true;
  }
  return isOAuth(object);
}

/** What has been seen of an object. */
interface SeenObject {
  isMessage: boolean;
  isExchange: boolean;
  hasCode: boolean;
  hasSecret: boolean;
}

const newObject = (isExchange: boolean): SeenObject => ({
  isMessage: false,
  isExchange,
  hasCode: false,
  hasSecret: false,
});

const isOAuth = ({ isMessage, isExchange, hasCode, hasSecret }: SeenObject): boolean =>
  !isMessage && (hasSecret || (hasCode && isExchange));
