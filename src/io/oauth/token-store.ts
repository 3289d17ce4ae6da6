import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientAuthentication } from '../../core/peer/auth/choices.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { withLock } from './file-lock.ts';
import { type Keychain, KeychainTrouble } from './keychain.ts';
import { seal, unseal } from './sealing.ts';

/** Who wireproof is for an authorization server. */
export interface ClientIdentityKept {
  id: string;
  authentication: ClientAuthentication | 'private_key_jwt';
  /** Of a registration that wireproof made. */
  secret?: string;
  /** The variable of the environment that holds a secret of the user's: it is not kept itself. */
  secretEnv?: string;
  /** The file with a private key of the user's. */
  keyFile?: string;
  /** Of a registration that wireproof made: the one place where the browser may come back to. */
  redirectUri?: string;
  /** When the secret ends. Seconds since 1970; 0 is never. */
  secretEnds?: number;
}

export interface Tokens {
  access: string;
  refresh?: string;
  /** Milliseconds since 1970. */
  ends?: number;
}

/** A sign-in: with which server, for which resource, as whom, and what came of it. */
export interface Account {
  issuer: string;
  resource: string;
  /** The endpoints that it was made for. */
  endpoints: string[];
  /** The metadata of the authorization server. */
  server: JsonObject & { issuer: string };
  client: ClientIdentityKept;
  grant: 'authorization_code' | 'client_credentials';
  /** What was asked for. */
  scope?: string;
  tokens?: Tokens;
  /** Why the secrets that were kept of it cannot be read. */
  shut?: string;
}

/** What stands in a file. */
type Kept = Account & {
  /** The secrets, where there is a key in the keychain to encrypt them with. */
  sealed?: string;
};

interface Secrets {
  tokens?: Tokens | undefined;
  /** Of the client. */
  secret?: string | undefined;
}

export interface TokenStoreOptions {
  /** The folder that holds everything wireproof keeps. */
  home: string;
  keychain: Keychain;
  tell: (text: string) => void;
}

/**
 * Keeps sign-ins: a file each that only its owner can read, named by issuer and resource. What is secret in it is
 * encrypted with a key in the keychain, where there is one.
 */
export class TokenStore {
  private readonly folder: string;
  private readonly keychain: Keychain;
  private readonly tell: (text: string) => void;
  private hasTold = false;

  constructor({ home, keychain, tell }: TokenStoreOptions) {
    this.folder = join(home, 'tokens');
    this.keychain = keychain;
    this.tell = tell;
  }

  /** The sign-in for an endpoint; the one with tokens, where there are several. */
  async for(endpoint: URL): Promise<Account | undefined> {
    const all = await this.allFor(endpoint);
    const found = all.find(({ tokens }) => tokens) ?? all[0];
    if (found) await this.moveToKeychain(found);
    return found;
  }

  async allFor(endpoint: URL): Promise<Account[]> {
    const wanted = endpointName(endpoint);
    const all: Account[] = [];
    for (const file of this.files()) {
      const kept = readKept(join(this.folder, file));
      if (kept?.endpoints.includes(wanted)) all.push(await this.open(kept));
    }
    return all;
  }

  async of(issuer: string, resource: string): Promise<Account | undefined> {
    const kept = readKept(this.fileOf({ issuer, resource }));
    return kept && this.open(kept);
  }

  /** @throws WireproofError `store-unusable` */
  async keep(account: Account): Promise<void> {
    const file = this.fileOf(account);
    const next = `${file}.${process.pid}`;
    try {
      this.prepare();
      const kept = await this.close(account);
      writeFileSync(next, `${JSON.stringify(kept, undefined, 1)}\n`, { mode: 0o600 });
      renameSync(next, file);
    } catch (cause) {
      throw new WireproofError('store-unusable', `The sign-in cannot be kept: ${(cause as Error).message}`, { cause });
    }
  }

  forget(account: Account): void {
    rmSync(this.fileOf(account), { force: true });
  }

  /** Does something with a sign-in that no other process does at the same time. */
  alone<T>(account: Account, work: () => Promise<T>): Promise<T> {
    this.prepare();
    return withLock(`${this.fileOf(account)}.lock`, work);
  }

