import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { OAuthOptions } from '../servers/http/oauth-server.ts';
import { stateless } from '../servers/http/stateless.ts';
import { test } from './support/http-host.ts';
import { address, browse, ended, kept, login, nothingTold, run, serve } from './support/signing-in.ts';

const ways: { name: string; options: Partial<OAuthOptions> }[] = [
  { name: 'a client without a secret', options: {} },
  { name: 'a secret in a header', options: { clientAuthentication: 'client_secret_basic' } },
  {
    name: 'a secret in the body, an issuer with a path, a compressed answer',
    options: { clientAuthentication: 'client_secret_post', issuerPath: '/tenant1', compresses: true },
  },
  { name: 'metadata of OpenID behind the path', options: { isOpenId: true, issuerPath: '/tenant1' } },
  { name: 'a challenge that names nothing', options: { saysNothing: true } },
];

describe.concurrent('login', () => {
  test.for(ways)('signs in: $name', async ({ options }, { host }) => {
    const { server, url } = await serve(host, options);
    const { code, stdout, stderr, asked, page } = await login(host, url);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(`signed in to ${url.href}`);
    expect(page).toContain('wireproof has the answer');
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: url.href,
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    expect(server.refusals).toEqual([]);
    expect(new Set(server.resources)).toEqual(new Set([url.href]));
    expect(server.registrations).toMatchObject([{ application_type: 'native', client_name: 'wireproof' }]);
    nothingTold(host, server, stdout, stderr);
    expect(host.recorded('oauth-protected-resource')).toBe(true);
    expect(host.recorded('/token')).toBe(true);
    expect(host.recorded('the browser came back with code, state, iss')).toBe(true);
    const listed = await ended(run(host, ['call', url.href]));
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tools \(\d/) });
    nothingTold(host, server, listed.stdout, listed.stderr);
    expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 0 });
    const files = kept(host).map((path) => statSync(path).mode & 0o777);
    expect(files).toEqual([0o600]);
  });

  // Skipped where the browser is opened by a program of another name.
  test.skipIf(process.platform !== 'linux')('opens the browser', async ({ host }) => {
    const { url } = await serve(host);
    writeFileSync(host.path('xdg-open'), `#!${process.execPath}\nvoid fetch(process.argv[2]);\n`, { mode: 0o755 });
    const env = { PATH: `${host.folder}:${process.env['PATH']}` };
    expect(await ended(run(host, ['login', url.href], env))).toMatchObject({ code: 0 });
  });

  test('takes the places of the metadata in order', async ({ host }) => {
    const { server, url } = await serve(host, { saysNothing: true, isOpenId: true, issuerPath: '/t' });
    await login(host, url);
    expect(server.paths.filter((path) => path.includes('well-known'))).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server/t',
      '/.well-known/openid-configuration/t',
      '/t/.well-known/openid-configuration',
    ]);
  });

  test('goes as a client that the server knows', async ({ host }) => {
    const known = { clientAuthentication: 'client_secret_basic', knowsOnly: { me: 'my:secret' } } as const;
    const { server, url } = await serve(host, known);
    const { code, stderr, asked } = await login(host, url, ['--client-id', 'me', '--client-secret-env', 'SECRET'], {
      SECRET: 'my:secret',
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(asked.searchParams.get('client_id')).toBe('me');
    expect(
      kept(host)
        .map((path) => readFileSync(path, 'utf8'))
        .join(),
    ).not.toContain('my:secret');
    expect(server.refusals).toEqual([]);
  });

  test('goes as the client of a document', async ({ host }) => {
    const { server, url } = await serve(host, { takesDocuments: true });
    const { code, asked } = await login(host, url, ['--client-metadata-url', 'https://me.example/client.json']);
    expect(code).toBe(0);
    expect(asked.searchParams.get('client_id')).toBe('https://me.example/client.json');
    expect(server.registrations).toEqual([]);
  });

  test('goes as the client itself, and again when that ends', async ({ host }) => {
    const known = { clientAuthentication: 'client_secret_basic', knowsOnly: { me: 'mine' } } as const;
    const { server, url } = await serve(host, known);
    const words = ['--client-credentials', '--client-id', 'me', '--client-secret-env', 'SECRET'];
    const env = { SECRET: 'mine' };
    expect(await ended(run(host, ['login', ...words, url.href], env))).toMatchObject({ code: 0 });
    server.expireTokens();
    expect(await ended(run(host, ['call', '--ping', url.href], env))).toMatchObject({ code: 0 });
    expect(server.asItself).toBe(2);
  });

  test('goes as a client with a key', async ({ host }) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(host.path('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const known = {
      knowsOnly: { me: undefined },
      clientKey: publicKey,
      clientAuthentication: 'private_key_jwt',
    } as const;
    const { server, url } = await serve(host, known);
    const words = ['--client-credentials', '--client-id', 'me', '--client-key', 'key.pem'];
    expect(await ended(run(host, ['login', ...words, url.href]))).toMatchObject({
      code: 0,
      stderr: expect.any(String),
    });
    server.expireTokens();
    expect(await ended(run(host, ['call', '--ping', url.href]))).toMatchObject({ code: 0 });
    expect(server.asItself).toBe(2);
    nothingTold(host, server);
  });

  test('asks for more scopes where the server wants them, once', async ({ host }) => {
    const { server, url } = await serve(host, { needsScope: 'more' });
    const started = run(host, ['login', '--no-browser', url.href]);
    await browse(await address(started));
    await browse(await address(started, 2));
    expect(await ended(started)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('wants more scopes for this: more'),
    });
    expect(server.scopes).toEqual(['mcp', 'mcp more']);
  });

  test('discards an answer with another state, and waits on', async ({ host }) => {
    const { url } = await serve(host);
    const started = run(host, ['login', '--no-browser', url.href]);
    const asked = await address(started);
    const foreign = new URL(asked.searchParams.get('redirect_uri') as string);
    foreign.search = 'code=stolen&state=another';
    expect((await fetch(foreign)).status).toBe(400);
    await browse(asked);
    expect(await ended(started)).toMatchObject({ code: 0, stderr: expect.stringContaining('it was discarded') });
  });

  test.for([
    ['an iss of another', { iss: 'https://other.example' }, /asking the person.*unexpected "iss"/],
    ['no iss that was promised', { iss: '' }, /asking the person.*"iss" \(issuer\) missing/],
  ] as const)('refuses an answer with %s', async ([, options, says], { host }) => {
    const { server, url } = await serve(host, options);
    const { code, stderr } = await login(host, url);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
    expect(server.redeemed.authorization_code).toBe(0);
    nothingTold(host, server, stderr);
  });

  test.for([
    ['no PKCE', { code_challenge_methods_supported: undefined }, /does not say that it supports PKCE/],
    ['plain PKCE only', { code_challenge_methods_supported: ['plain'] }, /only plain/],
    ['another issuer', { issuer: 'https://other.example' }, /its issuer is "https:\/\/other\.example"/],
    [
      'a token endpoint without TLS',
      { token_endpoint: 'http://far.example/token' },
      /its token_endpoint is neither HTTPS/,
    ],
    ['no registration', { registration_endpoint: undefined }, /--client-id ID/],
  ] as const)('refuses a server with %s, and says so', async ([, lies, says], { host }) => {
    const { server, url } = await serve(host, { lies });
    const { code, stderr } = await ended(run(host, ['login', '--no-browser', url.href]));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
    expect(stderr).toMatch(/The sign-in failed at [^\n]+\n/);
    expect(stderr).toContain('  to do: ');
    expect(server.scopes).toEqual([]);
  });

  test('says where a failure is recorded', async ({ host }) => {
    const { url } = await serve(host, { lies: { token_endpoint: undefined } });
    const { code, stderr } = await login(host, url);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/recorded: \S+.* show \S+\n/) });
    expect(host.recordings()).toHaveLength(1);
  });

  test('says no as the person does, with what the server said', async ({ host }) => {
    const { url } = await serve(host);
    const started = run(host, ['login', '--no-browser', url.href]);
    const { searchParams } = await address(started);
    const back = new URL(searchParams.get('redirect_uri') as string);
    const iss = url.origin;
    const state = searchParams.get('state') as string;
    back.search = new URLSearchParams({ error: 'access_denied', error_description: 'not you', state, iss }).toString();
    await browse(back);
    const { code, stderr } = await ended(started);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('access_denied, "not you"') });
  });

  test('says that a server has no sign-in', async ({ host }) => {
    const { url } = await host.serve(stateless());
    const { code, stderr } = await ended(run(host, ['login', '--no-browser', url.href]));
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('asks for no sign-in') });
  });
});

