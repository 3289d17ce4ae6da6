import { Worker } from 'node:worker_threads';
import type { Verdict } from './check-value.ts';
import type { Question } from './schema-thread.ts';

/** What a thread may use. It has no environment, and its end is nobody's loss. */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

/** How long a thread may take to start. Milliseconds. */
const longestStart = 15_000;

const tooExpensive = 'this schema is too expensive to check';

/** A thread that checks one value after the other, until it takes too long for one. */
export class CheckingThread {
  hasEnded = false;
  private readonly worker: Worker;
  private readonly ready: Promise<void>;
  private setReady: () => void = () => undefined;
  private answer: ((verdict: Verdict) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private why = '';

  constructor(file: string) {
    this.ready = new Promise((resolve) => (this.setReady = resolve));
    this.worker = new Worker(file, { resourceLimits: limits, env: {}, execArgv: [], stdin: false });
    this.worker.on('message', (message: Verdict | 'ready') =>
      message === 'ready' ? this.setReady() : this.tell(message),
    );
    this.worker.on('error', (error: NodeJS.ErrnoException) => this.end(whyFailed(error)));
    this.worker.on('exit', () => this.end('the thread that checks has ended'));
    this.worker.unref();
  }

  /** One question at a time. */
  async ask(question: Question, deadline: number): Promise<Verdict> {
    if (this.hasEnded) return { unchecked: this.why };
    this.worker.ref();
    const verdict = new Promise<Verdict>((resolve) => (this.answer = resolve));
    this.wait(longestStart, 'the thread that checks did not start');
    await this.ready;
    if (!this.hasEnded) this.post(question, deadline);
    return verdict;
  }

  /** Ends the thread; what it was asked stays unchecked. */
  end(why: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.why = why;
    this.tell({ unchecked: why });
    this.setReady();
    void this.worker.terminate();
  }

  private post(question: Question, deadline: number): void {
    this.wait(deadline, tooExpensive);
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
      this.worker.postMessage(question);
    } catch {
      this.tell({ unchecked: 'the value is nested too deeply to be checked' });
    }
  }

  private wait(milliseconds: number, why: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(why), milliseconds);
  }

  private tell(verdict: Verdict): void {
    clearTimeout(this.timer);
    if (!this.hasEnded) this.worker.unref();
    this.answer?.(verdict);
    this.answer = undefined;
  }
}

function whyFailed(error: NodeJS.ErrnoException): string {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return tooExpensive;
  return `the thread that checks has failed: ${error.message}`;
}