  /** A sign-in of a time without a keychain is encrypted now. Where that cannot be, it is good as it is. */
  private async moveToKeychain(account: Account): Promise<void> {
    const isPlain = (): boolean => {
      const kept = readKept(this.fileOf(account));
      return kept !== undefined && kept.sealed === undefined && hasSecrets(secretsOf(kept));
    };
    try {
      if (this.keychain.unused !== undefined || !isPlain() || !(await this.keyToClose())) return;
      await this.alone(account, async () => {
        const now = isPlain() ? await this.of(account.issuer, account.resource) : undefined;
        if (now) await this.keep(now);
      });
    } catch (error) {
      this.tellOnce((error as Error).message);
    }
  }

  private async open({ sealed, ...account }: Kept): Promise<Account> {
    if (sealed === undefined) return account;
    try {
      const key = await this.keychain.find();
      if (!key) return { ...account, shut: 'the keychain has not the key any more' };
      const text = unseal(sealed, key, labelOf(account));
      if (text === undefined) return { ...account, shut: 'it was kept with another key than the one in the keychain' };
      const { tokens, secret } = JSON.parse(text) as Secrets;
      const client = { ...account.client, ...(secret === undefined ? {} : { secret }) };
      return { ...account, client, ...(tokens === undefined ? {} : { tokens }) };
    } catch (error) {
      if (!(error instanceof KeychainTrouble)) throw error;
      return { ...account, shut: `the keychain cannot be used: ${error.message}` };
    }
  }

  private async close(given: Account): Promise<Kept> {
    const { shut: _, ...account } = given;
    const secrets = secretsOf(account);
    const key = hasSecrets(secrets) ? await this.keyToClose() : undefined;
    if (!key) return account;
    const { tokens: __, ...rest } = account;
    const { secret: ___, ...client } = account.client;
    return { ...rest, client, sealed: seal(JSON.stringify(secrets), key, labelOf(account)) };
  }

  private async keyToClose(): Promise<Buffer | undefined> {
    if (this.keychain.unused !== undefined) return undefined;
    try {
      return await this.keychain.findOrMake(join(this.folder, 'keychain.lock'));
    } catch (error) {
      if (!(error instanceof KeychainTrouble)) throw error;
      this.tellOnce(error.message);
      return undefined;
    }
  }

  private tellOnce(why: string): void {
    if (this.hasTold) return;
    this.hasTold = true;
    const file = `the sign-in is kept in a file in ${this.folder}, for its owner alone`;
    this.tell(`the keychain cannot be used: ${why}; ${file} (WIREPROOF_KEYCHAIN=off asks no keychain)`);
  }

  private prepare(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  private files(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }

  private fileOf({ issuer, resource }: Pick<Account, 'issuer' | 'resource'>): string {
    const digest = createHash('sha256')
      .update(JSON.stringify([issuer, resource]))
      .digest('hex');
    return join(this.folder, `${digest.slice(0, 32)}.json`);
  }
}

/** Secrets are opened for the sign-in that they were kept for, and no other. */
const labelOf = ({ issuer, resource }: Account): string => JSON.stringify([issuer, resource]);

const secretsOf = ({ tokens, client: { secret } }: Account): Secrets => ({ tokens, secret });
const hasSecrets = ({ tokens, secret }: Secrets): boolean => tokens !== undefined || secret !== undefined;

function readKept(file: string): Kept | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isKept(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Where sign-ins are kept, for those who only use them. */
export type SignInStore = Pick<TokenStore, 'for' | 'of' | 'keep' | 'alone'>;

/** How an endpoint is told from others. */
export const endpointName = ({ origin, pathname, search }: URL): string => origin + pathname + search;

function isKept(json: unknown): json is Kept {
  if (!isObject(json)) return false;
  const { issuer, resource, endpoints, server, client, tokens, sealed } = json;
  return (
    typeof issuer === 'string' &&
    typeof resource === 'string' &&
    Array.isArray(endpoints) &&
    isObject(server) &&
    isObject(client) &&
    typeof client['id'] === 'string' &&
    (sealed === undefined || typeof sealed === 'string') &&
    (tokens === undefined || (isObject(tokens) && typeof tokens['access'] === 'string'))
  );
}
