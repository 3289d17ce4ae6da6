import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HttpClients } from '../../core/trace/http-clients.ts';
import { OpenSet } from '../../core/open-set.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { HttpRecording } from './http-recording.ts';
import { isAllowedHost } from './allowed-host.ts';
import { beginningOf, isTls } from './not-http.ts';
import { Passage } from './passage.ts';
import { keepAliveFor } from './response-passage.ts';
import type { TracePrivacy } from './trace-privacy.ts';
import type { Upstream } from './upstream.ts';

/** Largest head of a request that is taken. Bytes. */
const largestHead = 64 * 1024;

export interface ProxyOptions {
  /** The server's endpoint. */
  target: URL;
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** Names that may stand in `Host` beside those of the loopback and the listener's own. */
  allowHosts: readonly string[];
  /** Maps the server's URLs to the proxy's own, where the specifications name them. */
  rewrites: boolean;
}

/** What all requests share. */
export interface ProxyParts {
  readonly options: ProxyOptions;
  readonly upstream: Upstream;
  readonly recording: HttpRecording;
  readonly privacy: TracePrivacy;
  readonly clients: HttpClients;
  /** A request for this host is for this listener. */
  readonly isForUs: (host: string | undefined) => boolean;
  /** Told why the server could not be reached. */
  readonly unreachable: (why: string) => void;
}

/** Passes every request to one server and everything that comes back, and shows all of it to a recording. */
export class ReverseProxy {
  private readonly parts: ProxyParts;
  private readonly server: http.Server;
  private readonly open = new OpenSet<Passage>();

  constructor(parts: Omit<ProxyParts, 'clients' | 'isForUs'>) {
    const { host, allowHosts } = parts.options;
    this.parts = {
      ...parts,
      clients: new HttpClients(),
      isForUs: remembered((name) => isAllowedHost(name, host, allowHosts)),
    };
    parts.upstream.onStray = (bytes) =>
      parts.recording.note('not-http', beginningOf(bytes, 'the server sent what nobody had asked for'));
    const serve = (request: IncomingMessage, response: ServerResponse): void => this.serve(request, response);
    this.server = http
      // A host may be slow to send a body, and slow to read one: only heads have to come in time.
      .createServer(
        { maxHeaderSize: largestHead, requestTimeout: 0, keepAliveTimeout: keepAliveFor, noDelay: true },
        serve,
      )
      .on('checkContinue', serve)
      .on('clientError', (error, socket) => this.refuseNonsense(error, socket as Socket));
  }

  /**
   * Takes connections from now on.
   *
   * @returns the origin that clients reach it by
   * @throws WireproofError `not-listening`, or `bad-usage` where it would pass requests to itself
   */
  async listen(): Promise<string> {
    const { host, port } = this.parts.options;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen({ host, port }, resolve);
    }).catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'something else listens there already' : cause.message;
      throw new WireproofError('not-listening', `Could not listen on ${host} port ${port}: ${why}.`, { cause });
    });
    const { port: listened } = this.server.address() as AddressInfo;
    const { target } = this.parts.options;
    if (Number(target.port) === listened && (isAllowedHost(target.hostname, host, []) || target.hostname === host)) {
      this.server.close();
      throw new WireproofError(
        'bad-usage',
        `--to ${target.origin} is this listener itself: name the server's own address.`,
      );
    }
    return `http://${urlHost(host)}:${listened}`;
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.open.size;
  }

  /** Takes no more requests; what is under way may end within `grace` milliseconds, and until `hurry`. */
  async close(grace: number, hurry: Promise<unknown>): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    let timer: NodeJS.Timeout | undefined;
    const graceOver = new Promise<void>((resolve) => (timer = setTimeout(resolve, grace)));
    await Promise.race([closed, graceOver, hurry]);
    clearTimeout(timer);
    for (const passage of this.open) passage.abort('wireproof was told to stop');
    this.server.closeAllConnections();
    await closed;
    // A connection may be gone before its requests have heard of it.
    for (const passage of this.open) passage.abort('the connection was closed');
    this.parts.upstream.close();
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const passage = new Passage(this.parts, request, response);
    this.open.add(passage);
    response.on('close', () => this.open.delete(passage));
    passage.start();
  }

  /** What came is no HTTP. */
  private refuseNonsense(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
    const hasLeft = error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE';
    if (hasLeft || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const sent = error.rawPacket ?? Buffer.alloc(0);
    const why = isTls(sent) ? 'the client speaks TLS, and has to be given a URL that begins with http:' : error.message;
    this.parts.recording.note('not-http', beginningOf(sent, `${why}; answered ${status}`));
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
}

/** Asks once for a host that is let in: it comes again with each request. */
function remembered(isAllowed: (host: string | undefined) => boolean): (host: string | undefined) => boolean {
  let last: string | undefined;
  return (host) => {
    if (last !== undefined && host === last) return true;
    if (!isAllowed(host)) return false;
    last = host;
    return true;
  };
}

/** As it stands in a URL: an IPv6 address in brackets. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
