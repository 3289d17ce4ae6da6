import { readFileSync } from 'node:fs';
import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { Duplex } from 'node:stream';
import type { HeaderLine } from '../../core/trace/format.ts';
import { WireproofError } from '../../core/wireproof-error.ts';

/** How the server is reached. */
export interface UpstreamOptions {
  target: URL;
  /** A file with certificates to trust beside the system's. */
  ca?: string | undefined;
  /** Takes any certificate. */
  insecure: boolean;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked for. */
  env: NodeJS.ProcessEnv;
}

/** How long a connection may take to be made. Milliseconds. */
const connectPatience = 20_000;

/** Where systems keep the certificates that they trust. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Largest head that is taken, on either side. Bytes. */
export const largestHead = 64 * 1024;

/** Makes requests to the server, over connections that are kept and used again. */
export class Upstream {
  private readonly origin: string;
  /** Who is connected to: the server, or the proxy before it. */
  private readonly next: URL;
  private readonly proxyLines: readonly HeaderLine[];
  private readonly agent: http.Agent;
  private readonly request: typeof http.request;
  /** The path has to say the whole URL: a proxy takes it. */
  private readonly isAbsolute: boolean;

  /** @throws WireproofError `bad-usage` where the certificates cannot be read */
  constructor(options: UpstreamOptions) {
    const { target } = options;
    const isTls = target.protocol === 'https:';
    const proxy = proxyFor(target, options.env);
    const keep = { keepAlive: true, noDelay: true, scheduling: 'lifo' as const, timeout: 0 };
    this.request = isTls ? https.request : http.request;
    this.isAbsolute = proxy !== undefined && !isTls;
    if (isTls) {
      const trust = { ca: trusted(options), rejectUnauthorized: !options.insecure };
      const agent = new https.Agent({ ...keep, ...trust });
      if (proxy) connectThrough(agent, proxy, target, trust);
      this.agent = agent;
    } else this.agent = new http.Agent(keep);
    this.origin = target.origin;
    this.next = this.isAbsolute && proxy ? proxy : target;
    this.proxyLines = this.isAbsolute ? credentialLines(proxy) : [];
  }

  /** @param lines the header lines as they are to be sent, `Host` among them */
  open(method: string, path: string, lines: readonly HeaderLine[]): ClientRequest {
    const { next: target } = this;
    const request = this.request({
      agent: this.agent,
      host: hostOf(target),
      port: target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port),
      method,
      path: this.isAbsolute ? `${this.origin}${path}` : path,
      headers: [...lines, ...this.proxyLines].flat() as unknown as http.OutgoingHttpHeaders,
      maxHeaderSize: largestHead,
      ...(target.protocol === 'https:' && net.isIP(hostOf(target)) === 0 ? { servername: target.hostname } : {}),
    });
    request.once('socket', (socket) => limitConnecting(socket, request));
    return request;
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

function limitConnecting(socket: net.Socket, request: ClientRequest): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => {
    request.destroy(Object.assign(new Error('the connection was not made in time'), { code: 'ETIMEDOUT' }));
  }, connectPatience);
  const over = (): void => clearTimeout(timer);
  socket.once('connect', over).once('close', over);
}

/** The system's certificates, Node's own, and the user's. */
function trusted({ ca }: UpstreamOptions): string[] | undefined {
  const system = systemCertificates();
  if (ca === undefined) return system && [...tls.rootCertificates, ...system];
  try {
    return [...tls.rootCertificates, ...(system ?? []), readFileSync(ca, 'utf8')];
  } catch (cause) {
    throw new WireproofError('bad-usage', `--ca "${ca}" cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function systemCertificates(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (type: string) => string[] };
  if (getCACertificates) return [...getCACertificates('system'), ...getCACertificates('extra')];
  const named = [process.env['SSL_CERT_FILE'], process.env['NODE_EXTRA_CA_CERTS']].filter((file) => file !== undefined);
  const found = [...named, ...systemBundles].flatMap((file) => {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      return [];
    }
  });
  return found.length > 0 ? found : undefined;
}

/** The proxy that the environment names for a URL; none where `NO_PROXY` spares it. */
export function proxyFor(target: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const named = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = named(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? named('ALL_PROXY');
  if (proxy === undefined || isSpared(target, named('NO_PROXY') ?? '')) return undefined;
  try {
    return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  } catch {
    throw new WireproofError('bad-usage', `The environment names a proxy that is no URL: "${proxy}".`);
  }
}

function isSpared({ hostname, port }: URL, list: string): boolean {
  const host = hostname.toLowerCase();
  // What runs on this machine is never reached through a proxy.
  if (host === 'localhost' || host === '[::1]' || host.startsWith('127.')) return true;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wanted !== undefined && wanted !== port) return false;
      const bare = name.replace(/^\*?\./, '');
      return host === bare || host.endsWith(`.${bare}`);
    });
}

/** What a proxy wants to know of who uses it, where its URL says it. */
function credentialLines(proxy: URL | undefined): HeaderLine[] {
  if (!proxy || proxy.username === '') return [];
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return [['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`]];
}

/** Connections to the server are made by `CONNECT` to a proxy (RFC 9110, section 9.3.6). */
function connectThrough(agent: https.Agent, proxy: URL, target: URL, trust: tls.ConnectionOptions): void {
  const authority = `${target.hostname}:${target.port === '' ? 443 : target.port}`;
  const headers = { host: authority, ...Object.fromEntries(credentialLines(proxy)) };
  const createConnection = (_: unknown, done: (error: Error | null, socket?: Duplex) => void): undefined => {
    const connect = http.request({
      host: hostOf(proxy),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
    });
    connect.once('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        done(new Error(`the proxy ${proxy.host} answered ${response.statusCode} to CONNECT`));
        return;
      }
      const servername = net.isIP(hostOf(target)) === 0 ? { servername: target.hostname } : {};
      const secure = tls.connect({ ...trust, ...servername, socket });
      secure.once('secureConnect', () => done(null, secure)).once('error', (error) => done(error));
    });
    connect
      .once('error', (error) => done(error))
      .setTimeout(connectPatience, () => connect.destroy())
      .end();
    return undefined;
  };
  Object.assign(agent, { createConnection });
}