describe('what is kept of a sign-in', () => {
  test('call says how to sign in where nobody is there', async ({ host }) => {
    const { url } = await serve(host);
    const { code, stderr } = await ended(run(host, ['call', url.href]));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`login ${url.href}\n`) });
  });

  test('a refresh token that is taken no more is told, with the way to sign in', async ({ host }) => {
    const { server, url } = await serve(host);
    await login(host, url);
    server.expireTokens();
    server.forgetRefreshTokens();
    const { code, stderr } = await ended(run(host, ['call', url.href]));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`login ${url.href}\n`) });
    expect(await login(host, url)).toMatchObject({ code: 0 });
  });

  test('twelve processes refresh it once', async ({ host }) => {
    const { server, url } = await serve(host);
    await login(host, url);
    server.expireTokens();
    const all = await Promise.all(Array.from({ length: 12 }, () => ended(run(host, ['call', '--ping', url.href]))));
    expect(all.map(({ code }) => code)).toEqual(Array.from({ length: 12 }, () => 0));
    expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 1 });
    expect(server.refusals).toEqual([]);
    nothingTold(host, server, ...all.flatMap(({ stdout, stderr }) => [stdout, stderr]));
    expect(kept(host)).toHaveLength(1);
  });

  test('logout forgets it and gives the token back; a new login takes the place of the old registration', async ({
    host,
  }) => {
    const { server, url } = await serve(host);
    await login(host, url);
    await login(host, url);
    expect(server.registrations).toHaveLength(1);
    const { code, stdout } = await ended(run(host, ['logout', url.href]));
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('the tokens are revoked') });
    expect(server.revoked).toHaveLength(1);
    expect(kept(host)).toEqual([]);
    nothingTold(host, server, stdout);
    expect(await ended(run(host, ['logout', url.href]))).toMatchObject({ code: 1 });
    expect(await ended(run(host, ['call', url.href]))).toMatchObject({ code: 2 });
  });
});
