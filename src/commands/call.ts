import { definitionFlaws, type ListedMember } from '../core/peer/definition-flaws.ts';
import { said } from '../core/peer/opening.ts';
import { Pages } from '../core/peer/pages.ts';
import { ProgressOrder } from '../core/peer/progress-order.ts';
import { resultFlaws, whyNoResult } from '../core/peer/result-flaws.ts';
import { answeredParams, type InputRequired, inputRequired } from '../core/peer/rounds.ts';
import { shownJson } from '../core/peer/shown-json.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import { parseBody } from '../core/wire/parse-body.ts';
import { writeUtf8 } from '../core/wire/utf8.ts';
import type { Lost } from '../io/channels/channel.ts';
import type { Outcome, RequestOptions } from '../io/session.ts';
import type { Connection, Listed } from './connect.ts';
import type { Host } from './host.ts';

/** A server may ask so many times before it answers. */
const mostRounds = 20;

/** A list of a server, and what is wrong with it where it is whole all the same. */
export interface Offered extends Listed {
  flaws: readonly string[];
}

/** Everything that a server offers. */
export interface Offer {
  tools: Offered;
  resources: Offered;
  templates: Offered;
  prompts: Offered;
}

const methodNotFound = -32_601;

/** Lists all that a server says it has. */
export async function discover(connection: Connection): Promise<Offer> {
  const tools = await offered(connection, 'tools', 'tools/list', 'tools');
  const resources = await offered(connection, 'resources', 'resources/list', 'resources');
  const templates = await offered(connection, 'resources', 'resources/templates/list', 'resourceTemplates');
  const prompts = await offered(connection, 'prompts', 'prompts/list', 'prompts');
  return { tools, resources, templates, prompts };
}

async function offered(
  connection: Connection,
  capability: string,
  method: string,
  member: ListedMember,
): Promise<Offered> {
  const { capabilities, revision } = connection.agreement;
  if (!(capability in capabilities)) return { items: [], flaws: [] };
  const listed = await listAll(connection, method, member);
  const flaws = [...listed.flaws, ...definitionFlaws(member, listed.items, revision)];
  const { stopped } = listed;
  if (stopped?.kind !== 'error' || !isObject(stopped.error) || stopped.error['code'] !== methodNotFound) {
    return { ...listed, flaws };
  }
  const why = `does not know ${method} (${said(stopped.error)})`;
  // Many servers with resources have no templates, and that is no loss.
  if (member === 'resourceTemplates') return { items: listed.items, flaws: [...flaws, `the server ${why}`] };
  return { ...listed, flaws, trouble: `the server says that it has ${capability}, and ${why}` };
}

/**
 * All items of a list, page by page.
 *
 * @param member the member of the result that holds them
 */
export async function listAll(connection: Connection, method: string, member: string): Promise<Offered> {
  const pages = new Pages(method, member, connection.agreement.era);
  const { items, flaws } = pages;
  for (let params: JsonObject | undefined = {}; params;) {
    const outcome: Outcome = await connection.request(method, params);
    if (outcome.kind === 'result') params = pages.feed(outcome.result);
    else if (outcome.kind === 'error' && pages.refused()) params = undefined;
    else return { items, flaws, stopped: outcome };
  }
  return { items, flaws, ...(pages.trouble === undefined ? {} : { trouble: pages.trouble }) };
}

/** Who answers what the server asks for, and hears what is wrong with what it gives. */
type Asked = Pick<Host, 'answer'> & Partial<Pick<Host, 'told'>>;

interface Request {
  method: string;
  params: JsonObject;
  options?: Partial<RequestOptions>;
}

/**
 * Makes a request to its end: where the server asks for input first, gives it and asks again (2026-07-28:
 * basic/patterns/mrtr). Of the handshake's era the server asks by requests of its own, which the session answers.
 */
export async function requestToEnd(connection: Connection, host: Asked, asked: Request): Promise<Outcome> {
  const { method } = asked;
  const { revision, era } = connection.agreement;
  const told = (text: string): void => host.told?.(text);
  const tools = method === 'tools/call' ? connection.session.client.tools.named(asked.params['name']) : [];
  if (tools.length > 1) {
    told(
      `the server lists ${tools.length} tools of the name ${shownJson(asked.params['name'])}: which one is called is its own affair`,
    );
  }
  const outcome = await inRounds(connection, host, { ...asked, options: watched(asked.options, told) });
  if (outcome.kind === 'lost') tellInstead(outcome.lost, told);
  if (outcome.kind !== 'result') return outcome;
  const why = whyNoResult(outcome.result, era);
  if (why !== undefined) return notDone(why);
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

async function inRounds(connection: Connection, host: Asked, asked: Request): Promise<Outcome> {
  let { params } = asked;
  let declined: string | undefined;
  for (let round = 0; round < mostRounds; round++) {
    const outcome = await connection.request(asked.method, params, asked.options);
    const required = outcome.kind === 'result' ? inputRequired(outcome.result, asked.method) : undefined;
    if (!required) return outcome;
    if (required.trouble !== undefined) return notDone(required.trouble);
    const wanted = JSON.stringify([...required.requests]);
    if (wanted === declined) return notDone('the server asks once more for what was declined');
    const given = await answersTo(required, host);
    if ('lost' in given) return given;
    if (Object.values(given.responses).some(({ action }) => action === 'decline' || action === 'cancel'))
      declined = wanted;
    params = answeredParams(asked.params, required, given.responses);
  }
  return notDone(`the server asked for input more than ${mostRounds} times`);
}

async function answersTo(
  { requests }: InputRequired,
  host: Asked,
): Promise<{ responses: Record<string, JsonObject> } | Extract<Outcome, { kind: 'lost' }>> {
  const responses: Record<string, JsonObject> = {};
  for (const [key, { method, params }] of requests) {
    const answer = await host.answer(method, params);
    // There is no way to answer with an error: what is missing is asked for again, or failed for.
    if ('error' in answer) return notDone(`the server asks for ${method}: ${answer.error.message}`);
    responses[key] = answer.result;
  }
  return { responses };
}

const notDone = (why: string): Extract<Outcome, { kind: 'lost' }> => ({
  kind: 'lost',
  lost: { why, neverLeft: false },
});

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
