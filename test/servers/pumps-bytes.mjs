// Writes seeded bytes on stdout and on stderr while it reads, and leaves the digest of what it read in a file.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { seededBytes } from './seeded-bytes.mjs';

const [length, file] = [Number(process.argv[2]), process.argv[3]];

/** In chunks of all sizes. */
function* pieces(bytes) {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 65_521)
    yield bytes.subarray(at, at + size);
}

const pump = (seed, stream) => pipeline(Readable.from(pieces(seededBytes(seed, length))), stream, { end: false });

const hash = createHash('sha256');
process.stdin.on('data', (chunk) => hash.update(chunk));
await Promise.all([pump(1, process.stdout), pump(2, process.stderr), finished(process.stdin)]);
writeFileSync(file, hash.digest('hex'));
