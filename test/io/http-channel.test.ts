import type { ServerResponse } from 'node:http';
import { json, text as textOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { HeaderLine } from '../../src/core/trace/format.ts';
import { paramHeaders } from '../../src/core/peer/param-headers.ts';
import { httpPlusSse } from '../servers/http/http-plus-sse.ts';
import { sessions } from '../servers/http/sessions.ts';
import { stateless } from '../servers/http/stateless.ts';
import { until } from '../e2e/support/until.ts';
import { test } from './http-peer.ts';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const modern = { revision: '2026-07-28' };

/** The values of a header in each request with this method, in order. */
const valuesOf = (streams: readonly { request: { method?: string; lines: readonly HeaderLine[] } }[], name: string) =>
  streams.map(({ request }) => request.lines.find(([one]) => one.toLowerCase() === name)?.[1]);

describe('a server with sessions', () => {
  test('is spoken with in its session, which is ended', async ({ host, peerOf }) => {
    const { url } = await host.serve(sessions());
    const peer = peerOf(url);
    await peer.initialize();
    expect(peer.channel.cancelsByDropping).toBe(false);
    expect(await peer.call('echo', { message: 'hello' })).toEqual(text('hello'));
    expect(await peer.call('count', { to: 3 }, { progress: true })).toEqual(text('counted to 3'));
    expect(peer.said).toEqual(Array(3).fill('notifications/progress'));
    peer.answers = { action: 'accept', content: { name: 'Ada' } };
    expect(await peer.call('ask')).toEqual(text('accept: Ada'));
    expect(await peer.call('ask-on-the-other-stream')).toEqual(text('accept: Ada'));
    expect(await peer.call('announce')).toEqual(text('announced'));
    await until('the announcement has come', () => peer.said.includes('notifications/message'));
    const { session } = peer.channel;
    const trace = await peer.close();

    const asked = trace.streams.map(({ request, response }) => `${request.method} ${response.status}`);
    expect(asked.filter((one) => !one.startsWith('POST'))).toEqual(['GET 200', 'DELETE 200']);
    expect(trace.header).toMatchObject({ transport: 'http', to: url.href });
    const versions = valuesOf(trace.streams, 'mcp-protocol-version');
    expect(versions).toEqual([undefined, ...Array(versions.length - 1).fill('2025-11-25')]);
    const given = valuesOf(trace.streams, 'mcp-session-id');
    expect(given[0]).toBeUndefined();
    expect(new Set(given.slice(1)).size).toBe(1);
    expect(given[1]).toHaveLength(36);
    expect(session).toHaveLength(36);
    expect(trace.bytes.includes(session as string)).toBe(false);
    expect(trace.streams[0]?.request.lines.map(([name, value]) => `${name}: ${value}`)).toEqual([
      `Host: ${url.host}`,
      'User-Agent: wireproof/0.0.0-test',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      expect.stringMatching(/^Content-Length: \d+$/),
      'Connection: keep-alive',
    ]);
  });

  test('may answer with JSON', async ({ host, peerOf }) => {
    const { url } = await host.serve(sessions({ enableJsonResponse: true }));
    const peer = peerOf(url);
    await peer.initialize();
    expect(await peer.call('echo', { message: 'hello' })).toEqual(text('hello'));
    const trace = await peer.close();
    expect(trace.bytes.toString()).toContain('["content-type","application/json"]');
  });

  test('may close a stream and be asked for the rest', async ({ host, peerOf }) => {
    const { url } = await host.serve(sessions());
    const peer = peerOf(url);
    await peer.initialize();
    expect(await peer.call('close-stream')).toEqual(text('came back'));
    expect(await peer.call('break-off')).toEqual(text('taken up again'));
    const trace = await peer.close();
    const resumed = valuesOf(trace.streams, 'last-event-id').filter((value) => value !== undefined);
    expect(resumed.length).toBeGreaterThanOrEqual(2);
  });

  test('may forget a session: the next one is another', async ({ host, peerOf }) => {
    const { url } = await host.serve(sessions());
    const peer = peerOf(url);
    await peer.initialize();
    const first = peer.channel.session as string;
    await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': first, 'Mcp-Protocol-Version': '2025-11-25' } });
    expect(await peer.loses('tools/list')).toMatchObject({
      status: 404,
      why: 'HTTP 404 Not Found: Session not found',
      error: { code: -32001, message: 'Session not found' },
      neverLeft: false,
    });
    await peer.initialize();
    expect(peer.channel.session).not.toBe(first);
    expect(await peer.call('echo', { message: 'again' })).toEqual(text('again'));
    const trace = await peer.close();
    const opened = trace.streams.filter(({ request }) => !request.lines.some(([name]) => name === 'Mcp-Session-Id'));
    expect(opened).toHaveLength(2);
  });

  test('may say of a forgotten session whatever it likes', async ({ host, peerOf }) => {
    const { url } = await host.serve(async (request, response) => {
      const { id, method } = (await json(request).catch(() => ({}))) as { id?: number; method?: string };
      if (method === 'initialize') {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'a' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } }));
      } else response.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'Gone' } }));
    });
    const peer = peerOf(url);
    await peer.initialize();
    expect(await peer.loses('tools/list')).toMatchObject({ status: 404, why: 'HTTP 404 Not Found: Gone' });
    expect(peer.undeliveredOnes.map(({ lost }) => lost.status)).toEqual([404]);
    await peer.close();
  });

  test('goes on when a request is given up', async ({ host, peerOf }) => {
    const { url } = await host.serve(sessions());
    const peer = peerOf(url);
    await peer.initialize();
    const id = peer.send('tools/call', { name: 'count', arguments: { to: 1000 } }, { progress: true });
    await until('it counts', () => peer.said.length > 0);
    peer.client.forget(id);
    peer.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
    peer.channel.drop(id);
    expect(await peer.call('given-up')).toEqual(text('enough'));
    await peer.close();
  });
});

