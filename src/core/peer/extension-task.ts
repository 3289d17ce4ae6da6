import { isObject, type JsonObject } from '../protocol/message.ts';
import { serverRequests } from './rounds.ts';
import { cancelledStep, readTask, type TaskCourse, type TaskInput, type TaskState, type TaskStep } from './tasks.ts';

/** A server may ask for so many things in one task. */
const mostAnswers = 100;

/**
 * A task of the extension of the modern era (ext-tasks): polled with `tasks/get`, which holds the result in the end, and
 * on the way what the server asks for; that is answered with `tasks/update`, each key once.
 */
export class ExtensionTask implements TaskCourse {
  state: TaskState;
  private readonly answered = new Set<string>();
  /** Answers that no acknowledgement came for. */
  private unheard: Readonly<Record<string, JsonObject>> | undefined;

  constructor(created: TaskState) {
    this.state = created;
  }

  begin(): TaskStep {
    return this.state.status === 'working' ? this.wait : this.poll();
  }

  feed(input: TaskInput): TaskStep {
    if ('waited' in input) return this.unheard ? this.update(this.unheard) : this.poll();
    if ('responses' in input) return this.update(input.responses);
    if ('silence' in input || 'told' in input) return this.wait;
    if ('error' in input) return { done: input };
    if (this.unheard) {
      this.unheard = undefined;
      return this.wait;
    }
    return this.got(input.result);
  }

  private got(result: unknown): TaskStep {
    const state = readTask(result, 'pollIntervalMs');
    if (state?.id !== this.state.id || !isObject(result)) return { gone: 'the answer to tasks/get is not this task' };
    this.state = state;
    switch (state.status) {
      case 'completed':
        return isObject(result['result'])
          ? { done: { result: result['result'] } }
          : { gone: 'the server says that the task is completed, and gives no result' };
      case 'failed':
        return isObject(result['error'])
          ? { done: { error: result['error'] } }
          : { gone: 'the server says that the task failed, and gives no error' };
      case 'cancelled':
        return cancelledStep(state);
      case 'input_required':
        return this.answer(result['inputRequests']);
      default:
        return this.wait;
    }
  }

  /** What was answered may be asked for still: a server takes answers when it likes. */
  private answer(inputRequests: unknown): TaskStep {
    const open = [...serverRequests(inputRequests)].filter(([key]) => !this.answered.has(key));
    if (open.length === 0) return this.wait;
    if (this.answered.size + open.length > mostAnswers) {
      return { gone: `the server asked for input more than ${mostAnswers} times` };
    }
    for (const [key] of open) this.answered.add(key);
    return { answer: new Map(open) };
  }

  private update(responses: Readonly<Record<string, JsonObject>>): TaskStep {
    this.unheard = responses;
    return { ask: 'tasks/update', params: { taskId: this.state.id, inputResponses: responses } };
  }

  private poll(): TaskStep {
    return { ask: 'tasks/get', params: { taskId: this.state.id } };
  }

  private get wait(): TaskStep {
    return { wait: this.state.pollEvery };
  }
}
