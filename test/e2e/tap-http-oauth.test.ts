import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect } from 'vitest';
import { OAuthServer, type OAuthOptions } from '../servers/http/oauth-server.ts';
import { sessions } from '../servers/http/sessions.ts';
import { stateless } from '../servers/http/stateless.ts';
import { type HttpHost, isDirect, tapTest, test } from './support/http-host.ts';
import type { HttpTrace } from './support/http-trace.ts';
import { type Lines, valueOf } from './support/http-raw.ts';
import { spellings } from './support/spellings.ts';

/** Keeps in memory what a sign-in brings, and goes where the user would be sent without following any further. */
class Account {
  readonly redirectUrl = 'http://127.0.0.1:9/callback?from=here';
  /** What the user came back with. */
  callback = new URLSearchParams();
  /** Where the user was sent to. */
  sentTo: URL | undefined;
  private readonly kept: Record<string, unknown> = {};
  private readonly clientAuthentication: string;

  constructor(clientAuthentication: string) {
    this.clientAuthentication = clientAuthentication;
  }

  get clientMetadata() {
    return {
      client_name: 'test-host',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.clientAuthentication,
    };
  }

  state = (): string => 'the state of it';
  clientInformation = (): never => this.kept['client'] as never;
  saveClientInformation = (client: unknown): void => void (this.kept['client'] = client);
  tokens = (): never => this.kept['tokens'] as never;
  saveTokens = (tokens: unknown): void => void (this.kept['tokens'] = tokens);
  codeVerifier = (): string => this.kept['verifier'] as string;
  saveCodeVerifier = (verifier: string): void => void (this.kept['verifier'] = verifier);

  discoveryState = (): never => this.kept['discovery'] as never;
  saveDiscoveryState = (state: unknown): void => void (this.kept['discovery'] = state);

  redirectToAuthorization = async (url: URL): Promise<void> => {
    this.sentTo = url;
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    expect(status).toBe(302);
    const back = new URL(headers.get('location') ?? '');
    expect(`${back.origin}${back.pathname}`).toBe('http://127.0.0.1:9/callback');
    this.callback = back.searchParams;
  };
}

/** Signs in with an SDK, and gives what can be said to the server from then on. */
type SignIn = (
  url: URL,
  account: Account,
) => Promise<{ echo(message: string): Promise<unknown>; close(): Promise<void> }>;

const identity = { name: 'test-host', version: '1.0.0' };

/** A client without a token is sent away to get one. */
async function sentAway(connecting: Promise<void>): Promise<void> {
  const error: unknown = await connecting.catch((reason: unknown) => reason);
  if (!String(error).includes('Unauthorized')) throw error;
}

const v1: SignIn = async (url, account) => {
  const transport = () => new StreamableHTTPClientTransportV1(url, { authProvider: account });
  const first = transport();
  await sentAway(new ClientV1(identity).connect(first));
  await first.finishAuth(account.callback.get('code') ?? '');
  const client = new ClientV1(identity);
  await client.connect(transport());
  return {
    echo: (message) => client.callTool({ name: 'echo', arguments: { message } }),
    close: () => client.close(),
  };
};

const v2 =
  (isModern: boolean): SignIn =>
  async (url, account) => {
    const options = isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {};
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: account });
    const first = transport();
    await sentAway(new Client(identity, options).connect(first));
    await first.finishAuth(account.callback);
    const client = new Client(identity, options);
    await client.connect(transport());
    return {
      echo: (message) => client.callTool({ name: 'echo', arguments: { message } }),
      close: () => client.close(),
    };
  };

interface Way extends OAuthOptions {
  name: string;
  signIn: SignIn;
  hasSessions: boolean;
}