describe('a server of the modern era', () => {
  test('is told in headers what is asked', async ({ host, peerOf }) => {
    const { url } = await host.serve(stateless());
    const peer = peerOf(url);
    expect(await peer.ask('server/discover', {}, modern)).toMatchObject({ supportedVersions: ['2026-07-28'] });
    peer.agree('2026-07-28');
    expect(peer.channel.cancelsByDropping).toBe(true);
    expect(await peer.call('echo', { message: 'hello' })).toMatchObject(text('hello'));
    expect(await peer.call('count', { to: 2 }, { progress: true })).toMatchObject(text('counted to 2'));
    expect(peer.said).toEqual(Array(2).fill('notifications/progress'));
    const { streams } = await peer.close();
    expect(valuesOf(streams, 'mcp-method')).toEqual(['server/discover', 'tools/call', 'tools/call']);
    expect(valuesOf(streams, 'mcp-name')).toEqual([undefined, 'echo', 'count']);
    expect(new Set(valuesOf(streams, 'mcp-protocol-version'))).toEqual(new Set(['2026-07-28']));
    expect(streams.map(({ request }) => request.method)).toEqual(['POST', 'POST', 'POST']);
  });

  test('is told by a closed stream that a request is given up', async ({ host, peerOf }) => {
    const { url } = await host.serve(stateless());
    const peer = peerOf(url);
    peer.agree('2026-07-28');
    const id = peer.send('tools/call', { name: 'count', arguments: { to: 1000 } }, { progress: true });
    await until('it counts', () => peer.said.length > 0);
    peer.channel.drop(id);
    expect(await peer.call('given-up')).toMatchObject(text('given up'));
    const listens = peer.send('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await until('it listens', () => peer.said.includes('notifications/subscriptions/acknowledged'));
    await peer.call('announce');
    await until('it has heard', () => peer.said.includes('notifications/tools/list_changed'));
    peer.channel.drop(listens);
    const { streams } = await peer.close();
    expect(streams[0]?.why).toBe('wireproof gave it up');
  });

  test('gets arguments in headers, and may refuse what has none', async ({ host, peerOf }) => {
    const { url } = await host.serve(async (request, response) => {
      const { id } = (await json(request)) as { id: number };
      const said = request.headers['mcp-param-region'];
      response.writeHead(said === undefined ? 400 : 200, { 'Content-Type': 'application/json' });
      const error = { code: -32020, message: 'Header mismatch' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(said === undefined ? { error } : { result: { said } }) }));
    });
    let schema: unknown;
    const peer = peerOf(url, {
      paramHeaders: ({ json: call }) => paramHeaders(schema, (call['params'] as { arguments?: unknown }).arguments),
    });
    peer.agree('2026-07-28');
    const call = { name: 'añadir', arguments: { region: 'Zürich' } };
    // The error says whose it is, so it is an answer.
    expect(await peer.of(peer.send('tools/call', call))).toMatchObject({ error: { code: -32020 } });
    schema = { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    expect(await peer.ask('tools/call', call)).toEqual({ said: '=?base64?WsO8cmljaA==?=' });
    const { streams } = await peer.close();
    expect(valuesOf(streams, 'mcp-name')).toEqual(Array(2).fill('=?base64?YcOxYWRpcg==?='));
  });
});

