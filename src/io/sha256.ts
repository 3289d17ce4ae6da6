import { createHash, hash, type Hash } from 'node:crypto';
import type { Hasher } from '../core/trace/running-sum.ts';

/** A SHA-256 that can be asked while it goes on. It costs nothing before it is used. */
export function sha256(): Hasher {
  let made: Hash | undefined;
  const all = (): Hash => (made ??= createHash('sha256'));
  return { update: (bytes) => void all().update(bytes), digest: () => all().copy().digest('hex') };
}

/** The SHA-256 of bytes that are all there, hexadecimal. */
export const digest = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
