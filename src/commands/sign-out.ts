import { beginClientRecording } from '../io/http/client-recording.ts';
import { RecordedFetch } from '../io/oauth/recorded-fetch.ts';
import { Keychain } from '../io/oauth/keychain.ts';
import { type Account, TokenStore } from '../io/oauth/token-store.ts';

export interface SignOutOptions {
  endpoint: URL;
  /** The folder that holds everything wireproof keeps. */
  home: string;
  env: NodeJS.ProcessEnv;
  storeLimit: number;
  by: string;
  tell: (text: string) => void;
}

export interface SignedOut {
  account: Account;
  /** Whether the server was told that the tokens are good for nothing any more, and why not. */
  revoked: 'yes' | 'no token' | 'no way to' | { failed: string };
}

/** Forgets every sign-in for an endpoint, and tells the authorization server where it can be told (RFC 7009). */
export async function signOut(options: SignOutOptions): Promise<SignedOut[]> {
  const { home, env, tell } = options;
  const store = new TokenStore({ home, keychain: new Keychain({ env }), tell });
  const done: SignedOut[] = [];
  for (const account of await store.allFor(options.endpoint)) {
    // What is forgotten here is forgotten whatever the server says.
    const forgotten = await store.alone(account, async () => {
      const now = await store.of(account.issuer, account.resource);
      store.forget(account);
      return now ?? account;
    });
    done.push({ account: forgotten, revoked: await revokeAll(forgotten, options) });
  }
  return done;
}

async function revokeAll(account: Account, options: SignOutOptions): Promise<SignedOut['revoked']> {
  const { server, tokens, shut } = account;
  if (shut !== undefined) return { failed: `they cannot be read: ${shut}` };
  const token = tokens?.refresh ?? tokens?.access;
  if (token === undefined) return 'no token';
  if (typeof server['revocation_endpoint'] !== 'string') return 'no way to';
  const { revoke } = await import('./token-requests.ts');
  const recording = beginClientRecording({ ...options, url: options.endpoint });
  const fetch = new RecordedFetch({ client: recording.client, by: options.by });
  try {
    await revoke(account, token, { fetch, env: options.env });
    return 'yes';
  } catch (error) {
    return { failed: [fetch.came, (error as Error).message].filter(Boolean).join('; ') };
  } finally {
    await recording.close('wireproof signed out');
  }
}
