import { promises } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { WireproofError } from '../core/wireproof-error.ts';

const chunkLength = 256 * 1024;
/** How often a file is asked whether it has grown. Milliseconds. */
const betweenLooks = 100;

/**
 * The bytes of a file in chunks, each an array of its own. When all there is has been read, an empty chunk
 * comes; whoever goes on after it gets what is written later.
 *
 * @param signal Ends the waiting.
 * @throws WireproofError `trace-not-found`
 */
export async function* readGrowingFile(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await promises.open(path, 'r').catch((cause: unknown) => {
    throw new WireproofError('trace-not-found', `Could not open "${path}": ${(cause as Error).message}`, { cause });
  });
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(chunkLength);
      const { bytesRead } = await file.read(buffer, 0, chunkLength, null);
      yield buffer.subarray(0, bytesRead);
      if (bytesRead === 0) await pause(betweenLooks, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await file.close();
  }
}
