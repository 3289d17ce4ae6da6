import { createHash } from 'node:crypto';
import type { Hasher } from '../core/trace/running-sum.ts';

/** A SHA-256 that can be asked while it goes on. */
export function sha256(): Hasher {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.copy().digest('hex') };
}
