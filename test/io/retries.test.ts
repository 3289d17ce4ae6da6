import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { describe, expect, test as plainTest } from 'vitest';
import { connect, type Connection, type ConnectOptions } from '../../src/commands/connect.ts';
import { fateOf } from '../../src/commands/fate.ts';
import type { Lost } from '../../src/io/channels/channel.ts';
import { openHttp } from '../../src/io/channels/http-channel.ts';
import type { Outcome } from '../../src/io/session.ts';
import { HttpHost } from '../e2e/support/http-host.ts';
import { until } from '../e2e/support/until.ts';
import { sessions } from '../servers/http/sessions.ts';
import { smallLegacy } from '../servers/http/small-legacy.ts';

interface Spoken {
  connection: Connection;
  told: string[];
  undelivered: [what: string | undefined, lost: Lost][];
}

type Given = Partial<ConnectOptions> & {
  refused?: (lost: Lost, attempt: number, authorize: (value: string) => void) => Promise<boolean>;
  told?: (text: string) => void;
};

const usual = {
  era: 'legacy',
  client: { name: 'test-host', version: '1.0.0' },
  capabilities: {},
  timeout: 30_000,
  probeTimeout: 30_000,
} as const;

/** Connects to a server on HTTP, and keeps what a person would be told. */
async function speak(host: HttpHost, url: URL, { refused, ...given }: Given = {}): Promise<Spoken> {
  const told: string[] = [];
  const undelivered: Spoken['undelivered'] = [];
  let authorize: (value: string) => void = () => undefined;
  const place = { trace: host.path('trace.jsonl'), env: { WIREPROOF_HOME: host.home }, storeLimit: 1e9 };
  const connection = await connect(
    async (events) => {
      const tell = (text: string): number => told.push(text);
      const channel = openHttp({ url, lines: [], by: 'wireproof 0.0.0-test', tell, ...place }, events);
      authorize = (value) => channel.authorize(value);
      return channel;
    },
    { ...usual, ...given },
    {
      request: async () => ({ result: {} }),
      notification: () => undefined,
      stray: () => undefined,
      undelivered: (what, lost) => undelivered.push([what, lost]),
      told: (text) => {
        told.push(text);
        given.told?.(text);
      },
      ...(refused ? { refused: (lost, attempt) => refused(lost, attempt, authorize) } : {}),
    },
  );
  return { connection, told, undelivered };
}

const test = plainTest.extend<{ host: HttpHost; spoken: (url: URL, given?: Given) => Promise<Spoken> }>({
  // oxlint-disable-next-line no-empty-pattern
  host: async ({}, use) => {
    const host = new HttpHost();
    await use(host);
    await host.clearUp();
  },
  spoken: async ({ host }, use) => {
    const open: Connection[] = [];
    await use(async (url, given) => {
      const spoken = await speak(host, url, given);
      open.push(spoken.connection);
      return spoken;
    });
    await Promise.all(open.map((connection) => connection.close()));
  },
});

const call = ({ connection }: Spoken, options = {}): Promise<Outcome> =>
  connection.request('tools/call', { name: 'do', arguments: {} }, options);

const lostOf = (outcome: Outcome): Lost => {
  expect(outcome.kind).toBe('lost');
  return (outcome as { lost: Lost }).lost;
};

const done = { kind: 'result', result: { content: [{ type: 'text', text: 'done' }] } };
const openedAnew = 'the server does not know the session any more; opened a new one';

