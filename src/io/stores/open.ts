import { promises } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { homeFolder, tracesFolder } from './paths.ts';
import { type Store, TraceFile } from './trace-file.ts';

/** Where a new recording goes. */
export interface Place {
  store: Store;
  /** Makes room in the store, now and as the recording grows, by deleting the oldest finished recordings. */
  keepWithinLimit(): void;
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
  const prepare = async (): Promise<string> => {
    await promises.mkdir(folder, { recursive: true, mode: 0o700 });
    return path;
  };
  const file = new TraceFile(prepare, () => room);
  const keepWithinLimit = async (): Promise<void> => {
    const { StoreLimit } = await import('./store-limit.ts');
    new StoreLimit({ folder, path, limit: options.limit, setRoom: (bytes) => (room = bytes) }).watch(file);
  };
  return { store: file, keepWithinLimit: () => void keepWithinLimit() };
}

/** A file that holds something is never written over: another name is found. */
function ownFile(path: string, moved: (path: string) => void): Place {
  const prepare = async (): Promise<string> => {
    await promises.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const free = await freeName(path);
    if (free !== path) moved(free);
    return free;
  };
  return { store: new TraceFile(prepare), keepWithinLimit: () => undefined };
}

async function freeName(path: string): Promise<string> {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  let candidate = path;
  for (let number = 2; await holdsSomething(candidate); number++) candidate = `${stem}-${number}${extension}`;
  return candidate;
}

async function holdsSomething(path: string): Promise<boolean> {
  try {
    const found = await promises.stat(path);
    return found.isFile() && found.size > 0;
  } catch {
    return false;
  }
}
