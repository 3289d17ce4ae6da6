import { promises } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { homeFolder, tracesFolder } from './paths.ts';
import { openForAppending, openNew, type Store, TraceFile } from './trace-file.ts';

/** Where a new recording goes. */
export interface Place {
  store: Store;
  /** Makes room in the store, now and as the recording grows, by deleting the oldest finished recordings; gives what stops that. */
  keepWithinLimit(): () => void;
}

/**
 * @param options `trace` is a file that the user named, `limit` the most bytes that the store may hold;
 *   `moved` is told which file is written instead of one that exists.
 */
export function openStore(options: {
  id: string;
  trace: string | undefined;
  env: NodeJS.ProcessEnv;
  limit: number;
  moved: (path: string) => void;
}): Place {
  if (options.trace !== undefined) return ownFile(options.trace, options.moved);
  const folder = tracesFolder(homeFolder(options.env));
  const path = join(folder, `${options.id}.jsonl`);
  let room = Infinity;
  const open = async (): Promise<number> => {
    await makeFolder(folder);
    return openForAppending(path);
  };
  const file = new TraceFile(open, () => room);
  const keepWithinLimit = (): (() => void) => {
    let stop = false;
    void import('./store-limit.ts').then(({ StoreLimit }) => {
      const limit = new StoreLimit({ folder, path, limit: options.limit, setRoom: (bytes) => (room = bytes) });
      if (!stop) limit.watch(file);
      end = () => limit.stop();
    });
    let end = (): void => void (stop = true);
    return () => end();
  };
  return { store: file, keepWithinLimit };
}

/** How long a file that is there and empty is watched: another run may have made it just now. Milliseconds. */
const firstRecordsTake = 150;

/** A file that holds something is never written over: another name is found. */
function ownFile(path: string, moved: (path: string) => void): Place {
  const open = async (): Promise<number> => {
    await makeFolder(dirname(path));
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? path : numbered(path, number);
      const descriptor = await openFree(candidate);
      if (descriptor === undefined) continue;
      if (candidate !== path) moved(candidate);
      return descriptor;
    }
  };
  return { store: new TraceFile(open), keepWithinLimit: () => () => undefined };
}

/** `name.jsonl` as `name-2.jsonl`. */
function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}

/** Opens a file that is new, or empty, or no regular file; nothing where it holds something, or another run took it. */
async function openFree(path: string): Promise<number | undefined> {
  try {
    return await openNew(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await holdsSomething(path)) return undefined;
  await new Promise((resolve) => setTimeout(resolve, firstRecordsTake));
  return (await holdsSomething(path)) ? undefined : openForAppending(path);
}

async function holdsSomething(path: string): Promise<boolean> {
  try {
    const found = await promises.stat(path);
    return found.isFile() && found.size > 0;
  } catch {
    return false;
  }
}

/**
 * Makes a folder and those above it. Node's own way tries for ever where the system says of a folder that is
 * there that it is not, as it does below /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const missing = (error: NodeJS.ErrnoException): boolean => error.code === 'ENOENT' && dirname(path) !== path;
  const make = (): Promise<void> => promises.mkdir(path, 0o700);
  try {
    await make().catch(async (error: NodeJS.ErrnoException) => {
      if (!missing(error)) throw error;
      await makeFolder(dirname(path));
      await make();
    });
  } catch (error) {
    if (!(await promises.stat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
}
