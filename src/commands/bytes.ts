import { createWriteStream, promises } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BodyBytes } from '../core/trace/body-bytes.ts';
import type { Leg, StreamName, TraceHeader } from '../core/trace/format.ts';
import { HttpCheck } from '../core/trace/http-check.ts';
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

/** Whose bytes. On HTTP: of one stream or of all, and on which side of wireproof where they passed in two forms. */
export interface WantedBytes {
  from: StreamName;
  stream?: number | undefined;
  leg?: Leg | undefined;
}

/**
 * Writes the bytes of one stream of a recording, exactly as they passed; of one of HTTP, the bodies of one side.
 *
 * @param output A stream, which stays open, or the path of a file, which is written over.
 * @throws WireproofError `trace-unreadable`, `output-unusable`, `bad-usage`, `record-not-found`
 */
export async function bytes(path: string, wanted: WantedBytes, output: Writable | string): Promise<BytesResult> {
  if (typeof output === 'string') await refuseSameFile(path, output);
  if (wanted.stream !== undefined || wanted.leg !== undefined) await refuseLines(path);
  const stream = new GivenBack(wanted);
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

/** What is wanted of a recording, held against its sums as it is given back. */
class GivenBack {
  private readonly wanted: WantedBytes;
  private readonly verifier = new Verifier(sha256);
  private readonly lines: StreamBytes;
  private readonly bodies: BodyBytes | undefined;
  private readonly bodyGaps: Gap[] = [];
  private readonly bodyCheck = new HttpCheck(sha256, (gap) => this.bodyGaps.push(gap));
  private header: TraceHeader | undefined;
  private runs = false;
  private length = 0;

  constructor(wanted: WantedBytes) {
    const { from, stream, leg = 'client' } = wanted;
    this.wanted = wanted;
    this.lines = new StreamBytes(from);
    this.bodies = from === 'stderr' ? undefined : new BodyBytes({ from, stream, leg });
  }

  /** The bytes in pieces of about what is read of the file at once. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    for await (const items of readTrace(path)) {
      const given = items.flatMap((item) => this.look(item));
      if (given.length > 0) yield this.counted(joinBytes(given));
    }
    this.refuseMissingStream();
    for (const rest of this.isHttp ? (this.bodies?.end() ?? []) : this.lines.end()) yield this.counted(rest);
  }

  /** To be asked when all has been read. */
  end(): Omit<BytesResult, 'readerLeft'> {
    const { gaps, isRunning: runs, closed } = this.verifier.end(this.runs);
    this.bodyCheck.endAll(closed ? 'closed' : runs ? 'running' : 'cut off');
    const own = this.isHttp ? this.bodyGaps : gaps.filter(({ from }) => from === this.wanted.from);
    return { bytes: this.length, gaps: [...own, ...gaps.filter(({ from }) => from === undefined)], isRunning: runs };
  }

  private get isHttp(): boolean {
    return this.header?.transport === 'http';
  }

  private counted(bytes: Uint8Array): Uint8Array {
    this.length += bytes.length;
    return bytes;
  }

  private look(item: TraceItem): Uint8Array[] {
    this.verifier.feed(item);
    if ('header' in item) {
      this.header = item.header;
      this.runs = isRunning(item.header);
    }
    if (!('event' in item)) return [];
    if (!this.isHttp) return this.lines.feed(item.event);
    if (this.bodies?.isWanted(item.event)) this.bodyCheck.feed(item.event);
    return this.bodies?.feed(item.event) ?? [];
  }

  private refuseMissingStream(): void {
    const { stream } = this.wanted;
    const last = this.bodies?.streams ?? 0;
    if (stream === undefined || (stream > 0 && stream <= last)) return;
    throw new WireproofError(
      'record-not-found',
      `There is no stream ${stream} in this recording: ${last === 0 ? 'it has none' : `its last one is ${last}`}.`,
    );
  }
}

/** Only recordings of HTTP have streams and legs. Asked before the output is written over. */
async function refuseLines(path: string): Promise<void> {
  for await (const [first] of readTrace(path)) {
    if (!first) continue;
    if ('header' in first && first.header.transport === 'http') return;
    throw new WireproofError('bad-usage', '--stream and --leg are for recordings of HTTP, and this is one of stdio.');
  }
}

/** Writing over the recording itself would destroy it before it is read. */
async function refuseSameFile(path: string, output: string): Promise<void> {
  const [trace, file] = await Promise.all([path, output].map((name) => promises.stat(name).catch(() => undefined)));
  if (!trace || !file || trace.ino !== file.ino || trace.dev !== file.dev) return;
  throw new WireproofError('bad-usage', `-o "${output}" is the recording itself. Name another file.`);
}
