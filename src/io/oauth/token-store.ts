import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientAuthentication } from '../../core/peer/auth/choices.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { withLock } from './file-lock.ts';

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
}

/** Keeps sign-ins: a file each that only its owner can read, named by issuer and resource. */
export class TokenStore {
  private readonly folder: string;

  /** @param home the folder that holds everything wireproof keeps */
  constructor(home: string) {
    this.folder = join(home, 'tokens');
  }

  /** The sign-in for an endpoint; the one with tokens, where there are several. */
  for(endpoint: URL): Account | undefined {
    const all = this.allFor(endpoint);
    return all.find(({ tokens }) => tokens) ?? all[0];
  }

  allFor(endpoint: URL): Account[] {
    const wanted = endpointName(endpoint);
    return this.files()
      .map((file) => this.read(join(this.folder, file)))
      .filter((account) => account !== undefined)
      .filter(({ endpoints }) => endpoints.includes(wanted));
  }

  of(issuer: string, resource: string): Account | undefined {
    return this.read(this.fileOf({ issuer, resource }));
  }

  /** @throws WireproofError `store-unusable` */
  keep(account: Account): void {
    const file = this.fileOf(account);
    const next = `${file}.${process.pid}`;
    try {
      this.prepare();
      writeFileSync(next, `${JSON.stringify(account, undefined, 1)}\n`, { mode: 0o600 });
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

  private read(file: string): Account | undefined {
    try {
      const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isAccount(json) ? json : undefined;
    } catch {
      return undefined;
    }
  }
}

/** How an endpoint is told from others. */
export const endpointName = ({ origin, pathname, search }: URL): string => origin + pathname + search;

function isAccount(json: unknown): json is Account {
  if (!isObject(json)) return false;
  const { issuer, resource, endpoints, server, client, tokens } = json;
  return (
    typeof issuer === 'string' &&
    typeof resource === 'string' &&
    Array.isArray(endpoints) &&
    isObject(server) &&
    isObject(client) &&
    typeof client['id'] === 'string' &&
    (tokens === undefined || (isObject(tokens) && typeof tokens['access'] === 'string'))
  );
}
