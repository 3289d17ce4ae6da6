import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, test as plainTest } from 'vitest';
import type { Handler } from '../../servers/http/handler.ts';
import { Host, server, type Started, wireproof } from './host.ts';
import { HttpTrace } from './http-trace.ts';
import { until } from './until.ts';

/** WIREPROOF_DIRECT=1: nothing stands between client and server. It proves that a test is right in what it wants. */
export const isDirect = process.env['WIREPROOF_DIRECT'] === '1';

/** A tap that a test started on a free port. Where the tests run directly there is none, and its URL is the server's. */
export class HttpTap {
  /** The endpoint that clients use. */
  readonly url: URL;
  /** The endpoint that the tap was pointed at. */
  readonly to: URL;
  readonly started: Started | undefined;
  private readonly host: HttpHost;
  private readonly file: string;

  constructor(host: HttpHost, { url, to, started, file }: { url: URL; to: URL; started?: Started; file: string }) {
    this.host = host;
    this.url = url;
    this.to = to;
    this.started = started;
    this.file = file;
  }

  /** The same path and query under the tap's origin. */
  under(target: string): URL {
    return new URL(target, this.url);
  }

  /** Does the recording hold this text already? Where the tests run directly, it always seems so. */
  recorded(text: string): boolean {
    return isDirect || (existsSync(this.file) && readFileSync(this.file, 'latin1').includes(text));
  }

  /** Ends it as a user would. It ends well, and its recording is proven: here it is, unless the tests run directly. */
  async stop(): Promise<HttpTrace | undefined> {
    return this.end(() => true);
  }

  /** The same of one that had more to record than the store may have taken: no other gap is pardoned. */
  async stopFlooded(): Promise<HttpTrace | undefined> {
    return this.end((gap) => !gap.includes('the store is slower than the traffic'));
  }

  private async end(counts: (gap: string) => boolean): Promise<HttpTrace | undefined> {
    if (!this.started) return undefined;
    this.started.child.kill('SIGTERM');
    expect(await this.started.ended, this.started.stderr.text).toEqual({ code: 0, signal: null });
    const verify = this.host.start([process.execPath, wireproof, 'verify', '--json', this.file]);
    const { code } = await verify.ended;
    expect([0, 1], verify.stderr.text).toContain(code);
    const { gaps } = JSON.parse(verify.stdout.text) as { gaps: { text: string }[] };
    expect(code).toBe(gaps.length === 0 ? 0 : 1);
    expect(gaps.filter(({ text }) => counts(text))).toEqual([]);
    return new HttpTrace(this.file);
  }
}

/** A server of the test's own, in its own process. */
export interface Upstream {
  url: URL;
  /** How many connections it was ever given. */
  connections(): number;
}

/** A host whose servers are reached by HTTP. */
export class HttpHost extends Host {
  private readonly servers: { server: Server | RawServer; sockets: Set<Socket> }[] = [];
  private taps = 0;

  /** Starts a server with `node:http`. */
  async serve(handle: Handler, tune: (server: Server) => void = () => undefined): Promise<Upstream> {
    const server = createServer((request, response) => void handle(request, response));
    tune(server);
    return this.listen(server);
  }

  /** Starts a server that gets bare connections. */
  serveRaw(handle: (socket: Socket) => unknown): Promise<Upstream> {
    return this.listen(createRawServer((socket) => void handle(socket)));
  }

  /** Starts a program in test/servers/http, and waits for its URL. */
  async serveFile(name: string): Promise<URL> {
    const started = this.start(server(`http/${name}`));
    const { url } = JSON.parse(await started.line(1)) as { url: string };
    return new URL(url);
  }

  /** A URL of this machine that nobody listens at. */
  async nowhere(): Promise<URL> {
    const server = createRawServer();
    const { url } = await this.listen(server);
    server.close();
    await once(server, 'close');
    return url;
  }

  /** Starts a tap in front of a server. */
  async tapTo(to: URL, words: readonly string[] = []): Promise<HttpTap> {
    const file = this.path(`trace-${++this.taps}.jsonl`);
    if (isDirect) return new HttpTap(this, { url: to, to, file });
    const started = this.tapHttp(['--listen', '0', '--to', to.href, '--trace', file, ...words]);
    const said = await until('the tap listens', () => {
      if (!started.isRunning) throw new Error(`The tap has ended: ${started.stderr.text}`);
      return /^wireproof: (http:\S+) passes to (\S+); recording \S+/m.exec(started.stderr.text);
    });
    expect(said[2]).toBe(to.href);
    return new HttpTap(this, { url: new URL(said[1] as string), to, started, file });
  }

  /** Starts `wireproof tap` with these words and no others. */
  tapHttp(words: readonly string[]): Started {
    return this.start([process.execPath, wireproof, 'tap', ...words]);
  }

  override async clearUp(): Promise<void> {
    for (const { server, sockets } of this.servers) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
    await super.clearUp();
  }

  async listen(server: Server | RawServer): Promise<Upstream> {
    const sockets = new Set<Socket>();
    let connections = 0;
    server.on('connection', (socket: Socket) => {
      connections++;
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    this.servers.push({ server, sockets });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { url: new URL(`http://127.0.0.1:${port}/mcp`), connections: () => connections };
  }
}

/** A test that gets an HTTP host of its own. */
export const test = plainTest.extend<{ host: HttpHost }>({
  // oxlint-disable-next-line no-empty-pattern
  host: async ({}, use) => {
    const host = new HttpHost();
    await use(host);
    await host.clearUp();
  },
});

/** A test of what the tap itself does: there is nothing to be seen of it where the tests run directly. */
// Skipped only with WIREPROOF_DIRECT=1: no tap stands between then.
export const tapTest = isDirect ? (test.skip as unknown as typeof test) : test;
