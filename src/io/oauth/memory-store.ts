import type { Account, SignInStore } from './token-store.ts';

/** Keeps a sign-in for as long as the process runs, and writes nothing. */
export class MemoryStore implements SignInStore {
  private account: Account | undefined;
  private last: Promise<unknown> = Promise.resolve();

  for(): Promise<Account | undefined> {
    return Promise.resolve(this.account);
  }

  of(issuer: string, resource: string): Promise<Account | undefined> {
    const { account } = this;
    return Promise.resolve(account?.issuer === issuer && account.resource === resource ? account : undefined);
  }

  keep(account: Account): Promise<void> {
    this.account = account;
    return Promise.resolve();
  }

  alone<T>(_: Account, work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work, work);
    this.last = done;
    return done;
  }
}
