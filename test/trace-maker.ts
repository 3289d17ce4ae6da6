import { createHash } from 'node:crypto';
import type { Closed, StdioHeader, StreamName } from '../src/core/trace/format.ts';
import { Recorder } from '../src/core/trace/recorder.ts';
import type { Hasher } from '../src/core/trace/running-sum.ts';

export function sha256(): Hasher {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.copy().digest('hex') };
}

export const someHeader: StdioHeader = {
  wireproof: 1,
  id: '01KBXM2Q9ZC8V4T6W1R0D5F7GH',
  started: '2026-11-30T10:48:31.123456Z',
  by: 'wireproof 0.1.0',
  pid: 4700,
  transport: 'stdio',
  command: ['node', 'server.mjs'],
  cwd: '/work',
  env: ['HOME', 'PATH'],
};

/** Records what is said to have passed, and hands out the trace. */
export class TraceMaker {
  readonly recorder: Recorder;
  at = 0;
  private readonly stored: Uint8Array[] = [];

  constructor(options: { header?: Partial<StdioHeader>; budget?: number } = {}) {
    this.recorder = new Recorder({
      hasher: sha256,
      ...(options.budget === undefined ? {} : { budget: options.budget }),
    });
    this.recorder.begin({ ...someHeader, ...options.header });
    this.recorder.opened(0.5, 4711);
  }

  /** Bytes pass, a millisecond after what was before. */
  pass(from: StreamName, bytes: string | Uint8Array): this {
    const chunk = Buffer.from(bytes);
    this.recorder.passed(from, chunk, chunk.length, ++this.at);
    return this;
  }

  /** Nothing passes for so many milliseconds. */
  wait(milliseconds: number): this {
    this.at += milliseconds;
    this.recorder.tick(this.at);
    return this;
  }

  /** The store takes what waits. */
  store(): this {
    const taken = this.recorder.staging.take();
    for (const block of taken) this.stored.push(block.slice());
    this.recorder.staging.written(taken);
    return this;
  }

  close(closed: Closed = { exit: 0 }): this {
    for (const from of ['client', 'server', 'stderr'] as const) this.recorder.ended(from, this.at);
    this.recorder.closed(++this.at, closed);
    return this;
  }

  /** The trace as it stands in the file. */
  get bytes(): Buffer {
    return Buffer.concat(this.store().stored);
  }

  get lines(): string[] {
    return this.bytes.toString().split('\n').slice(0, -1);
  }
}
