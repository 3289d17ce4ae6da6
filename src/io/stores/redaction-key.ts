import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hasher } from '../../core/trace/running-sum.ts';

const keyLength = 32;

/**
 * The secret of a store: the same thing gets the same stand-in in all its recordings, and nobody without it can find
 * out by trying what a stand-in is for. Where it cannot be kept, it lasts for this run.
 *
 * @param home the folder that holds everything wireproof keeps
 */
export function redactionKey(home: string): Buffer {
  const file = join(home, 'redaction-key');
  try {
    return readKey(file);
  } catch {
    const key = randomBytes(keyLength);
    try {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      writeFileSync(file, `${key.toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
      return key;
    } catch {
      // Another run may have made it just now.
      return readKeyOr(file, key);
    }
  }
}

function readKey(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== keyLength) throw new Error(`${file} holds no key`);
  return key;
}

function readKeyOr(file: string, other: Buffer): Buffer {
  try {
    return readKey(file);
  } catch {
    return other;
  }
}

/** HMAC-SHA-256 of a text, hexadecimal. */
export const keyedText =
  (key: Buffer) =>
  (text: string): string =>
    createHmac('sha256', key).update(text).digest('hex');

/** HMAC-SHA-256 of bytes as they come. It can be asked only once. */
export const keyedHasher = (key: Buffer) => (): Hasher => {
  const hmac = createHmac('sha256', key);
  return { update: (bytes) => void hmac.update(bytes), digest: () => hmac.digest('hex') };
};
