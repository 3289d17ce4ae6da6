import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Keychain } from './keychain.ts';
import { type Account, TokenStore } from './token-store.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wireproof-tokens-'));
  return () => rmSync(home, { recursive: true });
});

const withoutKeychain = (): TokenStore =>
  new TokenStore({ home, keychain: new Keychain({ env: { WIREPROOF_KEYCHAIN: 'off' } }), tell: () => undefined });

const account = (issuer: string, more: Partial<Account> = {}): Account => ({
  issuer,
  resource: 'https://a.example/mcp',
  endpoints: ['https://a.example/mcp'],
  server: { issuer },
  client: { id: 'me', authentication: 'none' },
  grant: 'authorization_code',
  ...more,
});
const endpoint = new URL('https://a.example/mcp');

test('is found by issuer and resource, and by the endpoint', async () => {
  const store = withoutKeychain();
  const [one, two] = [account('https://one.example'), account('https://two.example', { tokens: { access: 't' } })];
  await store.keep(one);
  await store.keep(two);
  expect(await store.of(one.issuer, one.resource)).toEqual(one);
  expect(await store.for(endpoint)).toEqual(two);
  expect(await store.allFor(endpoint)).toHaveLength(2);
  expect(await store.for(new URL('https://a.example/other'))).toBeUndefined();
  store.forget(two);
  expect(await store.for(endpoint)).toEqual(one);
});

test('can be read by its owner alone', async () => {
  await withoutKeychain().keep(account('https://one.example'));
  const folder = join(home, 'tokens');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
});

test.each(['', 'no JSON', '{}', '[]', '{"issuer":"x","resource":"y","endpoints":["https://a.example/mcp"]}'])(
  'what is no sign-in is none: %j',
  async (content) => {
    const store = withoutKeychain();
    await store.keep(account('https://one.example'));
    const [name = ''] = readdirSync(join(home, 'tokens'));
    writeFileSync(join(home, 'tokens', name), content);
    expect(await store.for(endpoint)).toBeUndefined();
  },
);
