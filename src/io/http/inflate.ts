import zlib from 'node:zlib';

/** Nothing is made longer than this. Bytes. */
const longest = 64 * 1024 * 1024;

const decoders: Readonly<Record<string, (bytes: Uint8Array, options: object) => Buffer>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: inflateEither,
  br: (bytes, options) => zlib.brotliDecompressSync(bytes, { ...options, finishFlush: brotliFlush }),
  ...('zstdDecompressSync' in zlib ? { zstd: unzstd } : {}),
};
const brotliFlush = zlib.constants.BROTLI_OPERATION_FLUSH;

/**
 * A body without its `Content-Encoding` (RFC 9110, section 8.4), as far as it goes where it is cut; nothing where that
 * cannot be undone here, or makes more than 64 MiB.
 */
export function inflate(encoding: string, bytes: Uint8Array): Uint8Array | undefined {
  let plain: Uint8Array = bytes;
  try {
    for (const name of encoding.toLowerCase().split(',').reverse()) {
      if (name.trim() === 'identity') continue;
      const decoder = decoders[name.trim()];
      if (!decoder) return undefined;
      plain = decoder(plain, { maxOutputLength: longest, finishFlush: zlib.constants.Z_SYNC_FLUSH });
    }
    return plain;
  } catch {
    return undefined;
  }
}

/** Node.js 22.15 and later have it. */
function unzstd(bytes: Uint8Array, options: object): Buffer {
  const { zstdDecompressSync, constants } = zlib as unknown as {
    zstdDecompressSync: (bytes: Uint8Array, options: object) => Buffer;
    constants: { ZSTD_e_flush: number };
  };
  return zstdDecompressSync(bytes, { ...options, finishFlush: constants.ZSTD_e_flush });
}

/** Some senders leave out the wrapper that `deflate` has to have. */
function inflateEither(bytes: Uint8Array, options: object): Buffer {
  try {
    return zlib.inflateSync(bytes, options);
  } catch {
    return zlib.inflateRawSync(bytes, options);
  }
}