const ways: Way[] = [
  { name: 'v1, secret in a header', signIn: v1, hasSessions: true, clientAuthentication: 'client_secret_basic' },
  {
    name: 'v1, an issuer with a path, secret in the body',
    signIn: v1,
    hasSessions: true,
    clientAuthentication: 'client_secret_post',
    issuerPath: '/tenant1',
  },
  {
    name: 'v2, legacy, a compressed answer',
    signIn: v2(false),
    hasSessions: true,
    clientAuthentication: 'client_secret_post',
    compresses: true,
  },
  {
    name: 'v2, modern, an issuer with a path',
    signIn: v2(true),
    hasSessions: false,
    clientAuthentication: 'client_secret_basic',
    issuerPath: '/tenant1',
  },
  { name: 'v2, modern, a client without a secret', signIn: v2(true), hasSessions: false, clientAuthentication: 'none' },
];

async function serve(host: HttpHost, way: Way): Promise<{ server: OAuthServer; url: URL }> {
  const server = new OAuthServer(way, way.hasSessions ? sessions() : stateless());
  const { url } = await host.serve(server.listener);
  server.listensAt(url);
  return { server, url };
}

const said = (message: string) => ({ content: [{ type: 'text', text: message }] });

/** Which secrets the file gives away, and how they are spelled there. */
const givenAway = (trace: HttpTrace, secrets: Iterable<string>): string[] => {
  const { bytes } = trace;
  return [...secrets].flatMap(spellings).filter((spelled) => bytes.includes(spelled));
};

describe.concurrent('a sign-in through the tap', () => {
  test.for(ways)('$name', async (way, { host }) => {
    const { server, url } = await serve(host, way);
    const tap = await host.tapTo(url);
    const account = new Account(way.clientAuthentication);
    const client = await way.signIn(tap.url, account);
    expect(await client.echo('signed in')).toMatchObject(said('signed in'));
    server.expireTokens();
    expect(await client.echo('signed in anew')).toMatchObject(said('signed in anew'));
    await client.close();

    expect(server.refusals).toEqual([]);
    expect(server.redeemed).toEqual({ authorization_code: 1, refresh_token: 1 });
    expect([...new Set(server.resources)]).toEqual([url.href]);
    expect(account.sentTo?.origin).toBe(tap.url.origin);
    expect(account.sentTo?.searchParams.get('resource')).toBe(tap.url.href);
    expect(account.callback.get('iss')).toBe(tap.url.origin + (way.issuerPath ?? ''));
    expect(account.callback.get('state')).toBe('the state of it');
    const trace = await tap.stop();
    if (!trace) return;
    expect(givenAway(trace, server.secrets)).toEqual([]);
    expectBothForms(trace, way);
  });
});

/** Each thing that was mapped stands in the trace as either side saw it. */
function expectBothForms(trace: HttpTrace, { issuerPath = '' }: Way): void {
  const { origin: seen } = new URL(String(trace.header['listen']));
  const { origin: own } = new URL(String(trace.header['to']));
  const metadata = trace.stream(`/.well-known/oauth-authorization-server${issuerPath}`);
  const issuers = metadata.bodies('server').map(({ leg, json }) => [leg, (json as { issuer: string }).issuer]);
  expect(Object.fromEntries(issuers)).toEqual({ client: seen + issuerPath, server: own + issuerPath });
  const refused = trace.streams.find(({ response }) => response.status === 401);
  const challenge = (lines: readonly (readonly [string, string])[] = []) => valueOf(lines as Lines, 'www-authenticate');
  expect(challenge(refused?.response.lines)).toContain(`resource_metadata="${seen}/`);
  expect(challenge(refused?.answered.lines)).toContain(`resource_metadata="${own}/`);
  const authorization = trace.streams.find(({ request }) => request.target?.startsWith(`${issuerPath}/authorize`));
  const resource = (target = '') => new URL(target, own).searchParams.get('resource');
  expect(resource(authorization?.request.target)).toBe(`${seen}/mcp`);
  expect(resource(authorization?.forwarded.target)).toBe(`${own}/mcp`);
}

