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
    ] as const
  ).map((name) => [name, 'token'] as const),
  ...(['code', 'code_verifier', 'device_code', 'user_code'] as const).map((name) => [name, 'code'] as const),
  ...(['client_secret', 'password'] as const).map((name) => [name, 'secret'] as const),
]);

/** Names that services give their keys where these stand in a URL. */
const keyNames: ReadonlySet<string> = new Set(['apikey', 'xapikey', 'key', 'accesskey', 'authtoken', 'secret']);

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
  // The HTTP+SSE transport of 2024-11-05 names its sessions so.
  if (plain === 'sessionid' || plain === 'mcpsessionid') return 'session';
  return keyNames.has(plain) ? 'secret' : undefined;
}

/** Whether a header's whole value is a secret: `X-Api-Key`, `X-Auth-Token`, `CF-Access-Client-Secret`. */
export function headerKind(name: string): SecretKind | undefined {
  const lower = name.toLowerCase();
  if (lower === 'mcp-session-id') return 'session';
  if (lower === 'dpop') return 'proof';
  return /(?:^|[-_])(?:api-?key|api_key|subscription-key|functions-key|token|jwt-assertion|secret|password)$/.test(
    lower,
  )
    ? 'secret'
    : undefined;
}

/** What stands where a secret should be and is none: seeing that is what explains a failure. */
export const isNoSecret = (text: string): boolean =>
  text === '' || /^(?:undefined|null|none|nil|\[object \w+\]|\$\{\w+\}|\{\{ ?\w+ ?\}\})$/i.test(text);
