import { promises } from 'node:fs';
import { readStore } from '../io/stores/read-store.ts';
import type { StoredRecording } from '../io/stores/store-folder.ts';

export interface PruneOptions {
  /** Recordings that were started so long ago or longer go. Milliseconds. */
  olderThan: number;
  /** Milliseconds since 1970, UTC. */
  now: number;
  /** Only say what would go. */
  dryRun: boolean;
  env: NodeJS.ProcessEnv;
}

export interface PruneResult {
  folder: string;
  dryRun: boolean;
  /** What went, or would go; oldest first. */
  pruned: StoredRecording[];
  /** Bytes of all that. */
  bytes: number;
  /** Old enough, and still running: they stay. */
  running: StoredRecording[];
  /** Could not be deleted. */
  failed: { path: string; why: string }[];
  /** Cannot be read, so nothing is known of their age: they stay. */
  unreadable: string[];
}

/**
 * Deletes recordings that are finished or cut off and older than that.
 *
 * @throws WireproofError `store-unusable`
 */
export async function prune({ olderThan, now, dryRun, env }: PruneOptions): Promise<PruneResult> {
  const { folder, entries } = await readStore(env);
  const result: PruneResult = { folder, dryRun, pruned: [], bytes: 0, running: [], failed: [], unreadable: [] };
  for (const entry of entries.toReversed()) {
    if (entry.state === 'unreadable') result.unreadable.push(entry.path);
    else if (!(now - Date.parse(entry.header.started) >= olderThan)) continue;
    else if (entry.state === 'running') result.running.push(entry);
    else await pruneOne(entry, result);
  }
  return result;
}

async function pruneOne(recording: StoredRecording, result: PruneResult): Promise<void> {
  try {
    if (!result.dryRun) await promises.rm(recording.path, { force: true });
    result.pruned.push(recording);
    result.bytes += recording.size;
  } catch (error) {
    result.failed.push({ path: recording.path, why: (error as Error).message });
  }
}
