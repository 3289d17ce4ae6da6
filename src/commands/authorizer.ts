import { type BearerChallenge, bearerChallenge } from '../core/peer/auth/challenge.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import type { Lost } from '../io/channels/channel.ts';
import type { HttpChannel } from '../io/channels/http-channel.ts';
import { RecordedFetch } from '../io/oauth/recorded-fetch.ts';
import { Keychain } from '../io/oauth/keychain.ts';
import { type Account, type SignInStore, TokenStore } from '../io/oauth/token-store.ts';
import type { SignInWay } from './sign-in.ts';
import { takeStep } from './sign-in-steps.ts';

export interface AuthorizerOptions {
  endpoint: URL;
  /** The folder that holds everything wireproof keeps. */
  home: string;
  env: NodeJS.ProcessEnv;
  by: string;
  way: SignInWay;
  /** Somebody is there to sign in. */
  mayAsk: boolean;
  /** What is kept of a sign-in is not used. */
  afresh: boolean;
  /** Where sign-ins are kept, if not in `home`. */
  store?: SignInStore;
  /** How wireproof is called: `npx wireproof`. */
  program: string;
  /** What lets in without a sign-in, as it is said where one is needed: `--header 'Authorization: Bearer TOKEN'`. */
  otherwise?: string;
  tell: (text: string) => void;
  signal: AbortSignal;
}

/** Tokens that end so soon are refreshed before they are used. Milliseconds. */
const soon = 30_000;
/** How often one request may be refused and made again: refreshed, signed in, more scopes. */
const mostAttempts = 4;

/** Lets requests in: with what is kept of a sign-in, by refreshing it, by signing in, by asking for more scopes. */
export class Authorizer {
  private readonly options: AuthorizerOptions;
  private readonly store: SignInStore;
  private channel: HttpChannel | undefined;
  private account: Account | undefined;
  /** What was done last for the request at hand. */
  private done: 'refresh' | 'sign-in' | 'step-up' | undefined;
  private underWay: Promise<boolean> | undefined;

  constructor(options: AuthorizerOptions) {
    this.options = options;
    const { home, env, tell } = options;
    this.store = options.store ?? new TokenStore({ home, keychain: new Keychain({ env }), tell });
  }

  /** The sign-in that is used, where there is one. */
  get signedIn(): Account | undefined {
    return this.account?.tokens && this.account;
  }

  /** Requests of this channel are let in from now on, with what is known. */
  async attach(channel: HttpChannel): Promise<void> {
    this.channel = channel;
    if (!this.account && !this.options.afresh) this.account = await this.store.for(this.options.endpoint);
    const ends = this.account?.tokens?.ends;
    if (ends !== undefined && ends < Date.now() + soon) await this.traced(() => this.refresh());
    this.use(this.account);
  }

  /** A request was refused. @returns whether it is to be made again */
  readonly refused = async ({ status, headers }: Lost, attempt: number): Promise<boolean> => {
    if (status !== 401 && status !== 403) return false;
    const challenge = bearerChallenge(headers?.['www-authenticate']);
    const wantsMore = status === 403 && challenge.error === 'insufficient_scope';
    if (status === 403 && !wantsMore) return false;
    if (attempt === 0 && !this.underWay) this.done = undefined;
    if (attempt >= mostAttempts) return false;
    // Of several that are refused at once, one is enough.
    this.underWay ??= this.traced(() => (wantsMore ? this.stepUp(challenge) : this.letIn(challenge))).finally(
      () => (this.underWay = undefined),
    );
    return this.underWay;
  };

  /** Signs in though nothing was refused. @returns whether the server has a sign-in */
  signIn(): Promise<boolean> {
    return this.traced(() => this.signInFor({}, undefined, false));
  }

  private async signInFor(
    challenge: BearerChallenge,
    before: string | undefined,
    wasRefused: boolean,
  ): Promise<boolean> {
    const { way, env, endpoint, tell, signal } = this.options;
    const { signIn } = await import('./sign-in.ts');
    const fetch = this.recordedFetch();
    const account = await signIn(
      { endpoint, challenge, before, way, env, fetch, store: this.store, tell, signal },
      wasRefused,
    );
    if (!account) return false;
    await this.store.keep(account);
    this.use(account);
    return true;
  }

