import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { plain, PlainRun } from './plain-run.ts';

/** Mostly plain, so that runs get long, with any byte in between. */
const nearlyPlain = fc
  .tuple(fc.nat(200), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }))
  .map(([length, odd]) => {
    const bytes = new Uint8Array(length).fill(0x61);
    for (const [at, byte] of odd) if (length > 0) bytes[at % length] = byte;
    return bytes;
  });

test('ends where the first byte stands that is not plain, wherever the bytes lie in memory', () => {
  const run = new PlainRun();
  fc.assert(
    fc.property(nearlyPlain, fc.nat(9), fc.nat(9), fc.nat(9), (content, offset, from, spare) => {
      const bytes = new Uint8Array(new ArrayBuffer(offset + content.length + spare), offset, content.length + spare);
      bytes.set(content);
      const start = Math.min(from, content.length);
      const odd = content.findIndex((byte, at) => at >= start && plain[byte] === 0);
      expect(run.end(bytes, start, content.length)).toBe(odd < 0 ? content.length : odd);
    }),
  );
});
