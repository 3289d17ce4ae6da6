import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const length = { nonce: 12, tag: 16 };

/**
 * Encrypts a text, so that it can be opened with the same key and label only.
 *
 * @param key 32 bytes
 * @param label what the text belongs to, which stands beside it in the clear
 */
export function seal(text: string, key: Buffer, label: string): string {
  const nonce = randomBytes(length.nonce);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(label));
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
}

/** @returns nothing where key or label are others, or something was changed */
export function unseal(sealed: string, key: Buffer, label: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const [nonce, rest] = [bytes.subarray(0, length.nonce), bytes.subarray(length.nonce)];
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: length.tag });
    decipher.setAAD(Buffer.from(label)).setAuthTag(rest.subarray(0, length.tag));
    return Buffer.concat([decipher.update(rest.subarray(length.tag)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