  private async letIn(challenge: BearerChallenge): Promise<boolean> {
    const { way, mayAsk, tell } = this.options;
    if (this.done === undefined && this.account && (await this.refresh())) {
      this.done = 'refresh';
      this.use(this.account);
      return true;
    }
    if (this.done === 'sign-in' || this.done === 'step-up') {
      throw new WireproofError('sign-in-failed', 'The server refuses the token that was just got for it (HTTP 401).');
    }
    if (!mayAsk && !way.clientCredentials) throw this.needed('The server wants to know who asks (HTTP 401)', []);
    if (this.account?.shut !== undefined) tell(`the sign-in of before cannot be read: ${this.account.shut}`);
    this.done = 'sign-in';
    return this.signInFor(challenge, undefined, true);
  }

  /** The token is good, and not for this (2025-11-25: basic/authorization, step-up authorization flow). */
  private async stepUp(challenge: BearerChallenge): Promise<boolean> {
    const { way, mayAsk, tell } = this.options;
    const { scope: wanted } = challenge;
    const before = this.account?.scope;
    if (this.done === 'step-up') {
      const what = `The server wants more scopes once more${wanted === undefined ? '' : `: ${wanted}`} (HTTP 403, insufficient_scope).`;
      throw new WireproofError('sign-in-failed', what);
    }
    const all = [...new Set([...(before?.split(' ') ?? []), ...(wanted?.split(' ') ?? [])])];
    if (!mayAsk && !way.clientCredentials) {
      // What a server says is shown as a part of a command only where a shell makes nothing else of it.
      const isPlain = all.length > 0 && all.every((scope) => /^[\w:./-]+$/.test(scope));
      const words = isPlain ? ['--scope', `'${all.join(' ')}'`] : [];
      throw this.needed('The sign-in is not good for this (HTTP 403, insufficient_scope)', words);
    }
    tell(`the server wants more scopes for this${wanted === undefined ? '' : `: ${wanted}`}`);
    this.done = 'step-up';
    return this.signInFor(challenge, all.join(' '), true);
  }

  /** @returns whether there are new tokens: of us, or of another process that was faster */
  private async refresh(): Promise<boolean> {
    const { account } = this;
    if (!account?.tokens) return false;
    const used = account.tokens.access;
    const fetch = this.recordedFetch();
    const renewed = await this.store.alone(account, async () => {
      const now = await this.store.of(account.issuer, account.resource);
      if (!now?.tokens || now.tokens.access !== used) return now;
      const tokens = await this.newTokens(now, fetch);
      const { tokens: _, ...rest } = now;
      const next: Account = tokens ? { ...now, tokens } : rest;
      await this.store.keep(next);
      return next;
    });
    this.account = renewed;
    return renewed?.tokens !== undefined;
  }

  private async newTokens(account: Account, fetch: RecordedFetch): Promise<Account['tokens']> {
    const { env } = this.options;
    const { askAsClient, refresh } = await import('./token-requests.ts');
    const { refresh: token } = account.tokens ?? {};
    const step = { name: 'refreshing the token', next: `try again, or sign in once more: ${this.login()}` };
    if (token !== undefined) return takeStep(step, fetch, () => refresh(account, token, { fetch, env }));
    const { grant, client } = account;
    const canProve = client.keyFile !== undefined || env[client.secretEnv ?? ''];
    if (grant !== 'client_credentials' || !canProve) return undefined;
    return takeStep(step, fetch, () => askAsClient(account, { fetch, env }));
  }

  private use(account: Account | undefined): void {
    this.account = account;
    this.channel?.authorize(account?.tokens && `Bearer ${account.tokens.access}`);
  }

  private recordedFetch(): RecordedFetch {
    if (!this.channel) throw new Error('no channel is attached');
    return new RecordedFetch({ client: this.channel.client, by: this.options.by });
  }

  private login(words: readonly string[] = []): string {
    return [this.options.program, 'login', ...words, this.options.endpoint.href].join(' ');
  }

  private needed(what: string, words: readonly string[]): WireproofError {
    const { otherwise = "--header 'Authorization: Bearer TOKEN'" } = this.options;
    const shut = this.account?.shut === undefined ? '' : ` The sign-in of before cannot be read: ${this.account.shut}.`;
    const how = `Sign in with: ${this.login(words)}\nor say it with ${otherwise}.`;
    return new WireproofError('sign-in-needed', `${what}.${shut} ${how}`);
  }

  /** Where a sign-in fails, the recording shows what was said. */
  private async traced<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof WireproofError) || cause.code !== 'sign-in-failed' || !this.channel) throw cause;
      const recorded = `  recorded: ${this.options.program} show ${this.channel.trace}`;
      throw new WireproofError(cause.code, `${cause.message}\n${recorded}`, { cause });
    }
  }
}
