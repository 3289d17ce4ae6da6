import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type HttpHost, tapTest as test } from './support/http-host.ts';
import { wireproof } from './support/host.ts';
import { until } from './support/until.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(`../servers/http/${file}`, import.meta.url));
const certificate = pathOf('certificate.pem');
const secure = { cert: readFileSync(certificate), key: readFileSync(pathOf('certificate-key.pem')) };

/** Answers with what it was asked, over TLS. */
async function serveSecurely(host: HttpHost): Promise<URL> {
  const server = https.createServer(secure, (request, response) => response.end(`seen: ${request.url}`));
  const { url } = await host.listen(server);
  return new URL(`https://127.0.0.1:${url.port}/mcp`);
}

/** Starts a tap with an environment of its own, and gives its URL. */
async function tapWith(host: HttpHost, to: string, words: readonly string[], env: Record<string, string> = {}) {
  const trace = host.path('trace.jsonl');
  const command = [process.execPath, wireproof, 'tap', '--listen', '0', '--to', to, '--trace', trace, ...words];
  const started = host.start(command, { env });
  const url = await until('it listens', () => /http:\/\/127\S+/.exec(started.stderr.text)?.[0]);
  return { started, url, trace };
}

const get = async (url: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};

describe.concurrent('a server with a certificate', () => {
  test('that nobody vouches for is not passed to, and the answer says what would', async ({ host }) => {
    const { url } = await tapWith(host, (await serveSecurely(host)).href, []);
    const { status, text } = await get(url);
    expect(status).toBe(502);
    expect(text).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT.*--ca FILE/);
  });

  test('that the user vouches for is passed to', async ({ host }) => {
    const { url } = await tapWith(host, (await serveSecurely(host)).href, ['--ca', certificate]);
    expect(await get(url)).toEqual({ status: 200, text: 'seen: /mcp' });
  });

  test('that is not looked at is passed to, and the user is told loudly', async ({ host }) => {
    const { url, started } = await tapWith(host, (await serveSecurely(host)).href, ['--insecure']);
    expect(await get(url)).toEqual({ status: 200, text: 'seen: /mcp' });
    expect(started.stderr.text).toContain('CERTIFICATES ARE NOT CHECKED');
  });

  test('a file of certificates that is not there is told at once', async ({ host }) => {
    const started = host.tapHttp(['--listen', '0', '--to', 'https://server.test/mcp', '--ca', host.path('none.pem')]);
    expect((await started.ended).code).toBe(2);
    expect(started.stderr.text).toMatch(/^wireproof: --ca ".*none\.pem" cannot be read: ENOENT.*\n$/);
  });
});

/** A proxy that sends everything to one port, and remembers what it was asked for. */
async function serveProxy(host: HttpHost, to: URL) {
  const asked: { what: string; credentials: string | undefined }[] = [];
  const remember = ({ method, url, headers }: IncomingMessage): void => {
    asked.push({ what: `${method} ${url}`, credentials: headers['proxy-authorization'] });
  };
  const proxy = createServer((request, response) => {
    remember(request);
    response.end('by the proxy');
  }).on('connect', (request: IncomingMessage, socket: Socket) => {
    remember(request);
    const server = connect(Number(to.port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    socket.pipe(server).pipe(socket);
    for (const end of [socket, server]) end.on('error', () => undefined);
  });
  const { url } = await host.listen(proxy);
  return { port: url.port, asked };
}

describe.concurrent('a proxy that the environment names', () => {
  test('is asked for the whole URL of a server without TLS', async ({ host }) => {
    const { port, asked } = await serveProxy(host, new URL('http://127.0.0.1:1'));
    const env = { HTTP_PROXY: `http://me:secret@127.0.0.1:${port}` };
    const { url } = await tapWith(host, 'http://server.test/mcp', [], env);
    expect(await get(url)).toEqual({ status: 200, text: 'by the proxy' });
    const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(asked).toEqual([{ what: 'GET http://server.test/mcp', credentials }]);
  });

  test('is asked to connect to a server with TLS, which still has to show its certificate', async ({ host }) => {
    const { port, asked } = await serveProxy(host, await serveSecurely(host));
    const env = { https_proxy: `http://127.0.0.1:${port}` };
    const { url } = await tapWith(host, 'https://server.test/mcp', ['--ca', certificate], env);
    expect(await get(url)).toEqual({ status: 200, text: 'seen: /mcp' });
    expect(asked).toEqual([{ what: 'CONNECT server.test:443', credentials: undefined }]);
    const other = await tapWith(host, 'https://other.test/mcp', ['--ca', certificate], env);
    expect((await get(other.url)).text).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test.for([
    { name: 'a server on this machine', to: (port: string) => `http://127.0.0.1:${port}/mcp`, spared: '' },
    { name: 'a server that NO_PROXY names', to: (port: string) => `http://localhost:${port}/mcp`, spared: 'localhost' },
  ])('is not asked for $name', async ({ to, spared }, { host }) => {
    const upstream = await host.serve((_, response) => response.end('directly'));
    const { port, asked } = await serveProxy(host, upstream.url);
    const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: spared };
    const { url } = await tapWith(host, to(upstream.url.port), [], env);
    expect((await get(url)).text).toBe('directly');
    expect(asked).toEqual([]);
  });
});
