import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { withLock } from './file-lock.ts';

export interface KeychainQuestion {
  /** The path of the package. */
  module: string;
  service: string;
  name: string;
  /** Puts this there, first. */
  write?: string | undefined;
}

export type KeychainAnswer = { found: string | null } | { trouble: string };

/** By these names a person finds it in the keychain. */
const entry = { service: 'wireproof', name: 'sign-ins' };
const keyBytes = 32;
/** How long the keychain may take to answer. Milliseconds. */
const usualPatience = 5000;

/** Beside the library, or above the chunks of the program; from the sources, where it is built. */
const places = import.meta.url.endsWith('.ts')
  ? ['../../../dist/keychain-process.cjs']
  : ['./keychain-process.cjs', '../keychain-process.cjs'];

/** Why there is no key. */
export class KeychainTrouble extends Error {}

export interface KeychainOptions {
  env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  patience?: number;
}

/**
 * The key that sign-ins are kept with, in the keychain of the system: one short entry, as some keychains take no more
 * than 2560 bytes. Needs the package `@napi-rs/keyring` where wireproof is installed.
 */
export class Keychain {
  /** Why the keychain is not asked at all; nothing where it is. */
  readonly unused: string | undefined;
  private readonly module: string | undefined;
  private readonly patience: number;
  private key: Buffer | undefined;
  /** Who did not answer once is not asked again. */
  private trouble: KeychainTrouble | undefined;

  /** @throws WireproofError `bad-usage` where WIREPROOF_KEYCHAIN is neither `on` nor `off` */
  constructor({ env, patience = usualPatience }: KeychainOptions) {
    this.patience = patience;
    const setting = env['WIREPROOF_KEYCHAIN'] || 'on';
    if (setting !== 'on' && setting !== 'off') {
      throw new WireproofError('bad-usage', `WIREPROOF_KEYCHAIN is "${setting}": it can be on or off.`);
    }
    this.module = setting === 'off' ? undefined : installed();
    if (setting === 'off') this.unused = 'WIREPROOF_KEYCHAIN is off';
    else if (this.module === undefined) this.unused = 'the package @napi-rs/keyring is not installed beside wireproof';
  }

  /** @throws KeychainTrouble */
  async find(): Promise<Buffer | undefined> {
    this.key ??= keyIn(await this.ask());
    return this.key;
  }

  /**
   * Finds the key, or makes it.
   *
   * @param lock a file that keeps other processes from making another one meanwhile
   * @throws KeychainTrouble
   */
  async findOrMake(lock: string): Promise<Buffer> {
    return (await this.find()) ?? withLock(lock, async () => (await this.find()) ?? (await this.make()));
  }

  private async make(): Promise<Buffer> {
    // What is believed is what is there then.
    this.key = keyIn(await this.ask(randomBytes(keyBytes).toString('base64')));
    if (this.key) return this.key;
    throw new KeychainTrouble('it does not keep what is put there');
  }

  private async ask(write?: string): Promise<string | undefined> {
    if (this.trouble) throw this.trouble;
    try {
      if (this.module === undefined) throw new KeychainTrouble(this.unused);
      const answer = await askProcess({ module: this.module, ...entry, write }, this.patience);
      if ('trouble' in answer) throw new KeychainTrouble(answer.trouble.replace(/\s+/g, ' '));
      return answer.found ?? undefined;
    } catch (error) {
      if (error instanceof KeychainTrouble) this.trouble = error;
      throw error;
    }
  }
}

/** Where the package is; it is not loaded here. Looked for where wireproof is, never where it is called. */
function installed(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    return undefined;
  }
}

/** @throws KeychainTrouble */
function keyIn(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length === keyBytes) return key;
  throw new KeychainTrouble(`its entry "${entry.name}" of "${entry.service}" holds no key; delete it to begin anew`);
}

/** @throws KeychainTrouble where no answer comes in time */
function askProcess(question: KeychainQuestion, patience: number): Promise<KeychainAnswer> {
  const file = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (file === undefined) throw new KeychainTrouble('keychain-process.cjs, a file of wireproof, is gone');
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
    const child = fork(file, [], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env });
    const kill = (): unknown => child.kill('SIGKILL');
    const over = (): void => {
      clearTimeout(timer);
      process.off('exit', kill);
    };
    const failed = (why: string): void => {
      over();
      kill();
      reject(new KeychainTrouble(why));
    };
    const timer = setTimeout(
      () => failed(`it did not answer in ${patience / 1000} seconds: it may be locked`),
      patience,
    );
    process.once('exit', kill);
    child.once('message', (answer) => {
      over();
      if (isAnswer(answer)) resolve(answer);
      else failed('its answer is none');
    });
    child.once('error', ({ message }) => failed(message));
    child.once('close', (code, signal) => failed(`its process ended without an answer (${signal ?? `code ${code}`})`));
    child.send(question, (error) => error && failed(error.message));
  });
}

const isAnswer = (answer: unknown): answer is KeychainAnswer =>
  isObject(answer) &&
  (answer['found'] === null || typeof answer['found'] === 'string' || typeof answer['trouble'] === 'string');