describe('a session that the server does not know any more', () => {
  test('is opened anew, and the request is made again', async ({ host, spoken }) => {
    const handler = sessions();
    const used = new Set<string>();
    const { url } = await host.serve((request, response) => {
      const id = request.headers['mcp-session-id'] as string | undefined;
      if (id !== undefined) used.add(id);
      return handler(request, response);
    });
    const ours = await spoken(url);
    const [session = ''] = await until('there is a session', () => used.size > 0 && [...used]);
    await fetch(url, {
      method: 'DELETE',
      headers: { 'Mcp-Session-Id': session, 'Mcp-Protocol-Version': '2025-11-25' },
    });
    const echoed = await ours.connection.request('tools/call', { name: 'echo', arguments: { message: 'again' } });
    expect(echoed).toMatchObject({ kind: 'result', result: { content: [{ text: 'again' }] } });
    expect(ours.told.filter((text) => text === openedAnew)).toHaveLength(1);
    expect(used.size).toBe(2);
  });

  test('is opened anew once for a request', async ({ host, spoken }) => {
    const server = smallLegacy(({ method }, response) => method === 'tools/call' && response.writeHead(404).end());
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    expect(lostOf(await call(ours))).toMatchObject({ status: 404, refused: true });
    expect([server.times('initialize'), server.times('tools/call')]).toEqual([2, 2]);
    expect(ours.told).toEqual([openedAnew]);
  });

  test('is opened anew once for all that were refused', async ({ host, spoken }) => {
    const server = smallLegacy();
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    server.sessions.clear();
    expect(await Promise.all([call(ours), call(ours), call(ours)])).toEqual([done, done, done]);
    expect([server.times('initialize'), server.times('notifications/initialized')]).toEqual([2, 2]);
    expect(ours.told).toEqual([openedAnew]);
  });

  test('has its settings in the new one', async ({ host, spoken }) => {
    const server = smallLegacy();
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    await ours.connection.request('logging/setLevel', { level: 'info' });
    await ours.connection.request('logging/setLevel', { level: 'debug' });
    for (const uri of ['a:1', 'a:2']) await ours.connection.request('resources/subscribe', { uri });
    await ours.connection.request('resources/unsubscribe', { uri: 'a:1' });
    const before = server.asked.length;
    server.sessions.clear();
    expect(await call(ours)).toEqual(done);
    const after = server.asked.slice(before).filter(({ method }) => method !== 'GET');
    expect(after.map(({ method, params }) => [method, params['level'] ?? params['uri']])).toEqual([
      ['tools/call', undefined],
      ['initialize', undefined],
      ['notifications/initialized', undefined],
      ['logging/setLevel', 'debug'],
      ['resources/subscribe', 'a:2'],
      ['tools/call', undefined],
    ]);
    expect(new Set(after.slice(2).map(({ session }) => session)).size).toBe(1);
  });

  test('is told where none can be opened', async ({ host, spoken }) => {
    let isClosed = false;
    const server = smallLegacy(
      ({ method }, response) => isClosed && method !== 'DELETE' && response.writeHead(404).end(),
    );
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    isClosed = true;
    expect(lostOf(await call(ours)).status).toBe(404);
    expect(ours.told).toEqual([expect.stringContaining('a new one could not be opened: The server cannot be asked')]);
  });

  test('is opened anew where its stream is refused that was given before', async ({ host, spoken }) => {
    let given: ServerResponse | undefined;
    const server = smallLegacy(({ method, session = '' }, response) => {
      if (method !== 'GET' || !server.sessions.has(session)) return false;
      given = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return given.write('retry: 10\n\n');
    });
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    await until('the stream is given', () => given);
    server.sessions.clear();
    given?.end();
    await until('it is told', () => ours.told.includes(openedAnew));
    await until('the stream is given again', () => server.asked.filter(({ method }) => method === 'GET').length === 3);
    expect(server.times('initialize')).toBe(2);
  });
});

