import {
  canCancelTasks,
  hasEnded,
  type TaskCourse,
  type TaskInput,
  type TaskStep,
  taskWords,
} from '../core/peer/tasks.ts';
import type { JsonObject } from '../core/protocol/message.ts';
import type { Outcome, RequestOptions } from '../io/session.ts';
import type { Connection } from './connect.ts';
import type { Host } from './host.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How long a server may take to acknowledge that a task is cancelled. Milliseconds. */
const cancelTimeout = 5000;

/** So many polls in a row may go wrong in a way that passes. */
const mostTroubles = 3;

/** Hears what a server tells of tasks (2025-11-25: `notifications/tasks/status`, `notifications/progress`). */
export class TaskEars {
  /** What progress of the task is reported under, as long as the task lives. */
  readonly progressToken: string;
  private latest: JsonObject | undefined;
  private wake: () => void = () => undefined;
  private readonly stop: () => void;
  private static made = 0;

  constructor(host: Host, progress: RequestOptions['progress']) {
    this.progressToken = `task-${++TaskEars.made}`;
    this.stop = host.listen((method, params) => {
      if (method === 'notifications/progress' && params['progressToken'] === this.progressToken) progress?.(params);
      if (method !== 'notifications/tasks/status') return;
      this.latest = params;
      this.wake();
    });
  }

  /** Waits so long, or until the server tells of this task, or the signal says stop. */
  async wait(time: number, id: string, signal: AbortSignal | undefined): Promise<TaskInput> {
    const end = performance.now() + time;
    for (;;) {
      const told = this.latest;
      this.latest = undefined;
      if (told?.['taskId'] === id) return { told };
      const left = end - performance.now();
      if (left <= 0 || signal?.aborted) return { waited: true };
      await this.quiet(left, signal);
    }
  }

  close(): void {
    this.stop();
  }

  private quiet(time: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, time);
      signal?.addEventListener('abort', done);
      this.wake = done;
    });
  }
}

export interface Following {
  connection: Connection;
  host: Host;
  ears: TaskEars;
  signal: AbortSignal | undefined;
}

/** Goes with a task to its end. @returns what the request that became a task comes to */
export async function followTask(following: Following, course: TaskCourse): Promise<Outcome> {
  const { host, signal } = following;
  const teller = new StatusTeller(host);
  let troubles = 0;
  for (let step = course.begin(); ;) {
    teller.tell(course);
    if (signal?.aborted) return cancelTask(following, course.state.id);
    if ('done' in step) return outcomeOf(step.done);
    if ('gone' in step) {
      if (!hasEnded(course.state)) await cancelTask(following, course.state.id);
      return { kind: 'lost', lost: { why: step.gone, neverLeft: false } };
    }
    const came = await carryOut(following, course, step);
    if ('outcome' in came) {
      const isOver = came.isHopeless || ++troubles > mostTroubles;
      // It goes on without us, unless that is said.
      if (signal?.aborted || isOver) await cancelTask(following, course.state.id);
      if (signal?.aborted) return { kind: 'cancelled' };
      if (isOver) return came.outcome;
      step = course.feed({ silence: true });
    } else {
      if (!('waited' in came)) troubles = 0;
      step = course.feed(came);
    }
  }
}

const outcomeOf = (done: { result: unknown } | { error: unknown }): Outcome =>
  'result' in done ? { kind: 'result', result: done.result } : { kind: 'error', error: done.error };

/** A step that came to nothing. `isHopeless`: to try again is of no use. */
type Failed = { outcome: Outcome; isHopeless: boolean };

async function carryOut(
  { connection, host, ears, signal }: Following,
  { state }: TaskCourse,
  step: Exclude<TaskStep, { done: unknown } | { gone: string }>,
): Promise<TaskInput | Failed> {
  if ('wait' in step) return ears.wait(step.wait, state.id, signal);
  if ('answer' in step) {
    const answers = await unlessAborted(answerAll(host, step.answer), signal);
    if (!answers) return { outcome: { kind: 'cancelled' }, isHopeless: true };
    if ('responses' in answers) return answers;
    return { outcome: { kind: 'lost', lost: { why: answers.refused, neverLeft: false } }, isHopeless: true };
  }
  // What was asked is not cancelled when the task is: its answer comes anyway, and is of no use then.
  // A task is cancelled by `tasks/cancel`, and not by cancelling what is asked about it.
  const outcome = await unlessAborted(connection.request(step.ask, step.params, { signal: undefined }), signal);
  if (!outcome) return { outcome: { kind: 'cancelled' }, isHopeless: true };
  if (outcome.kind === 'result') return { result: outcome.result };
  if (outcome.kind === 'error') return { error: outcome.error };
  // A blocked `tasks/result` that is given up is no trouble: the task is polled on.
  if (outcome.kind === 'silence' && step.ask === 'tasks/result') return { silence: true };
  const status = outcome.kind === 'lost' ? (outcome.lost.status ?? 0) : 0;
  return { outcome, isHopeless: outcome.kind === 'lost' && status !== 429 && status < 500 };
}

/** @returns the answers by the server's keys; there is no way to answer with an error (2026-07-28: basic/patterns/mrtr) */
export async function answerAll(
  host: Host,
  requests: ReadonlyMap<string, { method: string; params: JsonObject }>,
): Promise<{ responses: Record<string, JsonObject> } | { refused: string }> {
  const responses: Record<string, JsonObject> = {};
  for (const [key, { method, params }] of requests) {
    const answer = await host.answer(method, params);
    if ('error' in answer) return { refused: `the server asks for ${method}: ${answer.error.message}` };
    responses[key] = answer.result;
  }
  return { responses };
}

/** Cancels a task by the protocol's way, which is not `notifications/cancelled`. */
async function cancelTask({ connection, host }: Following, id: string): Promise<Outcome> {
  if (canCancelTasks(connection.agreement)) {
    const outcome = await connection.request(
      'tasks/cancel',
      { taskId: id },
      { timeout: cancelTimeout, signal: undefined },
    );
    if (outcome.kind !== 'result') host.told('the server did not acknowledge that the task is cancelled: it may go on');
  } else host.told('this server cannot cancel tasks: it may go on');
  return { kind: 'cancelled' };
}

/** Says how a task stands, each time that it stands otherwise. */
class StatusTeller {
  private said: string | undefined;
  private readonly host: Host;

  constructor(host: Host) {
    this.host = host;
  }

  tell({ state }: TaskCourse): void {
    const words = taskWords(state);
    if (words !== this.said) this.host.status(`task ${state.id.slice(0, 100)} ${words}`);
    this.said = words;
  }
}
