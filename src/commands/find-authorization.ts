import { pkceTrouble } from '../core/peer/auth/choices.ts';
import {
  canonicalResource,
  covers,
  isSameIssuer,
  isSecureUrl,
  resourceMetadataUrls,
  serverMetadataUrls,
} from '../core/peer/auth/well-known.ts';
import type { JsonObject } from '../core/protocol/message.ts';
import type { RecordedFetch } from '../io/oauth/recorded-fetch.ts';
import { signInFailed, type Step } from './sign-in-steps.ts';

/** Where to sign in, and for what. */
export interface Authorization {
  /** The value of `resource` in each request (RFC 8707). */
  resource: string;
  /** The metadata of the resource (RFC 9728); empty where there is none. */
  resourceMetadata: JsonObject;
  /** The metadata of the authorization server, checked. */
  server: JsonObject & { issuer: string };
}

const findResource: Step = {
  name: 'reading what the server says of its sign-in (protected resource metadata)',
  next: "the server's operator has to mend that; --header 'Authorization: Bearer TOKEN' goes without signing in",
};
const findServer: Step = {
  name: 'reading the metadata of the authorization server',
  next: "the operator of the authorization server has to mend that; --header 'Authorization: Bearer TOKEN' goes without signing in",
};

/** Endpoints that secrets are sent to, or a browser. */
const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];

/** Reads one place after the other, until one has what is wanted. */
class Search {
  /** What each place said. */
  readonly answers: string[] = [];
  /** There was something, and it cannot be used: nothing is to be made up in its place. */
  foundWrong = false;
  private readonly fetch: RecordedFetch;

  constructor(fetch: RecordedFetch) {
    this.fetch = fetch;
  }

  /** @param trouble why a document is not it @returns the first that is it */
  async first(
    urls: readonly string[],
    trouble: (found: JsonObject) => string | undefined,
  ): Promise<JsonObject | undefined> {
    for (const url of urls) {
      const found = await this.fetch.document(url).catch((error: Error) => void (this.fetch.came = error.message));
      const wrong = found && trouble(found);
      if (found && wrong === undefined) return found;
      this.foundWrong ||= wrong !== undefined;
      this.answers.push(`GET ${url.replace(/\?.*/s, '')}: ${wrong ?? this.fetch.came}`);
    }
    return undefined;
  }

  failed(step: Step, trouble: string): Error {
    const [asked, ...more] = this.answers;
    return signInFailed({ ...step, trouble, asked: [asked ?? 'nothing', ...more].join('\n         ') });
  }
}

/**
 * Finds out where to sign in for an endpoint (2025-11-25: basic/authorization, authorization server discovery).
 *
 * @param named where the server's challenge says that the metadata is
 * @returns nothing where there is no metadata at all
 * @throws WireproofError `sign-in-failed`
 */
export async function findAuthorization(
  endpoint: URL,
  named: string | undefined,
  fetch: RecordedFetch,
): Promise<Authorization | undefined> {
  const search = new Search(fetch);
  const urls = named === undefined ? resourceMetadataUrls(endpoint) : [named];
  if (named !== undefined && !isSecureUrl(named)) {
    throw signInFailed({
      ...findResource,
      trouble: `the server names ${named}, which is neither HTTPS nor on this machine`,
    });
  }
  const resourceMetadata = await search.first(urls, (found) => resourceTrouble(found, endpoint));
  if (!resourceMetadata) {
    if (named !== undefined || search.foundWrong) throw search.failed(findResource, 'there is none that can be used');
    return findAsOfOld(endpoint, fetch);
  }
  const issuers = (resourceMetadata['authorization_servers'] as unknown[]).filter((one) => typeof one === 'string');
  const server = await findServerMetadata(issuers, fetch);
  return { resource: resourceMetadata['resource'] as string, resourceMetadata, server };
}

/** The first server whose metadata can be used. */
async function findServerMetadata(issuers: readonly string[], fetch: RecordedFetch): Promise<Authorization['server']> {
  const search = new Search(fetch);
  for (const issuer of issuers) {
    if (!isSecureUrl(issuer)) {
      search.answers.push(`${issuer}: it is neither HTTPS nor on this machine, and was not asked`);
      continue;
    }
    const found = await search.first(serverMetadataUrls(new URL(issuer)), (document) =>
      serverTrouble(document, issuer),
    );
    if (found) return found as Authorization['server'];
  }
  throw search.failed(findServer, 'there is none that can be used');
}

/** A server of 2025-03-26 is its own authorization server, at the root (2025-03-26: basic/authorization, server metadata discovery). */
async function findAsOfOld(endpoint: URL, fetch: RecordedFetch): Promise<Authorization | undefined> {
  const { origin } = endpoint;
  if (!isSecureUrl(`${origin}/`)) return undefined;
  const search = new Search(fetch);
  const server = await search.first(serverMetadataUrls(new URL(origin)), (found) => serverTrouble(found, origin));
  if (search.foundWrong && !server) throw search.failed(findServer, 'there is none that can be used');
  const resource = canonicalResource(endpoint);
  if (server) return { resource, resourceMetadata: {}, server: server as Authorization['server'] };
  return undefined;
}

/** The endpoints of a server without any metadata (2025-03-26: basic/authorization, fallbacks). PKCE was asked of all then. */
export function defaultAuthorization(endpoint: URL): Authorization {
  const { origin } = endpoint;
  const server = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
  return { resource: canonicalResource(endpoint), resourceMetadata: {}, server };
}

function resourceTrouble({ resource, authorization_servers: servers }: JsonObject, endpoint: URL): string | undefined {
  if (typeof resource !== 'string') return 'its resource is not named';
  if (!covers(resource, endpoint)) return `its resource is ${resource}, which is not this server`;
  return Array.isArray(servers) && servers.some((one) => typeof one === 'string')
    ? undefined
    : 'its resource has no authorization_servers';
}

function serverTrouble(server: JsonObject, issuer: string): string | undefined {
  const named = server['issuer'];
  if (typeof named !== 'string' || !isSameIssuer(issuer, named)) {
    return `its issuer is ${JSON.stringify(named)} and not ${JSON.stringify(issuer)} (RFC 8414, section 3.3)`;
  }
  const unsafe = endpoints.find((name) => typeof server[name] === 'string' && !isSecureUrl(server[name]));
  return unsafe === undefined ? undefined : `its ${unsafe} is neither HTTPS nor on this machine`;
}

/** @throws WireproofError `sign-in-failed` where the server does not support PKCE as it has to */
export function requirePkce(server: JsonObject): void {
  const trouble = pkceTrouble(server);
  if (trouble !== undefined) throw signInFailed({ ...findServer, trouble });
}