describe.concurrent('what was replaced', () => {
  const [way] = ways as [Way];

  tapTest('is named, stands for itself everywhere, and cannot be looked up', async ({ host }) => {
    const { server, url } = await serve(host, way);
    const [one, other] = [await host.tapTo(url), await host.tapTo(url)];
    const client = await way.signIn(one.url, new Account(way.clientAuthentication));
    await client.echo('hello');
    await client.echo('hello');
    await client.close();
    const trace = await one.stop();
    await other.stop();
    const bearers = (trace?.streams ?? []).flatMap(
      ({ request }) => valueOf(request.lines as Lines, 'authorization') ?? [],
    );
    const tokens = bearers.filter((value) => value.startsWith('Bearer '));
    expect(tokens.length).toBeGreaterThan(2);
    expect(new Set(tokens).size).toBe(1);
    const issued = trace?.stream('/token').bodies('server')[0]?.json as { access_token: string; token_type: string };
    expect(issued.token_type).toBe('Bearer');
    expect(tokens[0]).toBe(`Bearer ${issued.access_token}`);
    const redacted = (trace?.records ?? [])
      .flatMap((record) => record.redacted ?? [])
      .join('\n')
      .toLowerCase();
    for (const place of [
      'authorization',
      'mcp-session-id',
      'code',
      '/access_token',
      '/refresh_token',
      '/client_secret',
    ])
      expect(redacted).toContain(place);
    expect(server.refusals).toEqual([]);
  });

  tapTest('nothing is, where the user wants it so', async ({ host }) => {
    const { server, url } = await serve(host, way);
    const tap = await host.tapTo(url, ['--no-redact-secrets']);
    const client = await way.signIn(tap.url, new Account(way.clientAuthentication));
    await client.close();
    const trace = await tap.stop();
    for (const secret of server.secrets) expect(trace && givenAway(trace, [secret])).not.toEqual([]);
  });
});

describe.concurrent('an authorization server of another origin', () => {
  test('is left alone, and the trace says why it refuses', async ({ host }) => {
    const options = { clientAuthentication: 'none' } as const;
    const other = new OAuthServer(options, () => undefined);
    const server = new OAuthServer(options, sessions());
    const [{ url }, { url: otherUrl }] = [await host.serve(server.listener), await host.serve(other.listener)];
    server.listensAt(url);
    server.trusts(otherUrl);
    other.listensAt(otherUrl, url.href);
    const tap = await host.tapTo(url);
    const account = new Account('none');
    const outcome = await auth(account, { serverUrl: tap.url }).catch(() => 'refused');
    expect(account.sentTo?.origin).toBe(otherUrl.origin);
    expect(other.resources).toEqual([tap.url.href]);
    expect({ outcome, refusals: other.refusals }).toEqual(
      isDirect ? { outcome: 'REDIRECT', refusals: [] } : { outcome: 'refused', refusals: ['a foreign resource'] },
    );
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.streams.map(({ request }) => request.target)).toEqual(['/.well-known/oauth-protected-resource/mcp']);
    const notes = trace.records.flatMap(({ note }) => (note ? [JSON.stringify(note)] : []));
    expect(notes.join('\n')).toContain(otherUrl.origin);
  });
});

describe.concurrent('with --no-rewrite', () => {
  for (const way of ways.filter(({ issuerPath }) => issuerPath === undefined)) {
    tapTest(`the client refuses a server that names itself otherwise: ${way.name}`, async ({ host }) => {
      const { server, url } = await serve(host, way);
      const tap = await host.tapTo(url, ['--no-rewrite']);
      const account = new Account(way.clientAuthentication);
      await expect(way.signIn(tap.url, account)).rejects.toThrow(/does not match/);
      expect(account.sentTo).toBeUndefined();
      expect(server.resources).toEqual([]);
      await tap.stop();
    });
  }
});

describe('the tests themselves', () => {
  const secret = 'a secret+/=~';
  const places = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`id:${secret}`).toString('base64'),
    Buffer.from(`ab:${secret}:c`).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    JSON.stringify({ secret }),
  ];

  test.for(places)('would find a secret in %s', (place) => {
    expect(spellings(secret).some((spelled) => place.includes(spelled))).toBe(true);
  });
});
