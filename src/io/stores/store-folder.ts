import { promises } from 'node:fs';
import { join } from 'node:path';
import { summarize, type TraceSummary } from '../../core/trace/summary.ts';
import { isRunning } from '../process-alive.ts';
import { isTraceId } from './trace-id.ts';

/** How much is read from each end of a trace to say what it is. Bytes. */
const endLength = 64 * 1024;

/** A recording in the store, as it can be told without reading it all. */
export interface StoredTrace extends TraceSummary {
  path: string;
  size: number;
  state: 'running' | 'finished' | 'cut off';
}

/** The ids of the recordings in a folder, oldest first. */
export async function listTraceIds(folder: string): Promise<string[]> {
  const names = await promises.readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .filter(isTraceId)
    .sort();
}

export const tracePath = (folder: string, id: string): string => join(folder, `${id}.jsonl`);

/** What a trace says of itself at its ends; nothing where it is gone or no trace. */
export async function readStoredTrace(path: string): Promise<StoredTrace | undefined> {
  const file = await promises.open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const head = await readAt(file, 0, Math.min(size, endLength));
    const tailStart = Math.max(0, size - endLength);
    const tail = tailStart < head.length ? head : await readAt(file, tailStart, size - tailStart);
    const summary = summarize(head, tail);
    if (!summary) return undefined;
    const state = summary.closed ? 'finished' : isRunning(summary.header) ? 'running' : 'cut off';
    return { ...summary, path, size, state };
  } finally {
    await file.close();
  }
}

async function readAt(file: promises.FileHandle, position: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
