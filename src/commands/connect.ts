import { Pages } from '../core/peer/pages.ts';
import { type Agreement, Opening, type OpeningInput, type OpeningStep } from '../core/peer/opening.ts';
import { type JsonObject } from '../core/protocol/message.ts';
import type { Era } from '../core/protocol/revision.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { type Channel, type ChannelEvents, isUndone } from '../io/channels/channel.ts';
import { type Outcome, type RequestOptions, Session, type SessionHandlers } from '../io/session.ts';
import { Retries, type RetriesCaller } from './retries.ts';

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
  /** Gives it up: what is under way, and what is waited for. */
  signal?: AbortSignal | undefined;
}

/** What the one who connects is told of and asked for. */
export interface ConnectCaller extends RetriesCaller, Omit<SessionHandlers, 'retrying' | 'streamRefused' | 'unheard'> {
  /** Something that a person should know: that the server was started a second time, for instance. */
  told(text: string): void;
}

const wantsCredentials = "it wants to know who asks: --header 'Authorization: Bearer TOKEN' says so";

/** A server that was agreed with on how to speak. */
export class Connection {
  readonly session: Session;
  readonly agreement: Agreement;
  /** Leaves out of a list what must not be used. */
  sift: ((method: string, listed: Listed) => Listed) | undefined;
  private readonly channel: Channel;
  private readonly retries: Retries;
  private readonly usual: Pick<RequestOptions, 'timeout' | 'signal'>;
  /** What a session was told that holds for all of it, by what that is about. */
  private readonly settings = new Map<string, Setting>();

  constructor(line: Line, agreement: Agreement) {
    this.session = line.session;
    this.agreement = agreement;
    this.channel = line.channel;
    this.retries = line.retries;
    const { timeout, signal } = line.options;
    this.usual = { timeout, signal };
    this.retries.reopen = async () => (await reopen(line, agreement)) ?? this.setAgain();
  }

  /** Where the recording stands. */
  get trace(): string {
    return this.channel.trace;
  }

  async request(method: string, params: JsonObject = {}, options: Partial<RequestOptions> = {}): Promise<Outcome> {
    const outcome = await this.session.request(method, params, { ...this.usual, ...options });
    if (outcome.kind === 'result') this.keepSetting(method, params);
    return outcome;
  }

  /**
   * All items of a list, page by page.
   *
   * @param member the member of the result that holds them
   * @returns the items as they came, and what went wrong on the way, if something did
   */
  async list(method: string, member: string, options: Partial<RequestOptions> = {}): Promise<Listed> {
    const listed = await this.listAll(method, member, options);
    return this.sift?.(method, listed) ?? listed;
  }

  /** Ends the connection, and waits for the recording. */
  close(): Promise<void> {
    this.retries.stop();
    return this.channel.close();
  }

  private async listAll(method: string, member: string, options: Partial<RequestOptions>): Promise<Listed> {
    const pages = new Pages(method, member, this.agreement.era);
    const { items, flaws } = pages;
    for (let params: JsonObject | undefined = {}; params;) {
      const outcome: Outcome = await this.request(method, params, options);
      if (outcome.kind === 'result') params = pages.feed(outcome.result);
      else if (outcome.kind === 'error' && pages.refused()) params = undefined;
      else return { items, flaws, stopped: outcome };
    }
    return { items, flaws, ...(pages.trouble === undefined ? {} : { trouble: pages.trouble }) };
  }

  private keepSetting(method: string, params: JsonObject): void {
    const about = `${method.replace('unsubscribe', 'subscribe')} ${JSON.stringify(params['uri'])}`;
    if (method === 'logging/setLevel' || method === 'resources/subscribe') this.settings.set(about, { method, params });
    if (method === 'resources/unsubscribe') this.settings.delete(about);
  }

  /** Says in a new session what was said in the one before. @returns what the server did not take */
  private async setAgain(): Promise<string | undefined> {
    for (const { method, params } of this.settings.values()) {
      const outcome = await this.session.request(method, params, { ...this.usual, isSole: true });
      if (outcome.kind !== 'result') return `${method} has no result in it`;
    }
    return undefined;
  }
}

interface Setting {
  method: string;
  params: JsonObject;
}

/** A line to a server, and all that belongs to it. */
interface Line {
  session: Session;
  channel: Channel;
  retries: Retries;
  options: ConnectOptions;
}

export interface Listed {
  items: JsonObject[];
  /** What is wrong with it where it is whole all the same. */
  flaws: readonly string[];
  /** What came instead of a page. */
  stopped?: Outcome;
  /** Why this is not all. */
  trouble?: string;
}

/**
 * Opens a line to a server and agrees with it on era and revision.
 *
 * @throws WireproofError `server-not-started`, `server-unreachable`, `no-agreement`, `interrupted`
 */