describe('a server of the first revision', () => {
  test.for(['a path', 'a URL'] as const)('names %s to post to', async (form, { host, peerOf }) => {
    const { url } = await host.serve(httpPlusSse(form));
    const peer = peerOf(new URL('/sse', url));
    expect(await peer.channel.fallBack()).toBeUndefined();
    await peer.initialize('2024-11-05');
    expect(await peer.call('echo', { message: 'hello' })).toEqual(text('hello'));
    peer.answers = { action: 'accept', content: { name: 'Ada' } };
    expect(await peer.call('ask')).toEqual(text('accept: Ada'));
    const { streams } = await peer.close();
    const asked = streams.map(({ request, response }) => `${request.method} ${response.status}`);
    expect(asked).toEqual(['GET 200', ...Array(5).fill('POST 202')]);
    expect(streams[1]?.request.target).toMatch(/^\/messages\?sessionId=/);
    expect(valuesOf(streams, 'mcp-protocol-version').filter((value) => value !== undefined)).toEqual([]);
  });

  test('has gone when its stream ends', async ({ host, peerOf }) => {
    const { url } = await host.serve(({ method }, response) => {
      if (method === 'POST') {
        response.writeHead(202).end();
        stream?.end();
        return;
      }
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /post\n\n');
    });
    let stream: ServerResponse | undefined;
    const peer = peerOf(url);
    expect(await peer.channel.fallBack()).toBeUndefined();
    expect(await peer.loses('initialize')).toEqual({ why: 'the server ended the event stream', neverLeft: false });
    expect(peer.whyEnded).toBe('the server ended the event stream');
    await peer.close();
  });

  test.for([
    ['there is no stream', 'refuses', { why: 'HTTP 405 Method Not Allowed', status: 405 }],
    [
      'it names another origin',
      'event: endpoint\ndata: http://elsewhere.example/mcp\n\n',
      { why: expect.stringContaining('not of') },
    ],
    ['it names nothing', 'event: message\ndata: {}\n\n', { why: 'there was no endpoint event in time' }],
    ['it ends', 'ends', { why: 'the event stream ended before it had named an endpoint' }],
  ] as const)('is none where %s', async ([, says, why], { host, peerOf }) => {
    const { url } = await host.serve((_, response) => {
      if (says === 'refuses') return response.writeHead(405).end();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return says === 'ends' ? response.end() : response.write(says);
    });
    const peer = peerOf(url);
    expect(await peer.channel.fallBack(500)).toMatchObject({ neverLeft: false, ...why });
    await peer.close();
  });
});

