import { expect, test as plainTest } from 'vitest';
import { verify } from '../../src/commands/verify.ts';
import { Client, type Heard, type Outgoing } from '../../src/core/peer/client.ts';
import type { Agreement } from '../../src/core/peer/opening.ts';
import { eraOf } from '../../src/core/protocol/revision.ts';
import type { JsonObject } from '../../src/core/protocol/message.ts';
import type { ChannelEvents, Lost } from '../../src/io/channels/channel.ts';
import { type HttpChannel, openHttp } from '../../src/io/channels/http-channel.ts';
import { HttpHost } from '../e2e/support/http-host.ts';
import { HttpTrace } from '../e2e/support/http-trace.ts';
import { until } from '../e2e/support/until.ts';

/** What came of a request. */
export type Came = { result?: unknown; error?: unknown } | { lost: Lost };

type Options = Partial<Parameters<typeof openHttp>[0]>;

const identity = { name: 'test-host', version: '1.0.0' };

/** A client over an HTTP channel that keeps all it hears. */
export class HttpPeer implements ChannelEvents {
  readonly channel: HttpChannel;
  readonly client = new Client({ client: identity, capabilities: {} });
  readonly heard: Heard[] = [];
  readonly undeliveredOnes: { message: Outgoing; lost: Lost }[] = [];
  whyEnded: string | undefined;
  /** Answers what the server asks. */
  answers: JsonObject = {};
  private readonly came = new Map<number, Came>();
  private readonly file: string;

  constructor(host: HttpHost, url: URL, options: Options = {}) {
    this.file = host.path('trace.jsonl');
    const storeLimit = 1e9;
    const place = { trace: this.file, env: { ...process.env, WIREPROOF_HOME: host.home }, storeLimit };
    const tell = (text: string): never => expect.unreachable(text);
    this.channel = openHttp({ url, lines: [], by: 'wireproof 0.0.0-test', tell, ...place, ...options }, this);
  }

  body(bytes: Uint8Array): void {
    for (const one of this.client.hear(bytes)) {
      this.heard.push(one);
      if (one.kind === 'answer')
        this.came.set(one.id, one.error === undefined ? { result: one.result } : { error: one.error });
      if (one.kind === 'request') this.channel.send(this.client.answer(one.id, { result: this.answers }));
    }
  }

  lost(id: number, lost: Lost): void {
    expect(this.came.has(id), 'it is told once').toBe(false);
    this.came.set(id, { lost });
  }

  undelivered(message: Outgoing, lost: Lost): void {
    this.undeliveredOnes.push({ message, lost });
  }

  ended(why: string): void {
    this.whyEnded = why;
  }

  /** Sends a request, and gives its id. */
  send(method: string, params: JsonObject = {}, options: { revision?: string; progress?: boolean } = {}): number {
    const message = this.client.request(method, params, options);
    this.channel.send(message);
    return message.id as number;
  }

  notify(method: string, params?: JsonObject): void {
    this.channel.send(this.client.notification(method, params));
  }

  /** What comes of a request. */
  of(id: number): Promise<Came> {
    return until(`request ${id} is over`, () => this.came.get(id));
  }

  async ask(
    method: string,
    params: JsonObject = {},
    options: { revision?: string; progress?: boolean } = {},
  ): Promise<unknown> {
    const came = await this.of(this.send(method, params, options));
    expect(came, `${method} has a result`).toHaveProperty('result');
    return (came as { result: unknown }).result;
  }

  async loses(method: string, params: JsonObject = {}, options: { revision?: string } = {}): Promise<Lost> {
    const came = await this.of(this.send(method, params, options));
    expect(came, `${method} is lost`).toHaveProperty('lost');
    return (came as { lost: Lost }).lost;
  }

  call(name: string, given: JsonObject = {}, options: { progress?: boolean } = {}): Promise<unknown> {
    return this.ask('tools/call', { name, arguments: given }, options);
  }

  /** Opens by handshake. */
  async initialize(protocolVersion = '2025-11-25', capabilities: JsonObject = { elicitation: {} }): Promise<void> {
    const result = (await this.ask('initialize', { protocolVersion, capabilities, clientInfo: identity })) as {
      protocolVersion: string;
    };
    this.agree(result.protocolVersion);
    this.notify('notifications/initialized');
  }

  /** What both sides agree on from now on. */
  agree(revision: string): void {
    this.client.era = eraOf(revision);
    this.client.revision = revision;
    this.channel.agreed({ era: this.client.era, revision } as Agreement);
  }

  /** The methods of notifications, and of what the server asked. */
  get said(): string[] {
    return this.heard.flatMap((one) => (one.kind === 'notification' || one.kind === 'request' ? [one.method] : []));
  }

  /** Ends it. Its recording is complete: here it is. */
  async close(): Promise<HttpTrace> {
    await this.channel.close();
    const { state, gaps } = await verify(this.file);
    expect({ state, gaps }).toEqual({ state: 'complete', gaps: [] });
    expect(this.channel.trace).toBe(this.file);
    return new HttpTrace(this.file);
  }
}

/** Opens a channel to a server; all that a test opened is closed at its end. */
export const test = plainTest.extend<{
  host: HttpHost;
  peerOf: (url: URL, options?: Options) => HttpPeer;
}>({
  // oxlint-disable-next-line no-empty-pattern
  host: async ({}, use) => {
    const host = new HttpHost();
    await use(host);
    await host.clearUp();
  },
  peerOf: async ({ host }, use) => {
    const peers: HttpPeer[] = [];
    await use((url, options) => {
      const peer = new HttpPeer(host, url, options);
      peers.push(peer);
      return peer;
    });
    await Promise.all(peers.map((peer) => peer.channel.close()));
  },
});
