import { close, constants, open, stat, writev } from 'node:fs';

/** What a store does with records: it takes bytes one batch after the other and says how many it has kept. */
export interface Store {
  /**
   * Appends the blocks in order. Settles with how many bytes were kept; never rejects.
   *
   * @param areLast they end the recording: they are few, and no limit of ours keeps them out
   */
  append(blocks: readonly Uint8Array[], areLast?: boolean): Promise<Appended>;
  close(): Promise<void>;
}

/** `error` says why not all of them; a store that is merely busy takes none, or some, without one. */
export interface Appended {
  kept: number;
  error?: NodeJS.ErrnoException;
}

/**
 * A trace as a file, only ever appended to. Files are written by threads of their own, so that a disk that
 * blocks does not; what is no regular file (a FIFO, a device) is opened so that it cannot block.
 */
export class TraceFile implements Store {
  private descriptor: number | undefined;
  private readonly open: () => Promise<number>;
  private readonly room: () => number;
  private size = 0;
  private refused = false;

  /**
   * @param open Opens the file for appending, and is asked again as long as that fails.
   * @param room The most bytes that the file may hold, asked before each batch.
   */
  constructor(open: () => Promise<number>, room: () => number = () => Infinity) {
    this.open = open;
    this.room = room;
  }

  /** Bytes kept so far. */
  get length(): number {
    return this.size;
  }

  /** The last batch found no room. */
  get wasRefused(): boolean {
    return this.refused;
  }

  async append(blocks: readonly Uint8Array[], areLast = false): Promise<Appended> {
    const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
    this.refused = !areLast && this.size + bytes > this.room();
    if (this.refused) return { kept: 0, error: storeLimitReached() };
    try {
      this.descriptor ??= await this.open();
      const kept = await write(this.descriptor, blocks);
      this.size += kept;
      return { kept };
    } catch (reason) {
      const error = reason as NodeJS.ErrnoException;
      return error.code === 'EAGAIN' ? { kept: 0 } : { kept: 0, error };
    }
  }

  close(): Promise<void> {
    const { descriptor } = this;
    this.descriptor = undefined;
    return new Promise((resolve) => (descriptor === undefined ? resolve() : close(descriptor, () => resolve())));
  }
}

const storeLimitReached = (): NodeJS.ErrnoException =>
  Object.assign(new Error('the store has reached its size limit (--store-limit)'), { code: 'STORELIMIT' });

/** Opens a file for appending, and makes it where there is none. What is no regular file is opened so that it cannot block. */
export async function openForAppending(path: string): Promise<number> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  const flags = O_WRONLY | O_APPEND | ((await isSpecial(path)) ? (O_NONBLOCK ?? 0) : O_CREAT);
  return openFile(path, flags);
}

/** The same for a file that must be new: rejects with `EEXIST` where there is one. */
export function openNew(path: string): Promise<number> {
  return openFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL);
}

function isSpecial(path: string): Promise<boolean> {
  return new Promise((resolve) => stat(path, (missing, found) => resolve(!missing && !found.isFile())));
}

function openFile(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, flags, 0o600, (error, descriptor) => (error ? reject(error) : resolve(descriptor)));
  });
}

function write(descriptor: number, blocks: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(descriptor, blocks, (error, written) => (error ? reject(error) : resolve(written)));
  });
}
