import type { JsonObject } from '../../protocol/message.ts';

const words = (scope: string | undefined): string[] => (scope ?? '').split(' ').filter((word) => word !== '');

const textsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;

export interface ScopeSources {
  /** What the user wants. */
  wanted?: string | undefined;
  /** What the server's challenge names. */
  challenged?: string | undefined;
  /** What was asked for before, and is not to be lost (2026-07-28: basic/authorization, step-up authorization flow). */
  before?: string | undefined;
  resource: JsonObject;
  server: JsonObject;
  /** A person signs in, who is not to be asked again soon. */
  mayRefresh: boolean;
}

/**
 * The scopes to ask for, and nothing where none are to be named: those of the challenge, else all that the resource
 * has (basic/authorization, scope selection strategy); those the user names stand in their place.
 */
export function chooseScope({
  wanted,
  challenged,
  before,
  resource,
  server,
  mayRefresh,
}: ScopeSources): string | undefined {
  const needed = wanted ?? challenged;
  const base = needed === undefined ? (textsIn(resource['scopes_supported']) ?? []) : words(needed);
  const offline = mayRefresh && textsIn(server['scopes_supported'])?.includes('offline_access') === true;
  const all = new Set([...words(before), ...base]);
  // It is no scope of the resource's: alone, it would stand for no scope at all.
  if (offline && all.size > 0) all.add('offline_access');
  return all.size > 0 ? [...all].join(' ') : undefined;
}

/** Why a server must not be used for a sign-in, where that is so (basic/authorization, authorization code protection). */
export function pkceTrouble(server: JsonObject): string | undefined {
  const methods = textsIn(server['code_challenge_methods_supported']);
  if (methods === undefined) return 'it does not say that it supports PKCE (code_challenge_methods_supported)';
  if (methods.includes('S256')) return undefined;
  return `it does not support PKCE with S256, only ${methods.join(', ') || 'nothing'}`;
}

export type ClientIdentity = 'given' | 'document' | 'registered' | 'register' | 'none';

/** Who to be, in the order of basic/authorization, client registration approaches. */
export function chooseIdentity(
  server: JsonObject,
  has: { clientId: boolean; metadataUrl: boolean; registration: boolean },
): ClientIdentity {
  if (has.clientId) return 'given';
  if (has.metadataUrl && server['client_id_metadata_document_supported'] === true) return 'document';
  if (has.registration) return 'registered';
  return typeof server['registration_endpoint'] === 'string' ? 'register' : 'none';
}

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'none';

/**
 * How a client shows who it is at the token endpoint.
 *
 * @param agreed what its registration says
 */
export function chooseAuthentication(server: JsonObject, hasSecret: boolean, agreed?: unknown): ClientAuthentication {
  if (!hasSecret) return 'none';
  if (agreed === 'client_secret_basic' || agreed === 'client_secret_post') return agreed;
  // What a server has that does not say so (RFC 8414, section 2).
  const methods = textsIn(server['token_endpoint_auth_methods_supported']) ?? ['client_secret_basic'];
  return methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic';
}

/** The way to show who one is that a registration asks for: none where that is possible, as a program keeps no secret. */
export function authenticationToRegister(server: JsonObject): ClientAuthentication {
  const methods = textsIn(server['token_endpoint_auth_methods_supported']);
  if (!methods || methods.includes('none')) return 'none';
  return chooseAuthentication(server, true);
}
