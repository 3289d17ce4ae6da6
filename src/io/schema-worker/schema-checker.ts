import { checkValue, type Verdict } from './check-value.ts';
import { CheckingThread } from './checking-thread.ts';
import { planSchema } from './plan-schema.ts';
import { threadFile } from './thread-file.ts';
import { isLight } from './work.ts';

/** How long one value is checked, when nothing is said. Milliseconds. */
const usualDeadline = 1000;

/**
 * Checks values against the JSON Schemas of strangers (2020-12 or draft-07), whatever these do: no code is made of them,
 * nothing is fetched, and what could take long is done in a thread that is ended at its deadline. `format` only remarks,
 * as the specification has it.
 */
export class SchemaChecker {
  private readonly file: string | undefined;
  private thread: CheckingThread | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  /** @param options `file` is what the thread runs, where it is not the one that was built */
  constructor(options: { file?: string } = {}) {
    this.file = options.file ?? threadFile();
  }

  /** Starts the thread, which takes a tenth of a second: it may not be needed, and holds up no ending. */
  warm(): void {
    this.started();
  }

  /**
   * @param value JSON, as `JSON.parse` makes it
   * @param deadline how long it may take, once the thread runs and has nothing else to do. Milliseconds.
   */
  async check(schema: unknown, value: unknown, deadline = usualDeadline): Promise<Verdict> {
    const plan = planSchema(schema);
    if ('unchecked' in plan) return plan;
    if (isLight(plan, value)) return checkValue(plan, value);
    const verdict = this.last.then(() => this.started()?.ask({ plan, value }, deadline) ?? { unchecked: noThread });
    this.last = verdict;
    return verdict;
  }

  /** What is being checked stays unchecked. */
  close(): void {
    this.isClosed = true;
    this.thread?.end('the check was given up');
  }

  private started(): CheckingThread | undefined {
    if (this.isClosed || this.file === undefined) return undefined;
    if (this.thread?.hasEnded !== false) this.thread = new CheckingThread(this.file);
    return this.thread;
  }
}

const noThread = 'the value was not checked: there is no thread to do it in';
