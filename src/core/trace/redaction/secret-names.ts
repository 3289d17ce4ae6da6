import type { SecretKind } from './stand-in.ts';

/** The parameters and members of OAuth that are secrets (RFC 6749, 7009, 7521, 7591, 7636, 8628, 8693), and their like. */
const oauthNames: ReadonlyMap<string, SecretKind> = new Map<string, SecretKind>([
  ...(
    [
      'access_token',
      'refresh_token',
      'id_token',
      'id_token_hint',
      'token',
      'subject_token',
      'actor_token',
      'registration_access_token',
      'initial_access_token',
      'assertion',
      'client_assertion',
      'samlresponse',
    ] as const
  ).map((name) => [name, 'token'] as const),
  ...(['code', 'code_verifier', 'device_code', 'user_code'] as const).map((name) => [name, 'code'] as const),
  ...(['client_secret', 'password'] as const).map((name) => [name, 'secret'] as const),
]);

/** Names that services give their keys where these stand in a URL, and the signatures that make a URL a key. */
const keyNames: ReadonlySet<string> = new Set([
  'apikey',
  'xapikey',
  'key',
  'accesskey',
  'authtoken',
  'secret',
  'sig',
  'signature',
  'xamzsignature',
  'xamzsecuritytoken',
  'xgoogsignature',
]);
/** The HTTP+SSE transport of 2024-11-05 names its sessions so; others are the habits of servers. */
const sessionNames: ReadonlySet<string> = new Set(['session', 'sessionid', 'mcpsessionid', 'jsessionid', 'phpsessid']);

/** Whether the member of an OAuth body is a secret; `depth` 1 is the outermost. */
export function oauthMemberKind(name: string, depth: number): SecretKind | undefined {
  const lower = name.toLowerCase();
  // Further in, a code says what went wrong.
  return lower === 'code' && depth > 1 ? undefined : oauthNames.get(lower);
}

/** Whether a parameter of a URL or of a form is a secret. Its name is decoded already. */
export function parameterKind(name: string): SecretKind | undefined {
  const lower = name.toLowerCase();
  const known = oauthNames.get(lower);
  if (known !== undefined) return known;
  const plain = lower.replaceAll(/[-_]/g, '');
  if (sessionNames.has(plain)) return 'session';
  return keyNames.has(plain) ? 'secret' : undefined;
}

/** Whether a header has credentials in it behind the name of their scheme, as `X-Forwarded-Authorization` does. */
export const isCredentials = (name: string): boolean => /(?:^|-)authorization$/.test(name.toLowerCase());

/** Whether a header's whole value is a secret: `X-Api-Key`, `X-Auth-Token`, `CF-Access-Client-Secret`. */
export function headerKind(name: string): SecretKind | undefined {
  const lower = name.toLowerCase();
  if (/(?:^|[-_])session-?id$/.test(lower)) return 'session';
  if (lower === 'dpop') return 'proof';
  return /(?:^|[-_])(?:api-?key|api_key|access-?key|auth-?key|subscription-key|functions-key|token|jwt-assertion|secret|password)$/.test(
    lower,
  )
    ? 'secret'
    : undefined;
}

/** What stands where a secret should be and is none: seeing that is what explains a failure. */
export const isNoSecret = (text: string): boolean =>
  text === '' || /^(?:undefined|null|none|nil|\[object \w+\]|\$\{\w+\}|\{\{ ?\w+ ?\}\})$/i.test(text);
