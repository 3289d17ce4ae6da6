import { type Agreement, Opening, type OpeningInput, type OpeningStep } from '../core/peer/opening.ts';
import { isObject, type JsonObject } from '../core/protocol/message.ts';
import type { Era } from '../core/protocol/revision.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import type { Channel, ChannelEvents } from '../io/channels/channel.ts';
import { type Outcome, type RequestOptions, Session, type SessionHandlers } from '../io/session.ts';

/** How a server is reached: opens a line to it, and may be asked to open it anew. */
export type OpenChannel = (events: ChannelEvents) => Promise<Channel>;

export interface ConnectOptions {
  era: Era | 'auto';
  revision?: string | undefined;
  client: { name: string; version: string };
  /** What this client can do for the server. */
  capabilities: JsonObject;
  /** How long an answer may take. Milliseconds. */
  timeout: number;
  /** How long the first question of the modern era is waited for, which old servers may not answer. Milliseconds. */
  probeTimeout: number;
}

/** What the one who connects is told of and asked for. */
export interface ConnectCaller extends SessionHandlers {
  /** Something that a person should know: that the server was started a second time, for instance. */
  told(text: string): void;
}

const wantsCredentials = "it wants to know who asks: --header 'Authorization: Bearer TOKEN' says so";

/** Lists that a server gives in pages (server/utilities/pagination). */
const most = { pages: 1000 };

/** A server that was agreed with on how to speak. */
export class Connection {
  readonly session: Session;
  readonly agreement: Agreement;
  private readonly channel: Channel;
  private readonly timeout: number;

  constructor(parts: { session: Session; agreement: Agreement; channel: Channel; timeout: number }) {
    this.session = parts.session;
    this.agreement = parts.agreement;
    this.channel = parts.channel;
    this.timeout = parts.timeout;
  }

  /** Where the recording stands. */
  get trace(): string {
    return this.channel.trace;
  }

  request(method: string, params: JsonObject = {}, options: Partial<RequestOptions> = {}): Promise<Outcome> {
    return this.session.request(method, params, { timeout: this.timeout, ...options });
  }

  /**
   * All items of a list, page by page.
   *
   * @param member the member of the result that holds them
   * @returns the items as they came, and what went wrong on the way, if something did
   */
  async list(method: string, member: string, options: Partial<RequestOptions> = {}): Promise<Listed> {
    const items: JsonObject[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < most.pages; page++) {
      const outcome = await this.request(method, cursor === undefined ? {} : { cursor }, options);
      if (outcome.kind !== 'result') return { items, stopped: outcome };
      const { result } = outcome;
      const given = isObject(result) ? result[member] : undefined;
      if (!Array.isArray(given)) return { items, trouble: `the result of ${method} has no ${member}` };
      items.push(...given.filter(isObject));
      const next = isObject(result) ? result['nextCursor'] : undefined;
      if (typeof next !== 'string') return { items };
      if (seen.has(next)) return { items, trouble: `the server gave the same cursor twice: ${JSON.stringify(next)}` };
      seen.add(next);
      cursor = next;
    }
    return { items, trouble: `the server gives more than ${most.pages} pages` };
  }

  /** Ends the connection, and waits for the recording. */
  close(): Promise<void> {
    return this.channel.close();
  }
}

export interface Listed {
  items: JsonObject[];
  /** What came instead of a page. */
  stopped?: Outcome;
  /** Why this is not all. */
  trouble?: string;
}

/**
 * Opens a line to a server and agrees with it on era and revision.
 *
 * @throws WireproofError `server-not-started`, `no-agreement`
 */
export async function connect(open: OpenChannel, options: ConnectOptions, caller: ConnectCaller): Promise<Connection> {
  const { client, capabilities, timeout } = options;
  const session = new Session({ client, capabilities }, caller);
  const opening = new Opening(options);
  let channel = await open(session);
  session.use(channel);
  const steps: OpeningStep[] = [opening.begin()];
  try {
    for (let step = steps.shift(); step; step = steps.shift()) {
      if ('agreed' in step) return agree({ session, channel, agreement: step.agreed, timeout });
      if ('failed' in step) throw new WireproofError('no-agreement', step.failed);
      if ('restart' in step) {
        caller.told(`the server is started once more, with initialize: ${step.restart}`);
        await channel.close();
        channel = await open(session);
        session.use(channel);
      } else steps.push(...opening.feed(await ask(session, channel, step, options)));
    }
    throw new WireproofError('no-agreement', 'The server could not be agreed with.');
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function ask(
  session: Session,
  channel: Channel,
  { ask: method, params, revision }: Extract<OpeningStep, { ask: string }>,
  { era, timeout, probeTimeout }: ConnectOptions,
): Promise<OpeningInput> {
  const isProbe = method === 'server/discover';
  const request = (): Promise<Outcome> =>
    session.request(method, params, {
      timeout: isProbe && era === 'auto' ? probeTimeout : timeout,
      ...(isProbe ? { revision } : {}),
    });
  const outcome = await request();
  if (isProbe || !wantsOlderTransport(outcome) || !channel.fallBack) return inputOf(outcome, isProbe);
  const trouble = await channel.fallBack();
  return trouble ? inputOf(outcome, false) : inputOf(await request(), false);
}

/** A server of 2024-11-05 takes no POST at the address of its event stream. */
const wantsOlderTransport = (outcome: Outcome): boolean =>
  outcome.kind === 'lost' && [400, 404, 405].includes(outcome.lost.status ?? 0);

function inputOf(outcome: Outcome, isProbe: boolean): OpeningInput {
  switch (outcome.kind) {
    case 'result':
    case 'error':
      return outcome;
    case 'lost': {
      const { status = 0, why, error, neverLeft } = outcome.lost;
      if (isProbe && error !== undefined) return { kind: 'error', error };
      if (status === 401 || status === 403) return { kind: 'refused', why: `${why}; ${wantsCredentials}` };
      // A refusal by HTTP is an answer: it came from a server that can still be asked.
      if (isProbe && status >= 400 && status < 500) return { kind: 'error', error: { code: status, message: why } };
      return neverLeft || status > 0 ? { kind: 'refused', why } : { kind: 'gone', why };
    }
    default:
      return { kind: 'silence' };
  }
}

function agree(parts: { session: Session; channel: Channel; agreement: Agreement; timeout: number }): Connection {
  const { session, channel, agreement } = parts;
  session.client.era = agreement.era;
  session.client.revision = agreement.revision;
  channel.agreed(agreement);
  if (agreement.era === 'legacy') session.notify('notifications/initialized');
  return new Connection(parts);
}
