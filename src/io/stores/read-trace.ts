import { promises } from 'node:fs';
import { type TraceItem, TraceReader } from '../../core/trace/trace-reader.ts';
import { WireproofError } from '../../core/wireproof-error.ts';

const chunkSize = 1024 * 1024;

/**
 * What a trace file holds, as it is read: the items of one chunk after the other, and the next chunk is read
 * while they are looked at.
 *
 * @throws WireproofError `trace-unreadable`
 */
export async function* readTrace(path: string, reader = new TraceReader()): AsyncGenerator<TraceItem[]> {
  try {
    for await (const chunk of readChunks(path)) yield reader.feed(chunk);
    yield reader.end();
  } catch (cause) {
    throw new WireproofError('trace-unreadable', `${path}: ${(cause as Error).message}`, { cause });
  }
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await promises.open(path, 'r');
  try {
    const read = () => file.read(Buffer.allocUnsafeSlow(chunkSize));
    let next = read();
    for (let { bytesRead, buffer } = await next; bytesRead > 0; { bytesRead, buffer } = await next) {
      next = read();
      // Nobody waits for it where the reader stops here.
      next.catch(() => undefined);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
