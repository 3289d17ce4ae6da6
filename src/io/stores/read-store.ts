import { homeFolder, tracesFolder } from './paths.ts';
import { listTraceIds, readStoredTraceNow, type StoredTrace, tracePath } from './store-folder.ts';

/** A recording and the id that its file is named for. */
export type StoreEntry = StoredTrace & { id: string };

export interface StoreListing {
  folder: string;
  /** Newest first. */
  entries: StoreEntry[];
}

/**
 * Everything in the store.
 *
 * @throws WireproofError `store-unusable`
 */
export async function readStore(env: NodeJS.ProcessEnv): Promise<StoreListing> {
  const folder = tracesFolder(homeFolder(env));
  const ids = await listTraceIds(folder);
  const entries = ids.toReversed().flatMap((id) => {
    const found = readStoredTraceNow(tracePath(folder, id));
    // One that was deleted meanwhile is not there any more.
    return found ? [Object.assign(found, { id })] : [];
  });
  return { folder, entries };
}
