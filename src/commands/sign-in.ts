import { resolve } from 'node:path';
import * as oauth from 'oauth4webapi';
import type { BearerChallenge } from '../core/peer/auth/challenge.ts';
import { chooseAuthentication, chooseIdentity, chooseScope } from '../core/peer/auth/choices.ts';
import { isSecureUrl } from '../core/peer/auth/well-known.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { openBrowser } from '../io/oauth/browser.ts';
import { Loopback } from '../io/oauth/loopback.ts';
import type { Account, ClientIdentityKept, SignInStore } from '../io/oauth/token-store.ts';
import { endpointName } from '../io/oauth/token-store.ts';
import { type Authorization, defaultAuthorization, findAuthorization, requirePkce } from './find-authorization.ts';
import { signInFailed, takeStep } from './sign-in-steps.ts';
import { askAsClient, redeemCode, register, type Requests } from './token-requests.ts';

/** How the user wants to sign in. */
export interface SignInWay {
  /** Of a client that the server knows already. */
  clientId?: string | undefined;
  /** The variable of the environment with its secret. */
  clientSecretEnv?: string | undefined;
  /** The file with its private key. */
  clientKey?: string | undefined;
  /** A Client ID Metadata Document of the user's. */
  clientMetadataUrl?: string | undefined;
  /** Signs in as the client itself: no person is asked. */
  clientCredentials: boolean;
  scope?: string | undefined;
  /** Opens the browser; else the address is only told. */
  browser: boolean;
  /** Where the browser comes back to; 0 takes any port that is free. */
  redirectPort: number;
}

export interface SignInOptions extends Requests {
  endpoint: URL;
  challenge: BearerChallenge;
  /** The scope that was asked for before, and is not to be lost. */
  before?: string | undefined;
  way: SignInWay;
  store: Pick<SignInStore, 'of'>;
  tell: (text: string) => void;
  signal: AbortSignal;
}

/** How long a person may take. Milliseconds. */
const patience = 5 * 60_000;

const identify = {
  name: 'choosing who to be for the authorization server (client registration)',
  next: 'register a client there by hand, and say its id with --client-id ID (and --client-secret-env NAME)',
};
const askPerson = { name: 'asking the person (authorization request)', next: 'sign in once more' };
const redeem = {
  name: 'redeeming the code for tokens (token request)',
  next: 'sign in once more; wireproof logout forgets the registration as well',
};
const askOwn = {
  name: 'getting a token as a client (client credentials)',
  next: 'see whether --client-id and the secret are right, and may do this there',
};

/**
 * Signs in, step by step (2025-11-25: basic/authorization, authorization flow steps). What it brings is not kept yet.
 *
 * @returns nothing where the server has no sign-in
 * @throws WireproofError `sign-in-failed`, `bad-usage`
 */
export async function signIn(options: SignInOptions, wasRefused: boolean): Promise<Account | undefined> {
  const { endpoint, challenge, way, fetch, tell } = options;
  checkWay(way, options.env);
  const found = await findAuthorization(endpoint, challenge.resourceMetadata, fetch);
  if (!found && !wasRefused) return undefined;
  if (!found) tell('the server has no metadata of a sign-in: the addresses of 2025-03-26 are tried');
  const authorization = found ?? defaultAuthorization(endpoint);
  const { resource, resourceMetadata, server } = authorization;
  const scope = chooseScope({
    wanted: way.scope,
    challenged: challenge.scope,
    before: options.before,
    resource: resourceMetadata,
    server,
    mayRefresh: !way.clientCredentials,
  });
  const known = await options.store.of(server.issuer, resource);
  const endpoints = [...new Set([...(known?.endpoints ?? []), endpointName(endpoint)])];
  const account = { issuer: server.issuer, resource, endpoints, server, ...(scope === undefined ? {} : { scope }) };
  if (way.clientCredentials) {
    const client = givenClient(way.clientId ?? '', way, server);
    const tokens = await takeStep(askOwn, fetch, () => askAsClient({ ...account, client }, options));
    return { ...account, client, grant: 'client_credentials', tokens };
  }
  requirePkce(server);
  return { ...account, grant: 'authorization_code', ...(await askThePerson({ authorization, scope, known }, options)) };
}

