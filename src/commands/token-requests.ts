import * as oauth from 'oauth4webapi';
import { authenticationToRegister, type ClientAuthentication } from '../core/peer/auth/choices.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readClientKey } from '../io/oauth/client-key.ts';
import type { RecordedFetch } from '../io/oauth/recorded-fetch.ts';
import type { Account, ClientIdentityKept, Tokens } from '../io/oauth/token-store.ts';

/** What the requests of a sign-in need. */
export interface Requests {
  fetch: RecordedFetch;
  env: NodeJS.ProcessEnv;
}

type Signing = Pick<Account, 'server' | 'client' | 'resource'>;

/** Metadata that was read from JSON. */
const asServer = (server: Account['server']): oauth.AuthorizationServer => server as oauth.AuthorizationServer;

/** Everything that is asked was checked before: nothing goes anywhere but by HTTPS, or to this machine. */
const optionsOf = ({ fetch }: Requests) => ({
  [oauth.customFetch]: fetch.fetch,
  [oauth.allowInsecureRequests]: true,
});

/**
 * Redeems the code that the browser came back with.
 *
 * @param answer all parameters it came back with, as `validateAuthResponse` gave them
 */
export async function redeemCode(
  { server, client, resource }: Signing,
  { answer, redirectUri, verifier }: { answer: URLSearchParams; redirectUri: string; verifier: string },
  requests: Requests,
): Promise<Tokens> {
  const options = { ...optionsOf(requests), additionalParameters: { resource } };
  const auth = await authenticationOf(client, requests.env);
  const who = { client_id: client.id };
  const response = await oauth.authorizationCodeGrantRequest(
    asServer(server),
    who,
    auth,
    answer,
    redirectUri,
    verifier,
    options,
  );
  return tokensIn(await oauth.processAuthorizationCodeResponse(asServer(server), who, response));
}

/** Gets tokens for a client of its own right (RFC 6749, section 4.4). */
export async function askAsClient(
  { server, client, resource, scope }: Signing & { scope?: string | undefined },
  requests: Requests,
): Promise<Tokens> {
  const parameters = { resource, ...(scope === undefined ? {} : { scope }) };
  const auth = await authenticationOf(client, requests.env);
  const who = { client_id: client.id };
  const response = await oauth.clientCredentialsGrantRequest(
    asServer(server),
    who,
    auth,
    parameters,
    optionsOf(requests),
  );
  return tokensIn(await oauth.processClientCredentialsResponse(asServer(server), who, response));
}

/** Redeems a refresh token. @returns nothing where the server takes it no more */
export async function refresh(account: Signing, token: string, requests: Requests): Promise<Tokens | undefined> {
  const { server, client, resource } = account;
  const options = { ...optionsOf(requests), additionalParameters: { resource } };
  const auth = await authenticationOf(client, requests.env);
  const who = { client_id: client.id };
  try {
    const response = await oauth.refreshTokenGrantRequest(asServer(server), who, auth, token, options);
    return { refresh: token, ...tokensIn(await oauth.processRefreshTokenResponse(asServer(server), who, response)) };
  } catch (error) {
    const isRefused = error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError;
    if (isRefused && [400, 401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

/** Tells the server that nobody has this token any more (RFC 7009). */
export async function revoke({ server, client }: Signing, token: string, requests: Requests): Promise<void> {
  const auth = await authenticationOf(client, requests.env);
  const response = await oauth.revocationRequest(
    asServer(server),
    { client_id: client.id },
    auth,
    token,
    optionsOf(requests),
  );
  await oauth.processRevocationResponse(response);
}

/** Registers wireproof with a server (RFC 7591). */
export async function register(
  server: Account['server'],
  { redirectUri, scope }: { redirectUri: string; scope: string | undefined },
  requests: Requests,
): Promise<ClientIdentityKept> {
  const asked = authenticationToRegister(server);
  const wanted = {
    client_name: 'wireproof',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: asked,
    ...(scope === undefined ? {} : { scope }),
  };
  const response = await oauth.dynamicClientRegistrationRequest(asServer(server), wanted, optionsOf(requests));
  const registered: unknown = await response.json().catch(() => undefined);
  // Some say 200.
  if (!response.ok || !isObject(registered)) throw new Error('the server did not register wireproof');
  return registeredClient(registered, redirectUri, asked);
}

function registeredClient(
  registered: JsonObject,
  redirectUri: string,
  asked: ClientAuthentication,
): ClientIdentityKept {
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: agreed } = registered;
  if (typeof id !== 'string') throw new Error('the registration has no client_id');
  const { client_secret_expires_at: ends } = registered;
  const hasSecret = typeof secret === 'string' && secret !== '';
  const isPost = agreed === 'client_secret_post' || (agreed === undefined && asked === 'client_secret_post');
  const isPublic = !hasSecret || agreed === 'none';
  return {
    id,
    redirectUri,
    authentication: isPublic ? 'none' : isPost ? 'client_secret_post' : 'client_secret_basic',
    ...(hasSecret ? { secret } : {}),
    ...(hasSecret && typeof ends === 'number' ? { secretEnds: ends } : {}),
  };
}

/** @throws WireproofError `bad-usage` where the environment does not have the secret, or the key cannot be read */
async function authenticationOf(client: ClientIdentityKept, env: NodeJS.ProcessEnv): Promise<oauth.ClientAuth> {
  switch (client.authentication) {
    case 'none':
      return oauth.None();
    case 'private_key_jwt':
      return oauth.PrivateKeyJwt(await readClientKey(client.keyFile ?? ''));
    case 'client_secret_post':
      return oauth.ClientSecretPost(secretOf(client, env));
    default:
      return basic(secretOf(client, env));
  }
}

/**
 * The secret in a header (RFC 6749, section 2.3.1). The library's own way spells `-` and `.` with escapes, which is
 * right, and not understood by servers that do not decode.
 */
const basic =
  (secret: string): oauth.ClientAuth =>
  (_, { client_id: id }, __, headers) => {
    const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function secretOf({ secret, secretEnv }: ClientIdentityKept, env: NodeJS.ProcessEnv): string {
  const found = secretEnv === undefined ? secret : env[secretEnv];
  if (found) return found;
  throw new WireproofError('bad-usage', `The variable ${secretEnv ?? ''} is not set: it holds the client secret.`);
}

function tokensIn(response: oauth.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refreshToken, expires_in: seconds } = response;
  if (response.token_type !== 'bearer')
    throw new Error(`the token is of the type ${response.token_type}, and not Bearer`);
  return {
    access,
    ...(refreshToken === undefined ? {} : { refresh: refreshToken }),
    ...(seconds === undefined ? {} : { ends: Date.now() + seconds * 1000 }),
  };
}
