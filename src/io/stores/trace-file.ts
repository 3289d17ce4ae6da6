import { close, constants, open, stat, writev } from 'node:fs';

/** What a store does with records: it takes bytes one batch after the other and says how many it has kept. */
export interface Store {
  /** Appends the blocks in order. Settles with how many bytes were kept; never rejects. */
  append(blocks: readonly Uint8Array[]): Promise<Appended>;
  close(): Promise<void>;
}

/** `error` says why not all of them. */
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
  private readonly prepare: () => Promise<string>;
  private readonly room: () => number;
  private size = 0;
  private refused = false;

  /**
   * @param prepare Makes what the file needs and gives its path, before it is first opened.
   * @param room The most bytes that the file may hold, asked before each batch.
   */
  constructor(prepare: () => Promise<string>, room: () => number = () => Infinity) {
    this.prepare = prepare;
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

  async append(blocks: readonly Uint8Array[]): Promise<Appended> {
    const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
    this.refused = this.size + bytes > this.room();
    if (this.refused) return { kept: 0, error: storeLimitReached() };
    try {
      this.descriptor ??= await openForAppending(await this.prepare());
      const kept = await write(this.descriptor, blocks);
      this.size += kept;
      return { kept };
    } catch (error) {
      return { kept: 0, error: error as NodeJS.ErrnoException };
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

function openForAppending(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    stat(path, (missing, found) => {
      const special = !missing && !found.isFile();
      const flags =
        constants.O_WRONLY | constants.O_APPEND | (special ? (constants.O_NONBLOCK ?? 0) : constants.O_CREAT);
      open(path, flags, 0o600, (error, descriptor) => (error ? reject(error) : resolve(descriptor)));
    });
  });
}

function write(descriptor: number, blocks: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(descriptor, blocks, (error, written) => (error ? reject(error) : resolve(written)));
  });
}