describe('a request that may have been carried out is never made again', () => {
  const resets = (response: ServerResponse): unknown => response.socket?.resetAndDestroy();
  const breaks = (response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: {}\n\n', () => response.destroy());
  };
  test.for<[string, (response: ServerResponse) => unknown]>([
    ['500', (response) => response.writeHead(500).end()],
    ['502', (response) => response.writeHead(502).end()],
    ['503', (response) => response.writeHead(503).end()],
    [
      '503, and when to come again in no form that is known',
      (response) => response.writeHead(503, { 'Retry-After': 'soon' }).end(),
    ],
    ['504', (response) => response.writeHead(504).end()],
    ['504, and when to come again', (response) => response.writeHead(504, { 'Retry-After': '0' }).end()],
    ['408', (response) => response.writeHead(408).end()],
    ['a connection that is reset', resets],
    ['a stream that breaks off', breaks],
  ])('%s', async ([, answer], { host, spoken }) => {
    const server = smallLegacy(({ method }, response) => method === 'tools/call' && answer(response));
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, { refused: async () => true });
    expect(fateOf(lostOf(await call(ours)))).toBe('It may have been carried out: look before you repeat it.');
    expect(server.times('tools/call')).toBe(1);
    expect(ours.told).toEqual([]);
  });

  test('a notification', async ({ host, spoken }) => {
    const server = smallLegacy(
      ({ method }, response) => method === 'notifications/any' && response.writeHead(500).end(),
    );
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, { refused: async () => true });
    ours.connection.session.notify('notifications/any');
    await until('it is told', () => ours.undelivered.length > 0);
    expect(server.times('notifications/any')).toBe(1);
  });

  test('a stream that is refused when it is to be taken up again', async ({ host, spoken }) => {
    const server = smallLegacy(({ method }, response) => {
      if (method === 'GET') return response.writeHead(401).end();
      if (method !== 'tools/call') return false;
      return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('id: 1\nretry: 10\ndata:\n\n');
    });
    const { url } = await host.serve(server.handler);
    const heard: number[] = [];
    const ours = await spoken(url, {
      refused: async ({ status }, attempt) => heard.push(status ?? 0) > 0 && attempt < 1,
    });
    expect(lostOf(await call(ours))).toMatchObject({ neverLeft: false, status: 401 });
    expect(server.times('tools/call')).toBe(1);
    expect(heard.length).toBeGreaterThanOrEqual(2);
  });

  test('what was refused otherwise is not made again either, and nothing was done', async ({ host, spoken }) => {
    const server = smallLegacy(({ method }, response) => method === 'tools/call' && response.writeHead(429).end());
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    expect(fateOf(lostOf(await call(ours)))).toBe('It was refused: nothing was done.');
    expect(server.times('tools/call')).toBe(1);
  });
});

