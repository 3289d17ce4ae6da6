import type { Readable } from 'node:stream';

/** A message that is longer is not collected. Bytes. */
const most = 4 * 1024 * 1024;

/**
 * Waits for a whole message, which may have to be changed before it is passed on.
 *
 * @param whole is called with it; `tooLong` where it is longer than 4 MiB
 */
export function collect(source: Readable, whole: (bytes: Buffer) => void, tooLong: () => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  source.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= most) chunks.push(chunk);
    else {
      chunks.length = 0;
      source.pause();
      tooLong();
    }
  });
  source.on('end', () => {
    if (length <= most) whole(Buffer.concat(chunks));
  });
  source.on('error', () => undefined);
}
