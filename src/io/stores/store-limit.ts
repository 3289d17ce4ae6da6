import { promises } from 'node:fs';
import { listTraceIds, readStoredTrace, tracePath } from './store-folder.ts';
import type { TraceFile } from './trace-file.ts';

/** After so many more bytes the store is looked at again, and not more often than so. */
const betweenLooks = { bytes: 16 * 1024 * 1024, milliseconds: 1000 };
/** What other recordings may take up of the limit: the rest is for the one being made. */
const shareOfOthers = 0.9;

/** Keeps a store within its size: the oldest finished recordings are deleted, and running ones never. */
export class StoreLimit {
  private readonly folder: string;
  private readonly path: string;
  private readonly limit: number;
  private readonly setRoom: (bytes: number) => void;
  private isStopped = false;

  /** @param options `path` is the recording being made; `setRoom` hears how many bytes it may hold. */
  constructor(options: { folder: string; path: string; limit: number; setRoom: (bytes: number) => void }) {
    this.folder = options.folder;
    this.path = options.path;
    this.limit = options.limit;
    this.setRoom = options.setRoom;
  }

  watch(file: TraceFile): void {
    let seen = 0;
    void this.apply();
    const timer = setInterval(() => {
      if (file.length - seen < betweenLooks.bytes && !file.wasRefused) return;
      seen = file.length;
      void this.apply();
    }, betweenLooks.milliseconds);
    timer.unref();
  }

  /** Looks no further: the process is about to end. */
  stop(): void {
    this.isStopped = true;
  }

  /** Deletes what has to go. */
  async apply(): Promise<void> {
    const sizes = await this.otherSizes();
    let others = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [path, size] of sizes) {
      if (others <= this.limit * shareOfOthers || this.isStopped) break;
      const found = await readStoredTrace(path);
      // What cannot be read may be one that is just being begun, or that a later version is writing.
      if (found?.state === 'running' || found?.state === 'unreadable') continue;
      await promises.rm(path, { force: true }).catch(() => undefined);
      others -= size;
    }
    this.setRoom(Math.max(0, this.limit - others));
  }

  /** Oldest first. */
  private async otherSizes(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for (const id of await listTraceIds(this.folder).catch(() => [])) {
      const path = tracePath(this.folder, id);
      if (this.isStopped) break;
      if (path === this.path) continue;
      const found = await promises.stat(path).catch(() => undefined);
      if (found) sizes.set(path, found.size);
    }
    return sizes;
  }
}
