import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Agreement } from './opening.ts';
import type { InputRequired } from './rounds.ts';

/** What a client and a server name in their capabilities where they can do tasks in the modern era (ext-tasks, capability negotiation). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** What marks a message as a part of a task (2025-11-25: basic/utilities/tasks, associating task-related messages). */
const relatedTask = 'io.modelcontextprotocol/related-task';

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** A task as its server tells of it. */
export interface TaskState {
  id: string;
  status: (typeof statuses)[number];
  message: string | undefined;
  /** How long to wait before it is asked for again. Milliseconds. */
  pollEvery: number;
}

/** What is to be done next for a task. */
export type TaskStep =
  | { ask: 'tasks/get' | 'tasks/result' | 'tasks/update'; params: JsonObject }
  | { wait: number }
  /** The server wants answers, by its own keys. */
  | { answer: InputRequired['requests'] }
  /** What the request that became a task would have been answered with. */
  | { done: { result: unknown } | { error: unknown } }
  /** There will be none of it. */
  | { gone: string };

/** What came of a step. */
export type TaskInput =
  | { result: unknown }
  | { error: unknown }
  /** No answer came, which does not say that none will come to the next question. */
  | { silence: true }
  | { waited: true }
  /** The server told of the task without being asked, while it was waited. */
  | { told: JsonObject }
  | { responses: Readonly<Record<string, JsonObject>> };

/** A task on its way to its end: says what to do, and is fed what came of it. */
export interface TaskCourse {
  readonly state: TaskState;
  begin(): TaskStep;
  feed(input: TaskInput): TaskStep;
}

/** Bounds of what a server may want between two polls, and what is taken where it says nothing. Milliseconds. */
const poll = { least: 100, most: 300_000, usual: 1000 };

/** @param interval the member that says how often to poll: it has another name in each era */
export function readTask(json: unknown, interval: 'pollInterval' | 'pollIntervalMs'): TaskState | undefined {
  if (!isObject(json)) return undefined;
  const { taskId, statusMessage } = json;
  const status = statuses.find((one) => one === json['status']);
  if (typeof taskId !== 'string' || status === undefined) return undefined;
  const wanted = json[interval];
  const pollEvery = typeof wanted === 'number' ? Math.min(Math.max(wanted, poll.least), poll.most) : poll.usual;
  return { id: taskId, status, message: typeof statusMessage === 'string' ? statusMessage : undefined, pollEvery };
}

/** A task that stands like this never stands otherwise again. */
export const hasEnded = ({ status }: TaskState): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** A task in words: `working: Gathering sources`. */
export function taskWords({ status, message }: Pick<TaskState, 'status' | 'message'>): string {
  const word = status === 'input_required' ? 'waits for input' : status;
  return message === undefined || message === '' ? word : `${word}: ${message.slice(0, 1000)}`;
}

/** A task that its server has cancelled, and so without a result that anyone would want. */
export const cancelledStep = (state: TaskState): TaskStep => ({
  gone: `the server ended the task (${taskWords(state)})`,
});

/**
 * Whether a tool is to be called as a task: it cannot be called otherwise, and the server takes such calls (2025-11-25:
 * basic/utilities/tasks, tool-level negotiation).
 */
export function isCalledAsTask(tool: JsonObject | undefined, { revision, capabilities }: Agreement): boolean {
  const execution = tool?.['execution'];
  const needsTask = isObject(execution) && execution['taskSupport'] === 'required';
  return needsTask && revision === '2025-11-25' && has(capabilities, 'tasks', 'requests', 'tools', 'call');
}

/** Whether a task can be cancelled there. */
export const canCancelTasks = ({ era, capabilities }: Agreement): boolean =>
  era === 'modern' || has(capabilities, 'tasks', 'cancel');

function has(json: unknown, ...path: readonly string[]): boolean {
  let value = json;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(value) || value === true;
}

/** What a client says in the handshake: the extension means nothing there (seps/2663-tasks-extension, backward compatibility). */
export function withoutTasksExtension(capabilities: JsonObject): JsonObject {
  const { extensions, ...others } = capabilities;
  if (!isObject(extensions)) return capabilities;
  const { [tasksExtension]: _, ...kept } = extensions;
  return Object.keys(kept).length > 0 ? { ...others, extensions: kept } : others;
}

/** The answer to a request of the server, marked as part of the same task (2025-11-25: basic/utilities/tasks). */
export function markedAsRelated<Answer extends { result: JsonObject } | { error: unknown }>(
  params: JsonObject,
  answer: Answer,
): Answer {
  const mark = isObject(params['_meta']) ? params['_meta'][relatedTask] : undefined;
  if (mark === undefined || !('result' in answer)) return answer;
  const { _meta: meta } = answer.result;
  return { ...answer, result: { ...answer.result, _meta: { ...(isObject(meta) ? meta : {}), [relatedTask]: mark } } };
}
