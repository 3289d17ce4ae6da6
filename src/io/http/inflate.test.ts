import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inflate } from './inflate.ts';

const text = Buffer.from(`${'{"jsonrpc":"2.0"}\n'.repeat(5000)}${Math.PI}`);
const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;
const rows: [string, (bytes: Uint8Array) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ...(zstd ? [['zstd', zstd] as [string, (bytes: Uint8Array) => Buffer]] : []),
];

describe.each(rows)('%s', (encoding, compress) => {
  test('is undone', () => {
    expect(Buffer.from(inflate(encoding, compress(text)) as Uint8Array).equals(text)).toBe(true);
  });

  test('is undone as far as it goes where it is cut', () => {
    const cut = inflate(encoding, compress(text).subarray(0, -4));
    expect(cut && Buffer.from(cut).equals(text.subarray(0, cut.length))).toBe(true);
  });
});

test('several are undone in turn, and identity is none', () => {
  const bytes = zlib.brotliCompressSync(zlib.gzipSync(text));
  expect(Buffer.from(inflate('gzip, identity, BR', bytes) as Uint8Array).equals(text)).toBe(true);
});

test.each([
  ['an encoding that nobody knows', 'rot13', text],
  ['what is not so encoded', 'gzip', text],
  ['what would become too long', 'gzip', zlib.gzipSync(Buffer.alloc(65 * 1024 * 1024))],
])('nothing is made of %s', (_, encoding, bytes) => {
  expect(inflate(encoding, bytes)).toBeUndefined();
});
