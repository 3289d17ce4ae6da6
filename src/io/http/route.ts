import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { HeaderLine } from '../../core/trace/format.ts';
import { credentialLines, proxyFor } from './environment-proxy.ts';
import { trustedCertificates } from './trust.ts';

/** How the server is reached. */
export interface RouteOptions {
  target: URL;
  /** A file with certificates to trust beside the system's. */
  ca?: string | undefined;
  /** Takes any certificate. */
  insecure: boolean;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked for. */
  env: NodeJS.ProcessEnv;
}

/** Called once, with a socket that is connected, or with why there is none. */
type Made = (error: NodeJS.ErrnoException | undefined, socket?: net.Socket) => void;

/** Called with what comes on a connection, which it may keep. */
type Take = (bytes: Buffer) => void;

/** How long a connection may take to be made. Milliseconds. */
const connectPatience = 20_000;

const settings = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };

/** The way to the server: directly or through a proxy, with TLS or without. */
export class Route {
  /** What stands before the path in a request: nothing, or the server's origin where a proxy takes the request. */
  readonly prefix: string;
  /** What a proxy that takes the request wants to know. */
  readonly lines: readonly HeaderLine[];
  private readonly target: URL;
  private readonly proxy: URL | undefined;
  private readonly security: tls.ConnectionOptions | undefined;
  private session: Buffer | undefined;

  /** @throws WireproofError `bad-usage` where the certificates cannot be read, or the environment names no proxy */
  constructor(options: RouteOptions) {
    const { target } = options;
    const isSecure = target.protocol === 'https:';
    this.target = target;
    this.proxy = proxyFor(target, options.env);
    this.prefix = this.proxy && !isSecure ? target.origin : '';
    this.lines = isSecure ? [] : credentialLines(this.proxy);
    this.security = isSecure
      ? {
          ca: trustedCertificates(options.ca),
          rejectUnauthorized: !options.insecure,
          ALPNProtocols: ['http/1.1'],
          ...(net.isIP(hostOf(target)) === 0 ? { servername: target.hostname } : {}),
        }
      : undefined;
  }

  /** @returns gives it up */
  connect(take: Take, made: Made): () => void {
    let socket: net.Socket | undefined;
    let isOver = false;
    const over = (error: NodeJS.ErrnoException | undefined, connected?: net.Socket): void => {
      if (isOver) connected?.destroy();
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error) socket?.destroy();
      made(error, connected);
    };
    const giveUp = (): void => {
      isOver = true;
      clearTimeout(timer);
      socket?.destroy();
    };
    const timer = setTimeout(
      () => over(Object.assign(new Error('the connection was not made in time'), { code: 'ETIMEDOUT' })),
      connectPatience,
    );
    const begun = (begins: net.Socket): void => void (socket = begins);
    const secured: Made = (error, connected) => over(error, connected?.on('data', take));
    if (this.proxy && this.security) this.connectThrough(this.proxy, begun, secured);
    else if (this.security) begun(this.secured(placeOf(this.target), secured));
    else begun(plain(placeOf(this.proxy ?? this.target), take, over));
    return giveUp;
  }

  private secured(over: net.TcpNetConnectOpts | { socket: net.Socket }, made: Made): tls.TLSSocket {
    const session = this.session ? { session: this.session } : {};
    const socket = tls.connect({ ...over, ...(settings as object), ...this.security, ...session });
    socket.on('session', (given) => (this.session = given));
    return whenReady(socket, 'secureConnect', made);
  }

  /** Connections to the server are made by `CONNECT` to a proxy (RFC 9110, section 9.3.6). */
  private connectThrough(proxy: URL, begun: (socket: net.Socket) => void, made: Made): void {
    const { target } = this;
    const authority = `${target.hostname}:${target.port === '' ? 443 : target.port}`;
    const headers = { host: authority, ...Object.fromEntries(credentialLines(proxy)) };
    const asked = http.request({ ...placeOf(proxy), method: 'CONNECT', path: authority, headers, agent: false });
    asked.once('socket', begun);
    asked.once('connect', (response, socket) => {
      if (response.statusCode === 200) begun(this.secured({ socket }, made));
      else made(new Error(`the proxy ${proxy.host} answered ${response.statusCode} to CONNECT`));
    });
    asked.once('error', made).end();
  }
}

/** What was read last on any connection: a buffer for each reading costs far more than to copy what has come. */
const read = Buffer.allocUnsafeSlow(64 * 1024);

function plain(place: net.TcpNetConnectOpts, take: Take, made: Made): net.Socket {
  const callback = (length: number): boolean => {
    take(Buffer.from(read.subarray(0, length)));
    return true;
  };
  return whenReady(net.connect({ ...place, ...settings, onread: { buffer: read, callback } }), 'connect', made);
}

function whenReady<Kind extends net.Socket>(socket: Kind, event: 'connect' | 'secureConnect', made: Made): Kind {
  const failed = (error: Error): void => made(error);
  const closed = (): void => made(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
  socket.once('error', failed).once('close', closed);
  socket.once(event, () => {
    socket.off('error', failed).off('close', closed);
    made(undefined, socket);
  });
  return socket;
}

function placeOf(url: URL): net.TcpNetConnectOpts {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: hostOf(url), port: url.port === '' ? usual : Number(url.port) };
}

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');