describe('servers as they are', () => {
  test.for([
    'answers-notifications.mjs',
    'comments-and-other-events.mjs',
    'json-or-events-in-turn.mjs',
    'strict-accept.mjs',
    'judges-version-header.mjs',
    'accepts-requests.mjs',
  ])('%s is understood', async (name, { host, peerOf }) => {
    const url = await host.serveFile(name);
    if (name === 'answers-notifications.mjs') url.search = '?v=200text';
    const peer = peerOf(url);
    if (name === 'accepts-requests.mjs') {
      expect(await peer.loses('any')).toMatchObject({
        status: 202,
        why: 'HTTP 202 Accepted, with something else than the answer',
      });
    } else {
      await peer.initialize('2025-06-18');
      expect(await peer.ask('tools/list')).toHaveProperty('tools');
      expect(await peer.ask('tools/list')).toHaveProperty('tools');
    }
    expect(peer.undeliveredOnes).toEqual([]);
    await peer.close();
  });

  test('a message over several lines of data is one', async ({ host, peerOf }) => {
    const peer = peerOf(await host.serveFile('message-over-data-lines.mjs'));
    await peer.initialize();
    expect(await peer.call('any')).toEqual(text('joined'));
    await peer.close();
  });

  test('an answer may come on the stream that is asked for again', async ({ host, peerOf }) => {
    const peer = peerOf(await host.serveFile('answers-on-resumption-only.mjs'));
    await peer.initialize();
    const before = performance.now();
    expect(await peer.call('any')).toEqual(text('resumed'));
    expect(performance.now() - before, 'the server wanted to be left alone').toBeGreaterThan(1990);
    const { streams } = await peer.close();
    expect(valuesOf(streams, 'last-event-id').filter((value) => value !== undefined)).toEqual(['k1']);
  });

  test('a question may come on the other stream', async ({ host, peerOf }) => {
    const peer = peerOf(await host.serveFile('asks-on-the-other-stream-only.mjs'));
    await peer.initialize();
    await until('it listens', () => peer.channel.session === undefined);
    expect(await peer.of(peer.send('tools/call', { name: 'any' }))).toHaveProperty('error');
    await peer.close();
  });
});

type Answering = (response: ServerResponse, id: number) => unknown;

const events = { 'Content-Type': 'text/event-stream' };
const answerOf = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });

