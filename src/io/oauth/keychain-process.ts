/**
 * A process that asks the system's keychain one thing, and is ended where it gets no answer: the call cannot be taken
 * back, and would hold up the end of any process it is made in.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { KeychainAnswer, KeychainQuestion } from './keychain.ts';

/** What is used of `@napi-rs/keyring`. */
interface Keyring {
  Entry: new (
    service: string,
    name: string,
    options: object,
  ) => {
    getPassword(): string | null;
    setPassword(password: string): void;
  };
}

/** Longer than anybody waits for it. Milliseconds. */
const longest = 7000;

process.once('message', (question: KeychainQuestion) => {
  // Another thread, as this one may hang: who asked may be gone by then.
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${longest})`, { eval: true }).unref();
  process.send?.(ask(question), () => process.exit());
});

function ask({ module, service, name, write }: KeychainQuestion): KeychainAnswer {
  try {
    const { Entry } = createRequire(import.meta.url)(module) as Keyring;
    // The kernel's keyring, taken otherwise where there is no keychain, forgets when the machine is started anew.
    const entry = new Entry(service, name, { linux: { store: 'secret-service' } });
    if (write !== undefined) entry.setPassword(write);
    return { found: entry.getPassword() };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) };
  }
}
