import { definitionFlaws, type ListedMember } from '../core/peer/definition-flaws.ts';
import { said } from '../core/peer/opening.ts';
import { isObject } from '../core/protocol/message.ts';
import type { Outcome } from '../io/session.ts';
import type { Connection, Listed } from './connect.ts';

/** Everything that a server offers. */
export interface Offer {
  tools: Listed;
  resources: Listed;
  templates: Listed;
  prompts: Listed;
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
): Promise<Listed> {
  const { capabilities, revision } = connection.agreement;
  if (!(capability in capabilities)) return { items: [], flaws: [] };
  const listed = await connection.list(method, member);
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