/** @throws WireproofError `bad-usage` */
function checkWay(way: SignInWay, env: NodeJS.ProcessEnv): void {
  const { clientId, clientSecretEnv: secret, clientKey: key, clientMetadataUrl: document } = way;
  const isProven = secret !== undefined || key !== undefined;
  const troubles: [isThere: boolean, text: string][] = [
    [
      way.clientCredentials && (clientId === undefined || !isProven),
      '--client-credentials needs --client-id ID, and --client-secret-env NAME or --client-key FILE.',
    ],
    [secret !== undefined && clientId === undefined, '--client-secret-env needs --client-id ID.'],
    [
      key !== undefined && (clientId ?? document) === undefined,
      '--client-key needs --client-id ID or --client-metadata-url URL.',
    ],
    [
      secret !== undefined && !env[secret],
      `The variable ${secret} is not set: it is to hold the secret of the client.`,
    ],
    [
      document !== undefined && !/^https:\/\/[^/]+\/[^#]+$/.test(document),
      '--client-metadata-url has to be an https URL with a path.',
    ],
  ];
  const trouble = troubles.find(([isThere]) => isThere);
  if (trouble) throw new WireproofError('bad-usage', trouble[1]);
}

function givenClient(
  id: string,
  { clientSecretEnv, clientKey }: SignInWay,
  server: Account['server'],
): ClientIdentityKept {
  if (clientKey !== undefined) return { id, authentication: 'private_key_jwt', keyFile: resolve(clientKey) };
  const authentication = chooseAuthentication(server, clientSecretEnv !== undefined);
  return { id, authentication, ...(clientSecretEnv === undefined ? {} : { secretEnv: clientSecretEnv }) };
}

interface Asking {
  authorization: Authorization;
  scope: string | undefined;
  /** A sign-in of before with the same server, for the same resource. */
  known: Account | undefined;
}

/** The authorization code flow with PKCE (OAuth 2.1, section 4.1). */
async function askThePerson(
  { authorization, scope, known }: Asking,
  options: SignInOptions,
): Promise<Pick<Account, 'client' | 'tokens'>> {
  const { server, resource } = authorization;
  const { fetch, signal, tell } = options;
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const { loopback, client } = await identity({ authorization, scope, known }, state, options);
  const { redirectUri } = loopback;
  try {
    const url = await authorizationUrl({ server, resource, scope, redirectUri, state, verifier, clientId: client.id });
    tell(`to sign in, open this address in a browser:\n${url}`);
    if (options.way.browser) openBrowser(url);
    const named = `as ${client.id}, for ${resource}, with ${scope === undefined ? 'no scope' : `the scope ${scope}`}`;
    fetch.browserDid(
      `the person is sent to ${String(server['authorization_endpoint'])} ${named}, and back to ${redirectUri}`,
    );
    fetch.asked = `the browser at ${String(server['authorization_endpoint'])}`;
    fetch.came = undefined;
    const came = await takeStep(askPerson, fetch, () => inTime(loopback.answer, signal));
    fetch.browserDid(`the browser came back with ${[...came.keys()].join(', ')}`);
    fetch.came = 'an answer in the browser';
    const answer = await takeStep(askPerson, fetch, () =>
      Promise.resolve(readAnswer({ server, clientId: client.id, came, state })),
    );
    const signing = { server, client, resource };
    const tokens = await takeStep(redeem, fetch, () => redeemCode(signing, { answer, redirectUri, verifier }, options));
    return { client, tokens };
  } finally {
    loopback.close();
  }
}

/** Who to be, and where the browser comes back to: a registration is for one place only. */
async function identity(
  { authorization: { server }, scope, known }: Asking,
  state: string,
  options: SignInOptions,
): Promise<{ loopback: Loopback; client: ClientIdentityKept }> {
  const { way, fetch, tell } = options;
  const before = known && isUsable(known.client) ? known.client : undefined;
  const kind = chooseIdentity(server, {
    clientId: way.clientId !== undefined,
    metadataUrl: way.clientMetadataUrl !== undefined,
    registration: before !== undefined,
  });
  if (kind === 'none') {
    throw signInFailed({ ...identify, trouble: 'the server registers nobody by itself, and no client was given' });
  }
  if (kind === 'registered' && before?.redirectUri !== undefined) {
    const loopback = await Loopback.open({ state, port: Number(new URL(before.redirectUri).port), tell });
    if (loopback) return { loopback, client: before };
  }
  const loopback = await Loopback.open({ state, port: way.redirectPort, tell });
  if (!loopback)
    throw new WireproofError(
      'not-listening',
      `The port ${way.redirectPort} is taken. Say another with --redirect-port.`,
    );
  try {
    if (kind === 'given') return { loopback, client: givenClient(way.clientId ?? '', way, server) };
    if (kind === 'document') {
      // Such a client has no secret in common with a server.
      const client = givenClient(way.clientMetadataUrl ?? '', { ...way, clientSecretEnv: undefined }, server);
      return { loopback, client };
    }
    const { redirectUri } = loopback;
    const client = await takeStep(identify, fetch, () => register(server, { redirectUri, scope }, options));
    return { loopback, client };
  } catch (error) {
    loopback.close();
    throw error;
  }
}

/** A registration of wireproof's own that has not ended, and whose secret can be read. */
const isUsable = ({ redirectUri, authentication, secret, secretEnds }: ClientIdentityKept): boolean =>
  redirectUri !== undefined &&
  (authentication === 'none' || secret !== undefined) &&
  (!secretEnds || secretEnds * 1000 > Date.now());

async function authorizationUrl(parts: {
  server: Account['server'];
  resource: string;
  scope: string | undefined;
  redirectUri: string;
  state: string;
  verifier: string;
  clientId: string;
}): Promise<string> {
  const { server, resource, scope } = parts;
  const endpoint = server['authorization_endpoint'];
  if (typeof endpoint !== 'string' || !isSecureUrl(endpoint)) {
    throw signInFailed({ ...askPerson, trouble: 'the metadata of the server names no authorization_endpoint' });
  }
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: parts.clientId,
    redirect_uri: parts.redirectUri,
    state: parts.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(parts.verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope === undefined ? {} : { scope }),
    // OpenID Connect Core, section 11.
    ...(scope?.split(' ').includes('offline_access') ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Checks `iss` (RFC 9207) and `state` before anything else of an answer is believed. */
function readAnswer(asked: {
  server: Account['server'];
  clientId: string;
  came: URLSearchParams;
  state: string;
}): URLSearchParams {
  try {
    return oauth.validateAuthResponse(
      asked.server as oauth.AuthorizationServer,
      { client_id: asked.clientId },
      asked.came,
      asked.state,
    );
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    const { error: code, error_description: description } = error;
    throw new Error(
      `the server said no: ${code}${description === undefined ? '' : `, ${JSON.stringify(description)}`}`,
      { cause: error },
    );
  }
}

/** What comes, unless it takes too long or the user gives it up. */
function inTime<T>(coming: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`nobody came back from the browser in ${patience / 60_000} minutes`)),
      patience,
    );
    const stop = (): void => reject(new Error('it was given up'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void coming.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
    });
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
