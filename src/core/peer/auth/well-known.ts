/** A path as it stands behind a well-known part: none where it is the root. */
const ownPath = ({ pathname }: URL): string => pathname.replace(/\/+$/, '');

function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Where the metadata of a protected resource may be, in the order in which they are to be tried (RFC 9728, section 3.1;
 * 2025-11-25: basic/authorization, protected resource metadata discovery).
 */
export function resourceMetadataUrls(endpoint: URL): string[] {
  const root = `${endpoint.origin}/.well-known/oauth-protected-resource`;
  return [...new Set([root + ownPath(endpoint) + endpoint.search, root])];
}

/**
 * Where the metadata of an authorization server may be, in the order in which they are to be tried (RFC 8414, sections
 * 3.1 and 5; 2025-11-25: basic/authorization, authorization server metadata discovery).
 */
export function serverMetadataUrls(issuer: URL): string[] {
  const { origin } = issuer;
  const path = ownPath(issuer);
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Whether secrets may be sent there: by HTTPS, or on this machine (basic/authorization, communication security).
 * Nothing else is ever given to a browser either.
 */
export const isSecureUrl = (url: string): boolean =>
  /^https:|^http:\/\/(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)(?::\d+)?\//.test(readUrl(url)?.href ?? '');

/** Whether a resource, as its metadata names it, is that endpoint or holds it (RFC 9728, section 3.3). */
export function covers(resource: string, endpoint: URL): boolean {
  const named = readUrl(resource);
  return named?.origin === endpoint.origin && `${ownPath(endpoint)}/`.startsWith(`${ownPath(named)}/`);
}

/** The resource that an endpoint is where nothing else names it (basic/authorization, canonical server URI). */
export const canonicalResource = (endpoint: URL): string =>
  endpoint.pathname === '/' ? endpoint.origin + endpoint.search : endpoint.origin + endpoint.pathname + endpoint.search;

/** Whether metadata is of the issuer that was asked for. Only the slash of an empty path makes no difference. */
export const isSameIssuer = (asked: string, named: string): boolean =>
  asked === named || (new URL(asked).pathname === '/' && asked.replace(/\/$/, '') === named.replace(/\/$/, ''));
