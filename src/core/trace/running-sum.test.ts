import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { digest, sha256 } from '../../io/sha256.ts';
import { type Hasher, RunningSum } from './running-sum.ts';

/** Chunks, and whether the sum is asked for after each. */
const chunks = fc.array(fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.boolean()), { maxLength: 12 });

test.each([
  ['with a quick digest', digest],
  ['without one', undefined],
])('is of all that has passed so far, however it comes: %s', (_, quick) => {
  fc.assert(
    fc.property(chunks, (all) => {
      const sum = new RunningSum(sha256(), 8, quick);
      const hash = createHash('sha256');
      let bytes = 0;
      for (const [chunk, isAsked] of all) {
        const reused = Uint8Array.from([...chunk, 0xff]);
        sum.add(reused, chunk.length);
        reused.fill(0);
        hash.update(chunk);
        bytes += chunk.length;
        if (isAsked) expect(sum.sum()).toEqual({ bytes, sha256: hash.copy().digest('hex') });
      }
      expect(sum.sum()).toEqual({ bytes, sha256: hash.digest('hex') });
    }),
  );
});

test('a short one needs no hasher', () => {
  const none = (): never => {
    throw new Error('it was used');
  };
  const hasher: Hasher = { update: none, digest: none };
  const sum = new RunningSum(hasher, 8, digest);
  sum.add(Buffer.from('abc'));
  sum.add(Buffer.from('def'));
  expect(sum.sum()).toEqual({ bytes: 6, sha256: digest(Buffer.from('abcdef')) });
});