describe('a request is lost, and why is told', () => {
  test.for<[string, Answering, object]>([
    [
      'where there is an error of HTTP',
      (response) => response.writeHead(503, 'Busy', { 'Retry-After': '7' }).end('later'),
      { why: 'HTTP 503 Busy', status: 503, headers: { 'retry-after': '7' }, body: 'later' },
    ],
    [
      'where it is not allowed',
      (response) => response.writeHead(401, { 'WWW-Authenticate': ['Bearer realm="a"', 'Basic'] }).end(),
      { why: 'HTTP 401 Unauthorized', status: 401, headers: { 'www-authenticate': 'Bearer realm="a", Basic' } },
    ],
    [
      'where an error does not say whose it is',
      (response) => response.writeHead(400).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No"}}'),
      { why: 'HTTP 400 Bad Request: No', status: 400, error: { code: -32000, message: 'No' } },
    ],
    [
      'where it is redirected',
      (response) => response.writeHead(307, { Location: 'https://elsewhere.example/' }).end(),
      {
        why: 'HTTP 307 Temporary Redirect to https://elsewhere.example/: redirects are not followed',
        headers: { location: 'https://elsewhere.example/' },
      },
    ],
    [
      'where a page comes',
      (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'),
      { why: 'HTTP 200 OK, with something else than the answer', body: '<p>' },
    ],
    [
      'where nothing comes',
      (response) => response.writeHead(202).end(),
      { why: 'HTTP 202 Accepted, without the answer' },
    ],
    [
      'where the answer breaks off',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 }).write('{');
        setTimeout(() => response.destroy(), 20);
      },
      { why: 'the answer broke off: it closed the connection in the middle of its answer', status: 200 },
    ],
    [
      'where the connection is closed',
      (response) => response.destroy(),
      { why: 'it closed the connection without an answer' },
    ],
    [
      'where the stream has no answer',
      (response) => response.writeHead(200, events).end(': nothing\n\n'),
      { why: 'the event stream ended without the answer', status: 200 },
    ],
    [
      'where the stream ends too early',
      (response, id) => response.writeHead(200, events).end(`data: ${answerOf(id)}\n`),
      { why: 'the event stream ended in the middle of an event' },
    ],
    [
      'where the stream breaks off',
      (response) => {
        response.writeHead(200, events).write('data: {}\n\n');
        setTimeout(() => response.destroy(), 20);
      },
      { why: 'the event stream broke off: it closed the connection in the middle of its answer' },
    ],
    [
      'where the answer is too long',
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('x'.repeat(3000)),
      { why: 'the answer broke off: it is longer than 2000 bytes, more than wireproof takes' },
    ],
    [
      'where an event is too long',
      (response) => response.writeHead(200, events).write(`data: ${'x'.repeat(3000)}`),
      { why: 'the event stream broke off: an event is longer than 2000 bytes, more than wireproof takes' },
    ],
  ])('%s', async ([, answer, why], { host, peerOf }) => {
    const { url } = await host.serve(async (request, response) => {
      const { id } = (await json(request)) as { id: number };
      answer(response, id);
    });
    const peer = peerOf(url, { longest: 2000 });
    expect(await peer.loses('any')).toMatchObject({ neverLeft: false, ...why });
    await peer.close();
  });

  test('where nobody listens, and it never left', async ({ host, peerOf }) => {
    const peer = peerOf(await host.nowhere());
    expect(await peer.loses('any')).toEqual({
      why: 'nobody listens there (ECONNREFUSED)',
      neverLeft: true,
      code: 'ECONNREFUSED',
    });
    peer.notify('notifications/any');
    await until('it is told', () => peer.undeliveredOnes.length === 1);
    expect(peer.undeliveredOnes[0]?.lost.neverLeft).toBe(true);
    const { streams } = await peer.close();
    expect(streams.map(({ why }) => why.includes('ECONNREFUSED'))).toEqual([true, true]);
  });

  test('where no HTTP is spoken', async ({ host, peerOf }) => {
    const { url } = await host.serveRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    const peer = peerOf(url);
    expect((await peer.loses('any')).why).toContain('is no HTTP');
    await peer.close();
  });

  test('where a stream cannot be taken up again', async ({ host, peerOf }) => {
    const { url } = await host.serve(({ method }, response) => {
      if (method === 'GET') response.writeHead(405).end();
      else response.writeHead(200, events).end('id: 1\nretry: 10\ndata:\n\n');
    });
    const peer = peerOf(url);
    expect(await peer.loses('any')).toEqual({
      why: 'the event stream ended without the answer, and could not be taken up again: HTTP 405 Method Not Allowed',
      neverLeft: false,
    });
    peer.agree('2026-07-28');
    expect((await peer.loses('any')).why).toBe('the event stream ended without the answer');
    const { streams } = await peer.close();
    expect(streams.map(({ request }) => request.method)).toEqual(['POST', 'GET', 'POST']);
  });
});

