import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, vi } from 'vitest';
import type { connect as Connect } from '../../src/client.ts';
import type { OAuthServer } from '../servers/http/oauth-server.ts';
import { wireproof } from './support/host.ts';
import { type HttpHost, test } from './support/http-host.ts';
import { hasPackage, keychains } from './support/keychains.ts';
import { ended, kept, login, nothingTold, run, serve } from './support/signing-in.ts';
import { until } from './support/until.ts';

const withSecret = { clientAuthentication: 'client_secret_basic' } as const;
const off = { WIREPROOF_KEYCHAIN: 'off' };

afterEach(() => void vi.unstubAllEnvs());

/** The secrets that stand in the files in the clear. */
function inTheClear(host: HttpHost, { secrets }: OAuthServer): string[] {
  const texts = kept(host).map((path) => readFileSync(path, 'utf8'));
  expect(texts).toHaveLength(1);
  expect(secrets.size).toBeGreaterThan(0);
  return [...secrets].filter((secret) => texts.some((text) => text.includes(secret)));
}

for (const { name, isHere, open, emptied } of keychains) {
  // Skipped where this machine has no such keychain.
  describe.skipIf(!isHere)(`sign-ins with ${name}`, () => {
    test('are of use, and no secret of theirs is in the clear', async ({ host }) => {
      const keychain = await open(host);
      const { server, url } = await serve(host, withSecret);
      const signedIn = await login(host, url, [], keychain);
      expect(signedIn).toMatchObject({ code: 0, stderr: expect.not.stringContaining('keychain') });
      expect(inTheClear(host, server)).toEqual([]);
      server.expireTokens();
      expect(await ended(run(host, ['call', '--ping', url.href], keychain))).toMatchObject({ code: 0 });
      expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 1 });
      expect(inTheClear(host, server)).toEqual([]);
      const out = await ended(run(host, ['logout', url.href], keychain));
      expect(out).toMatchObject({ code: 0, stdout: expect.stringContaining('the tokens are revoked') });
      nothingTold(host, server, signedIn.stderr, out.stdout, out.stderr);
    });

    test('of a time without it are kept, and go there when they are used', async ({ host }) => {
      const { server, url } = await serve(host, withSecret);
      await login(host, url, [], off);
      expect(inTheClear(host, server)).not.toEqual([]);
      const keychain = await open(host);
      expect(await ended(run(host, ['call', '--ping', url.href], keychain))).toMatchObject({ code: 0 });
      expect(inTheClear(host, server)).toEqual([]);
      expect(await ended(run(host, ['call', '--ping', url.href], keychain))).toMatchObject({ code: 0 });
      expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 0 });
      expect(server.registrations).toHaveLength(1);
    });

    test('are refreshed by one of twelve processes, and made by one of them a key for', async ({ host }) => {
      const { server, url } = await serve(host, withSecret);
      await login(host, url, [], off);
      const keychain = await open(host);
      server.expireTokens();
      const words = ['call', '--ping', url.href];
      const all = await Promise.all(Array.from({ length: 12 }, () => ended(run(host, words, keychain))));
      expect(all.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(Array.from({ length: 12 }, () => ''));
      expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 1 });
      expect(inTheClear(host, server)).toEqual([]);
    });

    test('are of use to the library', async ({ host }) => {
      const keychain = await open(host);
      const { server, url } = await serve(host, withSecret);
      await login(host, url, [], keychain);
      server.expireTokens();
      for (const [variable, value] of Object.entries({ ...keychain, WIREPROOF_HOME: host.home })) {
        vi.stubEnv(variable, value);
      }
      const library = join(dirname(keychain['program'] ?? wireproof), 'client.js');
      const { connect } = (await import(pathToFileURL(library).href)) as { connect: typeof Connect };
      const client = await connect(url, { trace: host.path('mine.jsonl') });
      expect((await client.listTools()).items).not.toEqual([]);
      await client.close();
      expect(server.redeemed).toMatchObject({ authorization_code: 1, refresh_token: 1 });
      expect(inTheClear(host, server)).toEqual([]);
    });

    test('say what to do where the key is gone, and a new one takes its place', async ({ host }) => {
      const { server, url } = await serve(host, withSecret);
      await login(host, url, [], await open(host));
      const other = await emptied(host);
      const { code, stderr } = await ended(run(host, ['call', url.href], other));
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`login ${url.href}\n`) });
      expect(stderr).toContain('cannot be read: the keychain has not the key any more');
      const without = await ended(run(host, ['call', url.href], off));
      expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('WIREPROOF_KEYCHAIN is off') });
      expect(await login(host, url, [], other)).toMatchObject({ code: 0 });
      expect(inTheClear(host, server)).toEqual([]);
      expect(await ended(run(host, ['call', '--ping', url.href], other))).toMatchObject({ code: 0 });
    });
  });
}

// Skipped where the package is not installed for this machine, or asks no secret service.
describe.skipIf(!hasPackage)('where there is no keychain', () => {
  test('sign-ins are kept in a file, and that is told once', async ({ host }) => {
    const { server, url } = await serve(host, withSecret);
    const none = { WIREPROOF_KEYCHAIN: 'on', DBUS_SESSION_BUS_ADDRESS: `unix:path=${host.path('nobody')}` };
    const { code, stderr } = await login(host, url, [], none);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr.match(/the keychain cannot be used: /g)).toHaveLength(1);
    expect(stderr).toContain('WIREPROOF_KEYCHAIN=off');
    expect(inTheClear(host, server)).not.toEqual([]);
    expect(kept(host).map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
    expect(await ended(run(host, ['call', '--ping', url.href], none))).toMatchObject({ code: 0 });
  });

  test('one that does not answer holds nothing up, and no process stays with it', async ({ host }) => {
    const bus = await host.serveRaw(() => undefined);
    const mute = {
      WIREPROOF_KEYCHAIN: 'on',
      DBUS_SESSION_BUS_ADDRESS: `tcp:host=${bus.url.hostname},port=${bus.url.port}`,
    };
    const { server, url } = await serve(host, withSecret);
    const { code, stderr } = await login(host, url, [], mute);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('did not answer in 5 seconds') });
    expect(stderr.match(/the keychain cannot be used: /g)).toHaveLength(1);
    expect(inTheClear(host, server)).not.toEqual([]);
    await host.nothingLeft(3000);
    const before = bus.connections();
    const killed = run(host, ['call', '--ping', url.href], mute);
    await until('the keychain is asked', () => bus.connections() > before);
    killed.child.kill('SIGKILL');
    await killed.exited;
    await host.nothingLeft();
  });
});

test('another setting than on and off is told', async ({ host }) => {
  const { url } = await serve(host);
  const { code, stderr } = await ended(run(host, ['login', url.href], { WIREPROOF_KEYCHAIN: 'maybe' }));
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('on or off') });
});