export async function connect(open: OpenChannel, options: ConnectOptions, caller: ConnectCaller): Promise<Connection> {
  const { client, capabilities } = options;
  const retries = new Retries(caller);
  const session = new Session({ client, capabilities }, handlersOf(caller, retries));
  const opening = new Opening(options);
  const line: Line = { session, channel: await open(session), retries, options };
  session.use(line.channel);
  const steps: OpeningStep[] = [opening.begin()];
  let isReached = true;
  try {
    for (let step = steps.shift(); step; step = steps.shift()) {
      if ('agreed' in step) return agree(line, step.agreed);
      if ('failed' in step) throw new WireproofError(isReached ? 'no-agreement' : 'server-unreachable', step.failed);
      if ('restart' in step) await restart(line, open, step.restart, caller);
      else {
        const outcome = await ask(line, step);
        if (outcome.kind === 'cancelled') throw new WireproofError('interrupted', 'It was given up.');
        isReached = line.channel.isProcess || !isOutOfReach(outcome);
        steps.push(...opening.feed(inputOf(outcome, isProbe(step))));
      }
    }
    throw new WireproofError('no-agreement', 'The server could not be agreed with.');
  } catch (error) {
    retries.stop();
    await line.channel.close();
    throw error;
  }
}

const handlersOf = (caller: ConnectCaller, retries: Retries): SessionHandlers => ({
  request: (method, params) => caller.request(method, params),
  notification: (method, params) => caller.notification(method, params),
  undelivered: (what, lost) => caller.undelivered(what, lost),
  stray: (heard) => caller.stray(heard),
  retrying: retries.of,
  streamRefused: retries.ofStream,
  unheard: ({ why }) => caller.told(`what the server says unasked is not heard any more: ${why}`),
});

type Question = Extract<OpeningStep, { ask: string }>;

const isProbe = ({ ask: method }: Question): boolean => method === 'server/discover';

/** Nobody is there, or nobody has time: to ask in another way is of no use. */
const isOutOfReach = (outcome: Outcome): boolean =>
  outcome.kind === 'lost' && isUndone(outcome.lost) && [undefined, 429, 503].includes(outcome.lost.status);

/** The server is to be asked by `initialize` now, since it said nothing. @param why as a person is told */
async function restart(line: Line, open: OpenChannel, why: string, caller: ConnectCaller): Promise<void> {
  if (!line.channel.isProcess) {
    caller.told(`the server is asked once more, by initialize: ${why}`);
    return;
  }
  caller.told(`the server is started once more, with initialize: ${why}`);
  await line.channel.close();
  line.channel = await open(line.session);
  line.session.use(line.channel);
}

async function ask({ session, channel, options }: Line, step: Question): Promise<Outcome> {
  const { era, timeout, probeTimeout, signal } = options;
  const request = (): Promise<Outcome> =>
    session.request(step.ask, step.params, {
      timeout: isProbe(step) && era === 'auto' ? probeTimeout : timeout,
      signal,
      ...(isProbe(step) ? { revision: step.revision } : {}),
    });
  const outcome = await request();
  if (isProbe(step) || !wantsOlderTransport(outcome) || !channel.fallBack) return outcome;
  const trouble = await channel.fallBack();
  return trouble ? outcome : request();
}

/** A server of 2024-11-05 takes no POST at the address of its event stream. */
const wantsOlderTransport = (outcome: Outcome): boolean =>
  outcome.kind === 'lost' && [400, 404, 405].includes(outcome.lost.status ?? 0);

function inputOf(outcome: Outcome, wasProbe: boolean): OpeningInput {
  switch (outcome.kind) {
    case 'result':
    case 'error':
      return outcome;
    case 'lost': {
      const { status = 0, why, error, neverLeft } = outcome.lost;
      // Who has no time says nothing of what it knows.
      if (status === 429) return { kind: 'refused', why };
      if (wasProbe && error !== undefined) return { kind: 'error', error };
      if (status === 401 || status === 403) return { kind: 'refused', why: `${why}; ${wantsCredentials}` };
      // A refusal by HTTP is an answer: it came from a server that can still be asked.
      if (wasProbe && status >= 400 && status < 500) return { kind: 'error', error: { code: status, message: why } };
      return neverLeft || status > 0 ? { kind: 'refused', why } : { kind: 'gone', why };
    }
    default:
      return { kind: 'silence' };
  }
}

function agree(line: Line, agreement: Agreement): Connection {
  settle(line, agreement);
  return new Connection(line, agreement);
}

function settle({ session, channel }: Line, agreement: Agreement): void {
  session.client.era = agreement.era;
  session.client.revision = agreement.revision;
  channel.agreed(agreement);
  if (agreement.era === 'legacy') session.notify('notifications/initialized');
}

/** Opens a new session on the same terms. @returns why that is not possible, where it is not */
async function reopen(line: Line, { revision }: Agreement): Promise<string | undefined> {
  const { session, options } = line;
  const { timeout, signal } = options;
  const opening = new Opening({ ...options, era: 'legacy', revision });
  const steps = [opening.begin()];
  for (let step = steps.shift(); step; step = steps.shift()) {
    if ('failed' in step) return step.failed;
    if ('agreed' in step) settle(line, step.agreed);
    if ('ask' in step) {
      const outcome = await session.request(step.ask, step.params, { timeout, signal });
      steps.push(...opening.feed(inputOf(outcome, false)));
    }
  }
  return undefined;
}