describe('a server that wants to be left alone', () => {
  const inOneSecond = (): string => new Date(Date.now() + 1999).toUTCString();
  test.for<[number, () => string, number]>([
    [429, () => '1', 1000],
    [503, () => '1', 1000],
    [429, inOneSecond, 900],
  ])('with %i is asked when it wants', async ([status, when, least], { host, spoken }) => {
    let isBusy = true;
    const server = smallLegacy(({ method }, response) => {
      if (method !== 'tools/call' || !isBusy) return false;
      isBusy = false;
      return response.writeHead(status, { 'Retry-After': when() }).end();
    });
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    const before = performance.now();
    expect(await call(ours)).toEqual(done);
    expect(performance.now() - before).toBeGreaterThan(least);
    expect(ours.told).toEqual([
      expect.stringMatching(
        /^tools\/call: HTTP \d+ .*It was refused: nothing was done\. It is asked again in [\d.]+ s, as the server wants$/,
      ),
    ]);
  });

  test('for longer than is sensible is told', async ({ host, spoken }) => {
    const busy = { 'Retry-After': '300' };
    const server = smallLegacy(
      ({ method }, response) => method === 'tools/call' && response.writeHead(429, busy).end(),
    );
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    expect(lostOf(await call(ours)).status).toBe(429);
    expect(ours.told).toEqual([expect.stringContaining('in 300 s: that is longer than wireproof waits (60 s in all)')]);
    expect(server.times('tools/call')).toBe(1);
  });

  test('again and again is asked a few times only', async ({ host, spoken }) => {
    const busy = { 'Retry-After': '0' };
    const server = smallLegacy(
      ({ method }, response) => method === 'tools/call' && response.writeHead(503, busy).end(),
    );
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url);
    expect(lostOf(await call(ours)).status).toBe(503);
    expect(server.times('tools/call')).toBe(6);
  });

  test('says nothing of its era by that', async ({ host }) => {
    const server = smallLegacy((_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
    const { url } = await host.serve(server.handler);
    await expect(speak(host, url, { era: 'auto' })).rejects.toMatchObject({ code: 'server-unreachable' });
    expect(server.asked.map(({ method }) => method)).toEqual(['server/discover']);
  });

  test('is not waited for when it is given up', async ({ host, spoken }) => {
    const busy = { 'Retry-After': '50' };
    const server = smallLegacy(
      ({ method }, response) => method === 'tools/call' && response.writeHead(503, busy).end(),
    );
    const { url } = await host.serve(server.handler);
    const stop = new AbortController();
    const ours = await spoken(url, { told: () => stop.abort() });
    const before = performance.now();
    expect(await call(ours, { signal: stop.signal })).toEqual({ kind: 'cancelled' });
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(server.times('tools/call')).toBe(1);
  });

  test('is not waited for when it is given up before anything is agreed on', async ({ host }) => {
    const server = smallLegacy((_, response) => response.writeHead(503, { 'Retry-After': '50' }).end());
    const { url } = await host.serve(server.handler);
    const stop = new AbortController();
    const speaking = speak(host, url, { signal: stop.signal, told: () => stop.abort() });
    await expect(speaking).rejects.toMatchObject({ code: 'interrupted' });
    expect(server.asked).toHaveLength(1);
  });
});

describe('a server that is away for a moment', () => {
  test('is asked again until it is there', async ({ host, spoken }) => {
    const url = await host.nowhere();
    const server = smallLegacy();
    const listens = createServer((request, response) => void server.handler(request, response));
    const ours = await spoken(url, { told: () => listens.listening || listens.listen(Number(url.port), '127.0.0.1') });
    expect(await call(ours)).toEqual(done);
    expect(ours.told[0]).toMatch(
      /^initialize: nobody listens there \(ECONNREFUSED\)\. It never left: nothing was done\. It is tried again in 0\.\d s$/,
    );
    expect(server.times('initialize')).toBe(1);
    listens.closeAllConnections();
    listens.close();
  });
});

describe('who is let in', () => {
  test('after a notification was refused sends it again', async ({ host, spoken }) => {
    const server = smallLegacy(
      ({ method, authorization }, response) =>
        method.startsWith('notifications/') && authorization !== 'Bearer let-in' && response.writeHead(401).end(),
    );
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, {
      refused: async (_, attempt, authorize) => {
        authorize('Bearer let-in');
        return attempt === 0;
      },
    });
    await until('it is sent again', () => server.times('notifications/initialized') === 2);
    expect(await call(ours)).toEqual(done);
    expect(ours.undelivered).toEqual([]);
  });

  test.for<[string, Given['refused'], number]>([
    ['nobody', undefined, 1],
    ['somebody who is of no use', async (_, attempt) => attempt < 2, 3],
    ['somebody who gives up', () => Promise.reject(new Error('sign in first')), 1],
  ])('%s: a notification that was refused is told, and a stream', async ([, refused, tries], { host, spoken }) => {
    const server = smallLegacy(({ method }, response) => {
      if (method === 'notifications/progress' || method === 'GET') return response.writeHead(401).end();
      return false;
    });
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, refused ? { refused } : {});
    const unheard = 'what the server says unasked is not heard any more: HTTP 401 Unauthorized';
    await until('it is told of the stream', () => ours.told.includes(unheard));
    expect(server.times('GET')).toBe(tries);
    ours.connection.session.notify('notifications/progress');
    await until('it is told of the notification', () => ours.undelivered.length > 0);
    expect(ours.undelivered).toEqual([['notifications/progress', expect.objectContaining({ status: 401 })]]);
    expect(server.times('notifications/progress')).toBe(tries);
  });

  test('after the stream was refused asks for it again', async ({ host, spoken }) => {
    const server = smallLegacy(({ method, authorization }, response) => {
      if (method !== 'GET') return false;
      if (authorization !== 'Bearer let-in') return response.writeHead(401).end();
      return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': here\n\n');
    });
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, {
      refused: async (_, _attempt, authorize) => {
        authorize('Bearer let-in');
        return true;
      },
    });
    await until('it is given', () =>
      server.asked.some((one) => one.method === 'GET' && one.authorization !== undefined),
    );
    expect(server.times('GET')).toBe(2);
    expect(ours.told).toEqual([]);
  });
});

describe('a server that says nothing to the first question', () => {
  test.for<[string, (response: ServerResponse) => unknown, string]>([
    ['at all', () => undefined, 'it did not answer server/discover'],
    ['and hangs up', (response) => response.destroy(), 'it closed the connection without an answer'],
  ])('%s is asked once more: nothing is started', async ([, answer, why], { host, spoken }) => {
    const server = smallLegacy(({ method }, response) => {
      if (method !== 'server/discover') return false;
      answer(response);
      return true;
    });
    const { url } = await host.serve(server.handler);
    const ours = await spoken(url, { era: 'auto', probeTimeout: 200 });
    expect(ours.told).toEqual([`the server is asked once more, by initialize: ${why}`]);
    expect(await call(ours)).toEqual(done);
    await ours.connection.close();
    const recorded = readFileSync(ours.connection.trace, 'utf8');
    expect(recorded).toContain('"method":"server/discover"');
    expect(recorded, 'all is one recording').toContain('"method":"initialize"');
  });
});
