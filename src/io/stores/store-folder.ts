import { closeSync, fstatSync, openSync, promises, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Closed, Counts, TraceHeader } from '../../core/trace/format.ts';
import { type HeadSummary, summarizeHead, summarizeTail, type TailSummary } from '../../core/trace/summary.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { isRunning } from '../process-alive.ts';
import { isTraceId } from './trace-id.ts';

const kibibyte = 1024;
/** How much is read from the beginning of a trace to say what it is: more where that is not enough. Bytes. */
const headLengths = [64 * kibibyte, 1024 * kibibyte];
/** The same from its end: before a record that is very long stand the sums. */
const tailLengths = [64 * kibibyte, 1024 * kibibyte, 16 * 1024 * kibibyte];

/** A recording in the store, as it can be told without reading it all. */
export interface StoredRecording {
  path: string;
  /** Bytes. */
  size: number;
  state: 'running' | 'finished' | 'cut off';
  header: TraceHeader;
  /** Name and version that the server gave itself. */
  server: string | undefined;
  /** Milliseconds from the start to the last record. */
  length: number;
  counts: Counts | undefined;
  closed: Closed | undefined;
}

/** A file of the store that cannot be read as a recording: it is damaged, empty, or of a later version. */
export interface UnreadableTrace {
  path: string;
  size: number;
  state: 'unreadable';
  why: string;
}

export type StoredTrace = StoredRecording | UnreadableTrace;

/**
 * The ids of the recordings in a folder, oldest first; none where there is no such folder.
 *
 * @throws WireproofError `store-unusable`
 */
export async function listTraceIds(folder: string): Promise<string[]> {
  const names = await promises.readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new WireproofError('store-unusable', `Could not list the recordings in ${folder}: ${cause.message}`, {
      cause,
    });
  });
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .filter(isTraceId)
    .sort();
}

export const tracePath = (folder: string, id: string): string => join(folder, `${id}.jsonl`);

/** What a trace says of itself at its ends; nothing where it is gone. Waits for no disk. */
export async function readStoredTrace(path: string): Promise<StoredTrace | undefined> {
  let file: promises.FileHandle | undefined;
  let size = 0;
  try {
    file = await promises.open(path, 'r');
    for (let looks = 1; ; looks++) {
      ({ size } = await file.stat());
      const reading = readEnds(size);
      let step = reading.next();
      while (!step.done) {
        const { position, length } = step.value;
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
        step = reading.next(buffer.subarray(0, bytesRead));
      }
      const found = stored(path, step.value, looks);
      if (found) return found;
    }
  } catch (error) {
    return unreadable(path, size, error as NodeJS.ErrnoException);
  } finally {
    await file?.close();
  }
}

/** The same without handing it to another thread: several times as fast where nothing else has to go on meanwhile. */
export function readStoredTraceNow(path: string): StoredTrace | undefined {
  let descriptor: number | undefined;
  let size = 0;
  try {
    descriptor = openSync(path, 'r');
    for (let looks = 1; ; looks++) {
      ({ size } = fstatSync(descriptor));
      const reading = readEnds(size);
      let step = reading.next();
      while (!step.done) {
        const bytes = Buffer.allocUnsafeSlow(step.value.length);
        const count = readSync(descriptor, bytes, 0, bytes.length, step.value.position);
        step = reading.next(bytes.subarray(0, count));
      }
      const found = stored(path, step.value, looks);
      if (found) return found;
    }
  } catch (error) {
    return unreadable(path, size, error as NodeJS.ErrnoException);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

type Ends = Omit<StoredRecording, 'path' | 'state'>;

/** A part of the file that is wanted next. */
interface Wanted {
  position: number;
  length: number;
}

function* readEnds(size: number): Generator<Wanted, Ends, Uint8Array> {
  if (size === 0) throw new Error('it is empty');
  let head: HeadSummary | undefined;
  for (const most of headLengths) {
    const length = Math.min(most, size);
    const bytes = yield { position: 0, length };
    head = summarizeHead(bytes, length === size);
    if (length === size) return ends(size, head, summarizeTail(bytes, true));
    if (head && !head.needsMore) break;
  }
  let tail: TailSummary | undefined;
  for (const most of tailLengths) {
    const length = Math.min(most, size);
    tail = summarizeTail(yield { position: size - length, length }, length === size);
    if (tail.counts || length === size) break;
  }
  return ends(size, head, tail);
}

function ends(size: number, head: HeadSummary | undefined, tail: TailSummary | undefined): Ends {
  if (!head) throw new Error('its first line does not end');
  const { header, server, length } = head;
  return { size, header, server, length: tail?.length ?? length, counts: tail?.counts, closed: tail?.closed };
}

/** Nothing where it has to be looked at again: since it was read it may have been closed, and its process have ended. */
function stored(path: string, found: Ends, looks: number): StoredRecording | undefined {
  if (found.closed) return { path, state: 'finished', ...found };
  if (isRunning(found.header)) return { path, state: 'running', ...found };
  return looks > 1 ? { path, state: 'cut off', ...found } : undefined;
}

function unreadable(path: string, size: number, { code, message }: NodeJS.ErrnoException): UnreadableTrace | undefined {
  return code === 'ENOENT' ? undefined : { path, size, state: 'unreadable', why: message };
}