describe('what is sent', () => {
  test('waits until the server has taken notifications/initialized', async ({ host, peerOf }) => {
    const order: string[] = [];
    const { url } = await host.serve(async (request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const { id, method } = (await json(request)) as { id?: number; method: string };
      if (method === 'notifications/initialized') await new Promise((resolve) => setTimeout(resolve, 100));
      order.push(method);
      if (id === undefined) response.writeHead(202).end();
      else response.end(`{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-03-26"}}`);
    });
    const peer = peerOf(url);
    await peer.initialize();
    const id = peer.send('tools/list');
    peer.channel.drop(peer.send('never/sent'));
    await peer.of(id);
    expect(order).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    const { streams } = await peer.close();
    // The revision says nothing of the header yet.
    expect(valuesOf(streams, 'mcp-protocol-version').filter((value) => value !== undefined)).toEqual([]);
  });

  test('has the lines of the user in place of ours', async ({ host, peerOf }) => {
    const { url } = await host.serve(({ rawHeaders }, response) => {
      response.writeHead(400).end(Buffer.from(rawHeaders.join(), 'latin1'));
    });
    const lines: HeaderLine[] = [
      ['user-agent', 'mine'],
      ['X-Kaese', 'Käse'],
      ['Authorization', 'Bearer of-the-user'],
      ['Content-Length', '3'],
    ];
    const peer = peerOf(url, { lines });
    peer.channel.authorize('Bearer of-wireproof');
    const { body = '' } = await peer.loses('any');
    expect(body).toContain('user-agent,mine');
    expect(body).toContain('X-Kaese,Käse');
    expect(body.match(/Authorization/gi)).toHaveLength(1);
    expect(body).toContain('Bearer of-the-user');
    expect(body.match(/Content-Length,(\d+)/i)?.[1]).not.toBe('3');
    const trace = await peer.close();
    expect(JSON.stringify(trace.stream().request)).not.toContain('of-the-user');
    expect(() => peerOf(url, { lines: [['X', 'a\r\nY: b']] })).toThrow('control characters');
    expect(() => peerOf(url, { lines: [['X Y', 'a']] })).toThrow('no name of a header');
  });

  test('arrives before the channel is closed', async ({ host, peerOf }) => {
    const heard: unknown[] = [];
    const { url } = await host.serve(async (request, response) => {
      heard.push(await json(request));
      setTimeout(() => response.writeHead(202).end(), 50);
    });
    const peer = peerOf(url);
    peer.notify('notifications/cancelled', { requestId: 1 });
    const { streams } = await peer.close();
    expect(heard).toHaveLength(1);
    expect(streams[0]?.why).toBe('');
  });
});

describe('requests of wireproof itself', () => {
  test('go to any origin, and are recorded in the same trace', async ({ host, peerOf }) => {
    const { url } = await host.serve((_, response) => response.writeHead(401).end());
    const other = await host.serve(async (request, response) => {
      const body = await textOf(request);
      const said = body === '' ? {} : { access_token: 'very-secret-token' };
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(said)));
    });
    const peer = peerOf(url);
    await peer.loses('any');
    const { client } = peer.channel;
    const found = await client.request(new URL('/.well-known/x?a=1', other.url), { method: 'GET', lines: [] });
    expect(found).toMatchObject({ status: 200, reason: 'OK' });
    expect(found.body.toString()).toBe('{}');
    const lines: HeaderLine[] = [['Content-Type', 'application/x-www-form-urlencoded']];
    // The path is that of the endpoint elsewhere: it is no message all the same.
    const token = await client.request(other.url, {
      method: 'POST',
      lines,
      body: Buffer.from('code=very-secret-code'),
    });
    expect(token.body.toString()).toContain('very-secret-token');
    const trace = await peer.close();
    expect(trace.streams.map(({ request }) => request.target)).toEqual(['/mcp', '/.well-known/x?a=1', '/mcp']);
    expect(trace.bytes.includes('very-secret')).toBe(false);
  });

  test.for<[string, Answering, string]>([
    ['nothing comes', () => undefined, 'there was none in 200 ms'],
    ['it breaks off', (response) => response.destroy(), 'it closed the connection without an answer'],
    ['too much comes', (response) => response.writeHead(200).end(Buffer.alloc(5e6)), 'it is longer than 4194304 bytes'],
  ])('fail where %s', async ([, answer, why], { host, peerOf }) => {
    const { url } = await host.serve((_, response) => answer(response, 0));
    const peer = peerOf(url);
    const asked = peer.channel.client.request(url, { method: 'GET', lines: [] }, why.includes('200 ms') ? 200 : 30_000);
    await expect(asked).rejects.toThrow(`No answer from ${url.origin}: ${why}.`);
    await peer.close();
  });
});
