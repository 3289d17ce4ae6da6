import { ExtensionTask } from '../core/peer/extension-task.ts';
import { LegacyTask } from '../core/peer/legacy-task.ts';
import { ProgressOrder } from '../core/peer/progress-order.ts';
import { resultFlaws, whyNoResult } from '../core/peer/result-flaws.ts';
import { answeredParams, inputRequired } from '../core/peer/rounds.ts';
import { shownJson } from '../core/peer/shown-json.ts';
import { readTask, type TaskCourse } from '../core/peer/tasks.ts';
import { requiredPages } from '../core/peer/url-elicitation.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { parseBody } from '../core/wire/parse-body.ts';
import { writeUtf8 } from '../core/wire/utf8.ts';
import type { Lost } from '../io/channels/channel.ts';
import type { Outcome, RequestOptions } from '../io/session.ts';
import type { Connection } from './connect.ts';
import { answerAll, followTask, TaskEars } from './follow-task.ts';
import type { Host } from './host.ts';
import { VisitEars, visitPages } from './required-pages.ts';

/** A server may ask so many times before it answers. */
const mostRounds = 20;

/** How long the id of a task may take that is not wanted any more. Milliseconds. */
const patienceForId = 2000;

interface Asked {
  method: string;
  /** With `task`, where it is to become one (2025-11-25: basic/utilities/tasks). */
  params: JsonObject;
  options?: Partial<RequestOptions>;
}

/**
 * Makes a request to its end: in rounds where the server asks for input first (2026-07-28: basic/patterns/mrtr), through
 * the task that it became, and once more where pages had to be visited before. Of the handshake's era the server asks by
 * requests of its own, which the session answers. What is wrong with the answer is told to the host.
 */
export async function requestToEnd(connection: Connection, host: Host, asked: Asked): Promise<Outcome> {
  const { method } = asked;
  const { revision, era } = connection.agreement;
  const told = (text: string): void => host.told(text);
  const tools = method === 'tools/call' ? connection.session.client.tools.named(asked.params['name']) : [];
  if (tools.length > 1) {
    told(
      `the server lists ${tools.length} tools of the name ${shownJson(asked.params['name'])}: which one is called is its own affair`,
    );
  }
  const outcome = await onceVisited(connection, host, { ...asked, options: watched(asked.options, told) });
  if (outcome.kind === 'lost') tellInstead(outcome.lost, told);
  if (outcome.kind !== 'result') return outcome;
  const why = whyNoResult(outcome.result, era);
  if (why !== undefined) return lost(why);
  const result = outcome.result as JsonObject;
  for (const flaw of resultFlaws(result, { method, revision, tool: tools[0] }))
    told(`the server answers wrongly: ${flaw}`);
  return outcome;
}

/** A server on HTTP may say in other words than the protocol's why it does not answer. What is JSON was told as it came. */
function tellInstead({ status = 0, body = '' }: Lost, told: (text: string) => void): void {
  const isPage = status < 300 && body.trim() !== '' && parseBody(writeUtf8(body)) === undefined;
  if (isPage) told(`what came instead begins with ${shownJson(body.slice(0, 200).trim())}`);
}

/** The same, with an eye on the progress. */
function watched(options: Partial<RequestOptions> = {}, told: (text: string) => void): Partial<RequestOptions> {
  const { progress } = options;
  if (!progress) return options;
  const order = new ProgressOrder();
  const hear = (params: JsonObject): void => {
    const flaw = order.feed(params);
    if (flaw !== undefined) told(flaw);
    progress(params);
  };
  return { ...options, progress: hear };
}

/** The request, and once more where the server wants pages to be visited first (2025-11-25: client/elicitation). */
async function onceVisited(connection: Connection, host: Host, asked: Asked): Promise<Outcome> {
  const ears = new TaskEars(host, asked.options?.progress);
  const visits = new VisitEars(host);
  try {
    const outcome = await inRounds(connection, host, asked, ears);
    const isError = outcome.kind === 'error' && connection.agreement.era === 'legacy';
    const pages = isError ? requiredPages(outcome.error) : undefined;
    if (!pages || !(await visitPages(host, pages, visits, asked.options?.signal))) return outcome;
    return await inRounds(connection, host, asked, ears);
  } finally {
    ears.close();
    visits.close();
  }
}

async function inRounds(connection: Connection, host: Host, asked: Asked, ears: TaskEars): Promise<Outcome> {
  const signal = asked.options?.signal;
  let { params } = asked;
  let declined: string | undefined;
  for (let round = 0; round < mostRounds; round++) {
    const outcome = isObject(params['task'])
      ? await requestAsTask(connection, { ...asked, params }, ears)
      : await connection.request(asked.method, params, asked.options);
    if (outcome.kind !== 'result') return outcome;
    const course = courseOf(connection, asked, outcome.result);
    if (course === 'invalid') return lost(`the answer to ${asked.method} is a task, and no right one`);
    if (course) return followTask({ connection, host, ears, signal }, course);
    const required = inputRequired(outcome.result, asked.method);
    if (!required) return outcome;
    if (required.trouble !== undefined) return lost(required.trouble);
    const wanted = JSON.stringify([...required.requests]);
    if (wanted === declined) return lost('the server asks once more for what was declined');
    const answers = await answerAll(host, required.requests);
    if ('refused' in answers) return lost(answers.refused);
    const { responses } = answers;
    if (Object.values(responses).some(({ action }) => action === 'decline' || action === 'cancel')) declined = wanted;
    params = answeredParams(asked.params, required, responses);
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
