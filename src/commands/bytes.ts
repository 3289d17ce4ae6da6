import { createWriteStream, promises } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamName } from '../core/trace/format.ts';
import { StreamBytes } from '../core/trace/stream-bytes.ts';
import type { TraceItem } from '../core/trace/trace-reader.ts';
import { type Gap, Verifier } from '../core/trace/verify.ts';
import { joinBytes } from '../core/wire/line-framer.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { isRunning } from '../io/process-alive.ts';
import { sha256 } from '../io/sha256.ts';
import { readTrace } from '../io/stores/read-trace.ts';

export interface BytesResult {
  /** Bytes given back. */
  bytes: number;
  /** What of this stream the recording lacks, or gives back otherwise than it passed. */
  gaps: Gap[];
  /** The recording still goes on. */
  isRunning: boolean;
  /** The reader of the output has left before the end. */
  readerLeft: boolean;
}

/**
 * Writes the bytes of one stream of a recording, exactly as they passed.
 *
 * @param output A stream, which stays open, or the path of a file, which is written over.
 * @throws WireproofError `trace-unreadable`, `output-unusable`
 */
export async function bytes(path: string, from: StreamName, output: Writable | string): Promise<BytesResult> {
  if (typeof output === 'string') await refuseSameFile(path, output);
  const stream = new GivenBack(from);
  let readerLeft = false;
  try {
    if (typeof output === 'string') await pipeline(stream.read(path), createWriteStream(output, { mode: 0o600 }));
    else await pipeline(stream.read(path), output, { end: false });
  } catch (cause) {
    if (cause instanceof WireproofError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    readerLeft = code === 'EPIPE';
    if (!readerLeft) throw new WireproofError('output-unusable', `Could not write the bytes: ${message}`, { cause });
  }
  return { ...stream.end(), readerLeft };
}

/** One stream of a recording, held against its sums as it is given back. */
class GivenBack {
  private readonly from: StreamName;
  private readonly verifier = new Verifier(sha256);
  private runs = false;
  private length = 0;

  constructor(from: StreamName) {
    this.from = from;
  }

  /** The bytes in pieces of about what is read of the file at once. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    const stream = new StreamBytes(this.from);
    for await (const items of readTrace(path)) {
      const given = items.flatMap((item) => this.look(item, stream));
      if (given.length > 0) yield this.counted(joinBytes(given));
    }
    for (const rest of stream.end()) yield this.counted(rest);
  }

  /** To be asked when all has been read. */
  end(): Omit<BytesResult, 'readerLeft'> {
    const { gaps, isRunning: runs } = this.verifier.end(this.runs);
    return {
      bytes: this.length,
      gaps: gaps.filter(({ from }) => from === undefined || from === this.from),
      isRunning: runs,
    };
  }

  private counted(bytes: Uint8Array): Uint8Array {
    this.length += bytes.length;
    return bytes;
  }

  private look(item: TraceItem, stream: StreamBytes): Uint8Array[] {
    this.verifier.feed(item);
    if ('header' in item) this.runs = isRunning(item.header);
    return 'event' in item ? stream.feed(item.event) : [];
  }
}

/** Writing over the recording itself would destroy it before it is read. */
async function refuseSameFile(path: string, output: string): Promise<void> {
  const [trace, file] = await Promise.all([path, output].map((name) => promises.stat(name).catch(() => undefined)));
  if (!trace || !file || trace.ino !== file.ino || trace.dev !== file.dev) return;
  throw new WireproofError('bad-usage', `-o "${output}" is the recording itself. Name another file.`);
}
