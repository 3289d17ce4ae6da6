import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface LoopbackOptions {
  /** What the answer has to carry: any other is discarded (basic/authorization, open redirection). */
  state: string;
  /** 0 takes any port that is free. */
  port: number;
  tell: (text: string) => void;
}

const path = '/callback';

/** Waits on this machine for the browser to come back from a sign-in (RFC 8252, section 7.3). */
export class Loopback {
  readonly redirectUri: string;
  /** The parameters that the browser came back with. */
  readonly answer: Promise<URLSearchParams>;
  private readonly server: Server;

  private constructor(server: Server, options: LoopbackOptions) {
    this.server = server;
    const { port } = server.address() as AddressInfo;
    this.redirectUri = `http://127.0.0.1:${port}${path}`;
    this.answer = new Promise((resolve) => {
      server.on('request', (request: IncomingMessage, response: ServerResponse) =>
        take({ request, response, base: this.redirectUri }, options, resolve),
      );
    });
  }

  /** @returns nothing where the port is taken */
  static async open(options: LoopbackOptions): Promise<Loopback | undefined> {
    const server = createServer();
    server.listen(options.port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      return undefined;
    }
    return new Loopback(server, options);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function take(
  { request, response, base }: { request: IncomingMessage; response: ServerResponse; base: string },
  { state, tell }: LoopbackOptions,
  settle: (parameters: URLSearchParams) => void,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '', base);
  if (pathname !== path || request.method !== 'GET') {
    page(response, 404, 'There is nothing here.');
  } else if (searchParams.get('state') !== state) {
    tell('an answer came that is not of this sign-in (its state is another): it was discarded');
    page(response, 400, 'This answer is not of the sign-in that wireproof waits for.');
  } else {
    response.once('close', () => settle(searchParams));
    page(
      response,
      200,
      'wireproof has the answer. How the sign-in ends is told in the terminal; this page can be closed.',
    );
  }
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(`<!doctype html><title>wireproof</title><p>${text}</p>\n`);
}
