import { ExtensionTask } from '../core/peer/extension-task.ts';
import { LegacyTask } from '../core/peer/legacy-task.ts';
import { answeredParams, inputRequired } from '../core/peer/rounds.ts';
import { readTask, type TaskCourse } from '../core/peer/tasks.ts';
import { requiredPages } from '../core/peer/url-elicitation.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import type { Outcome, RequestOptions } from '../io/session.ts';
import type { Connection, Listed } from './connect.ts';
import { answerAll, followTask, TaskEars } from './follow-task.ts';
import type { Host } from './host.ts';
import { VisitEars, visitPages } from './required-pages.ts';

/** A server may ask so many times before it answers. */
const mostRounds = 20;

/** How long the id of a task may take that is not wanted any more. Milliseconds. */
const patienceForId = 2000;

/** Everything that a server offers. */
export interface Offer {
  tools: Listed;
  resources: Listed;
  templates: Listed;
  prompts: Listed;
}

const nothing: Listed = { items: [] };

/** Lists all that a server says it has. */
export async function discover(connection: Connection): Promise<Offer> {
  const { capabilities } = connection.agreement;
  const list = (capability: string, method: string, member: string): Promise<Listed> =>
    capability in capabilities ? connection.list(method, member) : Promise.resolve(nothing);
  const tools = await list('tools', 'tools/list', 'tools');
  const resources = await list('resources', 'resources/list', 'resources');
  const templates = await list('resources', 'resources/templates/list', 'resourceTemplates');
  const prompts = await list('prompts', 'prompts/list', 'prompts');
  return { tools, resources, templates, prompts };
}

interface Asked {
  method: string;
  /** With `task`, where it is to become one (2025-11-25: basic/utilities/tasks). */
  params: JsonObject;
  options?: Partial<RequestOptions>;
}

/**
 * Makes a request to its end: in rounds where the server asks for input first (2026-07-28: basic/patterns/mrtr), through
 * the task that it became, and once more where pages had to be visited before. Of the handshake's era the server asks by
 * requests of its own, which the session answers.
 */
export async function requestToEnd(connection: Connection, host: Host, asked: Asked): Promise<Outcome> {
  const ears = new TaskEars(host, asked.options?.progress);
  const visits = new VisitEars(host);
  try {
    const outcome = await requestInRounds(connection, host, asked, ears);
    const isError = outcome.kind === 'error' && connection.agreement.era === 'legacy';
    const pages = isError ? requiredPages(outcome.error) : undefined;
    if (!pages || !(await visitPages(host, pages, visits, asked.options?.signal))) return outcome;
    return await requestInRounds(connection, host, asked, ears);
  } finally {
    ears.close();
    visits.close();
  }
}

async function requestInRounds(connection: Connection, host: Host, asked: Asked, ears: TaskEars): Promise<Outcome> {
  const signal = asked.options?.signal;
  let { params } = asked;
  for (let round = 0; round < mostRounds; round++) {
    const outcome = isObject(params['task'])
      ? await requestAsTask(connection, { ...asked, params }, ears)
      : await connection.request(asked.method, params, asked.options);
    if (outcome.kind !== 'result') return outcome;
    const course = courseOf(connection, asked, outcome.result);
    if (course === 'invalid') return lost(`the answer to ${asked.method} is a task, and no right one`);
    if (course) return followTask({ connection, host, ears, signal }, course);
    const required = inputRequired(outcome.result);
    if (!required) return outcome;
    const answers = await answerAll(host, required.requests);
    if ('refused' in answers) return lost(answers.refused);
    params = answeredParams(asked.params, required, answers.responses);
  }
  return lost(`the server asked for input more than ${mostRounds} times`);
}

const lost = (why: string): Outcome => ({ kind: 'lost', lost: { why, neverLeft: false } });

/** The task that a request became, where it did. A server that knows of no tasks gives the result at once. */
function courseOf(
  { agreement }: Connection,
  { method, params }: Asked,
  result: unknown,
): TaskCourse | 'invalid' | undefined {
  if (!isObject(result)) return undefined;
  if (agreement.era === 'modern') {
    if (result['resultType'] !== 'task') return undefined;
    const state = method === 'tools/call' ? readTask(result, 'pollIntervalMs') : undefined;
    return state ? new ExtensionTask(state) : 'invalid';
  }
  if (!isObject(params['task']) || !isObject(result['task'])) return undefined;
  const state = readTask(result['task'], 'pollInterval');
  return state ? new LegacyTask(state) : 'invalid';
}

/** A task is not cancelled by `notifications/cancelled`: its id is waited for a little, so that `tasks/cancel` can name it. */
async function requestAsTask(connection: Connection, { method, params, options }: Asked, ears: TaskEars) {
  const signal = options?.signal;
  const given = isObject(params['_meta']) ? params['_meta'] : {};
  const meta = options?.progress ? { progressToken: ears.progressToken, ...given } : given;
  const whole = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => void (timer = setTimeout(() => giveUp.abort(), patienceForId));
  if (signal?.aborted) later();
  else signal?.addEventListener('abort', later);
  try {
    const { progress: _, ...rest } = options ?? {};
    return await connection.request(method, whole, { ...rest, signal: giveUp.signal });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', later);
  }
}

/**
 * Hears what a server tells of itself until `signal` says stop: changed lists, resources that were updated.
 *
 * @param uris resources to hear of (up to 2025-11-25: `resources/subscribe`; since 2026-07-28: `subscriptions/listen`)
 */
export async function watch(connection: Connection, uris: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const forEver = { timeout: 2 ** 31 - 1, signal };
  if (connection.agreement.era === 'modern') {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    return connection.request('subscriptions/listen', { notifications }, forEver);
  }
  for (const uri of uris) {
    const outcome = await connection.request('resources/subscribe', { uri });
    if (outcome.kind !== 'result') return outcome;
  }
  return new Promise((resolve) => {
    connection.session.whenEnded((why) => resolve({ kind: 'lost', lost: { why, neverLeft: false } }));
    signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { once: true });
  });
}
