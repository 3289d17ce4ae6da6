import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WireproofError } from '../../core/wireproof-error.ts';

/** Curves, and the digest that goes with each (RFC 7518, section 3.4). */
const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/**
 * The private key of a client, by which it shows who it is (RFC 7523).
 *
 * @param file PEM, without a passphrase: EC, RSA or Ed25519
 * @throws WireproofError `bad-usage`
 */
export async function readClientKey(file: string): Promise<webcrypto.CryptoKey> {
  try {
    const key = createPrivateKey(readFileSync(file));
    const bytes = key.export({ type: 'pkcs8', format: 'der' });
    return await webcrypto.subtle.importKey('pkcs8', bytes, algorithmOf(key), false, ['sign']);
  } catch (cause) {
    throw new WireproofError('bad-usage', `--client-key "${file}" cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  const namedCurve = curves[details?.namedCurve ?? ''];
  if (type === 'ec' && namedCurve !== undefined) return { name: 'ECDSA', namedCurve };
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (type === 'ed25519') return { name: 'Ed25519' };
  throw new Error(`it is ${type ?? 'of no known kind'}, and has to be EC, RSA or Ed25519`);
}
