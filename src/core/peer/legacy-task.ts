import type { JsonObject } from '../protocol/message.ts';
import {
  cancelledStep,
  hasEnded,
  readTask,
  type TaskCourse,
  type TaskInput,
  type TaskState,
  type TaskStep,
} from './tasks.ts';

/**
 * A task of 2025-11-25 (basic/utilities/tasks): polled with `tasks/get`, its result fetched with `tasks/result`. That is
 * asked for early where the task needs input, as it opens the way for the server's requests, and blocks until the end.
 */
export class LegacyTask implements TaskCourse {
  state: TaskState;
  private asked: 'tasks/get' | 'tasks/result' = 'tasks/get';
  /** The server answers no early `tasks/result`: to ask for it again would be a loop. */
  private refusesEarly = false;

  constructor(created: TaskState) {
    this.state = created;
  }

  begin(): TaskStep {
    return this.next();
  }

  feed(input: TaskInput): TaskStep {
    if ('waited' in input) return this.ask('tasks/get');
    if ('told' in input) return this.told(input.told);
    if ('responses' in input || 'silence' in input) return { wait: this.state.pollEvery };
    return this.asked === 'tasks/get' ? this.got(input) : this.resulted(input);
  }

  private got(input: { result: unknown } | { error: unknown }): TaskStep {
    if ('error' in input) return { done: input };
    const state = readTask(input.result, 'pollInterval');
    if (state?.id !== this.state.id) return { gone: 'the answer to tasks/get is not this task' };
    this.state = state;
    return this.next();
  }

  private told(params: JsonObject): TaskStep {
    const state = readTask(params, 'pollInterval');
    if (state?.id !== this.state.id) return { wait: this.state.pollEvery };
    this.state = state;
    return this.next();
  }

  private resulted(input: { result: unknown } | { error: unknown }): TaskStep {
    if ('result' in input || hasEnded(this.state)) return { done: input };
    // It may be the task's own error or a refusal to wait: the status tells which.
    this.refusesEarly = true;
    return this.ask('tasks/get');
  }

  private next(): TaskStep {
    const { status, pollEvery } = this.state;
    if (status === 'cancelled') return cancelledStep(this.state);
    if (hasEnded(this.state) || (status === 'input_required' && !this.refusesEarly)) return this.ask('tasks/result');
    return { wait: pollEvery };
  }

  private ask(method: 'tasks/get' | 'tasks/result'): TaskStep {
    this.asked = method;
    return { ask: method, params: { taskId: this.state.id } };
  }
}
