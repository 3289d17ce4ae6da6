import { afterEach, describe, expect, vi } from 'vitest';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { connect as Connect } from '../../src/client.ts';
import { sessions } from '../servers/http/sessions.ts';
import { server, wireproof } from './support/host.ts';
import { test } from './support/http-host.ts';
import { kept, login, nothingTold, serve } from './support/signing-in.ts';

const built = fileURLToPath(new URL('../../dist/client.js', import.meta.url));
const { connect } = (await import(built)) as { connect: typeof Connect };

describe('the library, as it is built', () => {
  test('speaks with a server that it starts', async ({ host }) => {
    const trace = host.path('mine.jsonl');
    const client = await connect(server('both-eras.mjs'), { trace });
    expect([client.era, client.revision, client.server?.['name'], client.trace]).toEqual([
      'modern',
      '2026-07-28',
      'both-eras',
      trace,
    ]);
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['echo', 'count']);
    expect(await client.callTool('echo', { message: 'hi' })).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    await expect(client.request('no/such')).rejects.toMatchObject({
      name: 'RequestFailed',
      outcome: { kind: 'error', error: { code: -32_601 } },
    });
    await client.close();
    const verified = host.start([process.execPath, wireproof, 'verify', trace]);
    expect((await verified.ended).code).toBe(0);
  });

  test('reads an answer that comes in many pieces as it was written', async ({ host }) => {
    const client = await connect(server('both-eras.mjs'), { trace: host.path('long.jsonl') });
    const message = Array.from({ length: 60_000 }, (_, index) => index).join(' ');
    const { content } = await client.callTool('echo', { message });
    await client.close();
    expect(content).toEqual([{ type: 'text', text: message }]);
  });

  test('speaks with a server on HTTP, and answers what it asks', async ({ host }) => {
    const { url } = await host.serve(sessions());
    const answer = async () => ({ result: { action: 'accept', content: { name: 'Ada' } } });
    const client = await connect(url, { trace: host.path('http.jsonl'), answer });
    expect(JSON.stringify(await client.callTool('ask'))).toContain('Ada');
    await client.close();
  });

  test('says whether a request may have been carried out that has no answer', async ({ host }) => {
    const client = await connect(server('dies-at-a-call.mjs'), { trace: host.path('dies.jsonl') });
    const maybe = 'the server ended with exit code 3. It may have been carried out: look before you repeat it.';
    await expect(client.callTool('die')).rejects.toThrow(maybe);
    const never = 'the server ended with exit code 3. It never left: nothing was done.';
    await expect(client.callTool('die')).rejects.toThrow(never);
    await client.close();
  });

  test('says why there is nobody', async ({ host }) => {
    const trace = host.path('none.jsonl');
    await expect(connect(['no-such-program'], { trace })).rejects.toMatchObject({ code: 'server-not-started' });
    await expect(connect(await host.nowhere(), { trace })).rejects.toThrow(/nobody listens there/);
  });
});

describe('the library, where a server wants to know who asks', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test('uses the sign-in that login made, and refreshes it', async ({ host }) => {
    vi.stubEnv('WIREPROOF_HOME', host.home);
    const { server, url } = await serve(host);
    await login(host, url);
    const trace = host.path('mine.jsonl');
    const client = await connect(url, { trace });
    server.expireTokens();
    expect((await client.listTools()).items).not.toEqual([]);
    await client.close();
    expect(server.redeemed).toEqual({ authorization_code: 1, refresh_token: 1 });
    nothingTold(host, server, readFileSync(trace, 'utf8'));
    await expect(connect(url, { trace: host.path('not.jsonl'), signIn: false })).rejects.toMatchObject({
      code: 'no-agreement',
    });
  });

  test('says how to sign in, before and in the middle', async ({ host }) => {
    vi.stubEnv('WIREPROOF_HOME', host.home);
    const { server, url } = await serve(host);
    const needed = {
      name: 'WireproofError',
      code: 'sign-in-needed',
      message: expect.stringMatching(/Sign in with: npx wireproof login http:\S+\nor say it with headers: /),
    };
    await expect(connect(url, { trace: host.path('1.jsonl') })).rejects.toMatchObject(needed);
    await login(host, url);
    const client = await connect(url, { trace: host.path('2.jsonl') });
    server.expireTokens();
    server.forgetRefreshTokens();
    await expect(client.listTools()).rejects.toMatchObject(needed);
    await client.close();
  });

  test('signs in as a client, again when that ends, and keeps nothing', async ({ host }) => {
    vi.stubEnv('WIREPROOF_HOME', host.home);
    vi.stubEnv('SECRET', 'mine');
    const known = { clientAuthentication: 'client_secret_basic', knowsOnly: { me: 'mine' } } as const;
    const { server, url } = await serve(host, known);
    const trace = host.path('mine.jsonl');
    const client = await connect(url, { trace, signIn: { clientId: 'me', secretEnv: 'SECRET' } });
    server.expireTokens();
    expect((await client.listTools()).items).not.toEqual([]);
    await client.close();
    expect(server.asItself).toBe(2);
    expect(kept(host)).toEqual([]);
    nothingTold(host, server, readFileSync(trace, 'utf8'));
  });

  test.for([
    ['a variable that is not set', { signIn: { clientId: 'me', secretEnv: 'NOT_SET' } }, /NOT_SET is not set/],
    ['neither a secret nor a key', { signIn: { clientId: 'me' } as never }, /a secretEnv or a keyFile/],
    [
      'a header that says who asks',
      { headers: { authorization: 'Bearer x' }, signIn: { clientId: 'me', keyFile: 'key.pem' } },
      /Authorization says already/,
    ],
  ] as const)('refuses %s', async ([, options, says], { host }) => {
    const { url } = await serve(host);
    await expect(connect(url, { trace: host.path('t.jsonl'), ...options })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringMatching(says),
    });
  });
});
