import { answeredParams, inputRequired } from '../core/peer/rounds.ts';
import type { JsonObject } from '../core/protocol/message.ts';
import type { Outcome, RequestOptions } from '../io/session.ts';
import type { Connection, Listed } from './connect.ts';
import type { Host } from './host.ts';

/** A server may ask so many times before it answers. */
const mostRounds = 20;

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

/**
 * Makes a request to its end: where the server asks for input first, gives it and asks again (2026-07-28:
 * basic/patterns/mrtr). Of the handshake's era the server asks by requests of its own, which the session answers.
 */
export async function requestToEnd(
  connection: Connection,
  host: Pick<Host, 'answer'>,
  asked: { method: string; params: JsonObject; options?: Partial<RequestOptions> },
): Promise<Outcome> {
  let { params } = asked;
  for (let round = 0; round < mostRounds; round++) {
    const outcome = await connection.request(asked.method, params, asked.options);
    const required = outcome.kind === 'result' ? inputRequired(outcome.result) : undefined;
    if (!required) return outcome;
    const responses: Record<string, JsonObject> = {};
    for (const [key, { method, params: wanted }] of required.requests) {
      const answer = await host.answer(method, wanted);
      // There is no way to answer with an error: what is missing is asked for again, or failed for.
      if ('result' in answer) responses[key] = answer.result;
      else
        return {
          kind: 'lost',
          lost: { why: `the server asks for ${method}: ${answer.error.message}`, neverLeft: false },
        };
    }
    params = answeredParams(asked.params, required, responses);
  }
  return { kind: 'lost', lost: { why: `the server asked for input more than ${mostRounds} times`, neverLeft: false } };
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
