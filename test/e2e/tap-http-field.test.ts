import { seededBytes } from '../servers/seeded-bytes.mjs';
import { describe, expect } from 'vitest';
import { isDirect, test } from './support/http-host.ts';
import { type Lines, messageLines, post, RawClient, requestBytes } from './support/http-raw.ts';
import { digest } from './support/read-trace.ts';
import { until } from './support/until.ts';

/** One request, on a connection of its own. */
interface Ask {
  method?: string;
  target?: string;
  lines?: Lines;
  body?: string;
  /** The response does not end: this is the last of it that is waited for. */
  until?: string;
}

interface Case {
  file: string;
  asks: Ask[];
  /** What the client must get to see for the server to be the one that it should be; `OWN` is the server's origin. */
  shows: string[];
}

const message = (method: string, params: object = {}, id: number | undefined = 2): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = (protocolVersion = '2025-06-18'): string =>
  message(
    'initialize',
    { protocolVersion, capabilities: {}, clientInfo: { name: 'example-host', version: '1.0.0' } },
    1,
  );
const echo: Ask = { body: message('tools/call', { name: 'echo', arguments: { text: 'hi' } }) };
const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** A request of the modern era. */
const modern = (method: string, params: object = {}): Ask => ({
  lines: [
    ['MCP-Protocol-Version', '2026-07-28'],
    ['Mcp-Method', method],
  ],
  body: message(method, {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'example-host', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }),
});
const get = (target: string): Ask => ({ method: 'GET', target });
const token: Lines = [['Authorization', 'Bearer abc']];

const cases: Case[] = [
  {
    file: 'behaves.mjs',
    asks: [{ body: initialize() }, { body: notification }, echo, { body: '{"jsonrpc":"2.0",' }, get('/mcp')],
    shows: ['"serverInfo"', ' 202', 'echo: hi', 'Parse error', ' 405'],
  },
  {
    file: 'strict-accept.mjs',
    asks: [echo, { ...echo, lines: [['Accept', '*/*']] }, { ...echo, lines: [['ACCEPT', 'application/json']] }],
    shows: ['echo: hi', ' 406', 'Not Acceptable'],
  },
  { file: 'message-over-data-lines.mjs', asks: [echo], shows: ['\ndata:  "text":"joined"'] },
  {
    file: 'event-without-blank-line.mjs',
    asks: [
      { ...echo, until: '}\n' },
      { ...echo, target: '/mcp?close' },
    ],
    shows: ['echo: hi'],
  },
  {
    file: 'comments-and-other-events.mjs',
    asks: [{ body: initialize() }, echo],
    shows: ['\ufeff: keep-alive\n\n:\n\nevent: ping\ndata: {', '\n\nevent\nignored: yes\ndata:{'],
  },
  {
    file: 'json-or-events-in-turn.mjs',
    asks: [echo, echo, echo],
    shows: ['Application/JSON; Charset=UTF-8', 'text/event-stream'],
  },
  {
    file: 'answers-on-resumption-only.mjs',
    asks: [echo, { ...get('/mcp'), lines: [['Last-Event-ID', 'k1']] }],
    shows: ['id: k1\nretry: 2000\ndata:\n\n', 'id: k2\ndata: {', 'resumed'],
  },
  {
    file: 'answers-notifications.mjs',
    asks: ['200null', '200empty', '204', '200text', '202body', '200chunked'].map((variant) => ({
      target: `/mcp?v=${variant}`,
      body: notification,
    })),
    shows: ['null', ' 204', 'ok', '{}'],
  },
  { file: 'accepts-requests.mjs', asks: [modern('server/discover')], shows: [' 202', '{}'] },
  {
    file: 'redirects.mjs',
    asks: ['/mcp', '/mcp/', '/moved', '/whole', '/loop', '/away', '/named'].map((target) => ({
      target,
      body: echo.body as string,
    })),
    shows: [
      ' 307',
      ' 301',
      ' 308',
      'Location: /mcp/\n',
      'Location: OWN/mcp/?a=1\n',
      'Location: http://127.0.0.1:',
      'Location: https://elsewhere.example/mcp\n',
    ],
  },
  {
    file: 'judges-version-header.mjs',
    asks: [
      { body: initialize('2025-11-25') },
      echo,
      { ...echo, lines: [['mcp-protocol-version', '2025-11-25']] },
      { ...echo, lines: [['MCP-Protocol-Version', '2025-06-18']] },
      { body: message('vendor/seen') },
    ],
    shows: ['"protocolVersion":"2025-06-18"', ' 400', 'echo: hi', '"header":null', '"header":"2025-11-25"'],
  },
  {
    file: 'draft-error-codes.mjs',
    asks: [modern('server/discover'), modern('tools/call', { name: 'echo' }), modern('prompts/get')],
    shows: [' 400', '-32004', '-32001', '-32003'],
  },
  {
    file: 'wrong-cache-hints.mjs',
    asks: [
      modern('tools/list'),
      modern('tools/list', { cursor: 'n' }),
      modern('prompts/list'),
      modern('resources/list'),
    ],
    shows: ['"public"', '"private"', '"ttlMs":-1', '"ttlMs":1.5'],
  },
  {
    file: 'listens-for-nothing.mjs',
    asks: [
      { ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }), until: ':\r\n\r\n:\r\n' },
    ],
    shows: ['"notifications":{}', ':\r\n\r\n'],
  },
  {
    file: 'input-required-with-state-only.mjs',
    asks: [
      modern('tools/call', { name: 'slow_write' }),
      modern('tools/call', { name: 'slow_write', requestState: 'opaque-\u00e9-1' }),
    ],
    shows: ['"input_required","requestState":"opaque-é-1"', 'finished'],
  },
  {
    file: 'input-required-misused.mjs',
    asks: [modern('tools/list'), ...['empty', 'ask', 'echo'].map((name) => modern('tools/call', { name }))],
    shows: ['"resultType":"input_required"}', '"elicitation/create"', '"finished"'],
  },
  {
    file: 'oauth-error-with-200.mjs',
    asks: [{ target: '/token', body: 'grant_type=refresh_token&refresh_token=x' }],
    shows: [' 200', 'invalid_grant', 'refresh token was used before'],
  },
  {
    file: 'issuer-with-path.mjs',
    asks: [
      echo,
      get('/.well-known/oauth-protected-resource/mcp'),
      get('/.well-known/oauth-authorization-server/tenant1'),
      get('/tenant1/.well-known/openid-configuration'),
      { ...echo, lines: token },
    ],
    shows: [' 401', '="OWN/.well-known/', '"resource":"OWN/mcp"', '"issuer":"OWN/tenant1"', ' 404', 'echo: hi'],
  },
  {
    file: 'resource-metadata-only-at-root.mjs',
    asks: [
      echo,
      get('/.well-known/oauth-protected-resource/mcp'),
      get('/.well-known/oauth-protected-resource'),
      get('/.well-known/oauth-authorization-server'),
    ],
    shows: [': Bearer\n', ' 404', '"resource":"OWN/mcp"', '"token_endpoint":"OWN/token"'],
  },
  {
    file: 'foreign-resource.mjs',
    asks: [echo, get('/.well-known/oauth-protected-resource/mcp'), get('/.well-known/oauth-authorization-server')],
    shows: ['"resource":"https://other.example/api"', '"authorization_servers":["OWN"]'],
  },
  {
    file: 'metadata-elsewhere.mjs',
    asks: [echo],
    shows: ['resource_metadata="http://127.0.0.1:', '/latest/meta-data"'],
  },
  { file: 'html-502.mjs', asks: [echo], shows: [' 502', '<h1>502 Bad Gateway</h1>'] },
  {
    file: 'refuses-newer-version.mjs',
    asks: [{ body: initialize('2025-11-25') }, { body: initialize() }],
    shows: [' 400', 'Unsupported protocol version', '"serverInfo"'],
  },
  {
    file: 'asks-on-the-other-stream-only.mjs',
    asks: [echo, { ...get('/mcp'), lines: [['Accept', 'text/event-stream']], until: '' }],
    shows: [': waiting for the client\n\n', '-32001'],
  },
];

/** Header lines that are not the server's to say, or that say when. */
const notCompared = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/** All that a client gets to see of one request, as text; the origin that it asked stands as OWN. */
async function seenOf(url: URL, asked: Ask): Promise<{ text: string; body: Buffer }> {
  const { method = 'POST', target = '/mcp', lines = [], body = '' } = asked;
  const client = await RawClient.open(url);
  const own = method === 'POST' ? messageLines(body) : [];
  const named = new Set(lines.map(([name]) => name.toLowerCase()));
  const others = own.filter(([name]) => !named.has(name.toLowerCase()));
  client.send(requestBytes(method, target, [['Host', url.host], ...others, ...lines], body));
  const response = asked.until === undefined ? await client.response(method) : await opened(client, asked.until);
  client.leave();
  const head = response.lines.filter(([name]) => !notCompared.has(name.toLowerCase()));
  const text = [
    `HTTP/${response.version} ${response.status} ${response.reason}`,
    ...head.map(([name, value]) => `${name}: ${value}`),
    '',
    response.body.toString('latin1') + (response.isWhole || asked.until !== undefined ? '' : ' (broken off)'),
  ].join('\n');
  const isNamed = text.includes(url.host);
  const free = isNamed ? text.replace(/^content-length: \d+\n/im, '') : text;
  return { text: free.replaceAll(url.origin, 'OWN'), body: response.body };
}

/** A response that does not end, cut behind the last that is waited for. */
async function opened(client: RawClient, last: string) {
  const response = await client.body(last);
  return { ...response, body: response.body.subarray(0, response.body.indexOf(last) + last.length) };
}

/** Ports of the server's own choosing are not the same twice. */
const withoutPorts = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0');

describe.concurrent('what a server does, the client sees, and the trace holds', () => {
  test.for(cases)('$file', async ({ file, asks, shows }, { host }) => {
    const [alone, upstream] = await Promise.all([host.serveFile(file), host.serveFile(file)]);
    const tap = await host.tapTo(upstream);
    for (const [index, one] of asks.entries()) {
      const [seen, through] = [await seenOf(alone, one), await seenOf(tap.url, one)];
      expect(withoutPorts(through.text), `request ${index + 1}`).toBe(withoutPorts(seen.text));
      if (!isDirect) expect(through.text).not.toContain(upstream.host);
      shows = shows.filter((text) => !Buffer.from(seen.text, 'latin1').toString().includes(text));
    }
    expect(shows).toEqual([]);
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.streams.map(({ request }) => [request.method, request.target])).toEqual(
      asks.map(({ method = 'POST', target = '/mcp' }) => [method, target]),
    );
    expect(trace.streams.filter(({ isMade }) => isMade)).toEqual([]);
  });
});

describe.concurrent("a client's bad requests harm nobody else", () => {
  const good = message('tools/call', { name: 'echo', arguments: { text: 'still here' } });
  const chunkedHead = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

  interface Bad {
    name: string;
    head: string;
    body: string | Uint8Array;
    /** The client leaves when it has sent this much, unless it has been answered. */
    leaves?: boolean;
    /** What it is answered with; nothing where the connection may just be closed. */
    statuses: number[];
  }

  const rows: Bad[] = [
    {
      name: 'half a body',
      head: 'POST /mcp HTTP/1.1\r\nContent-Length: 1000\r\n',
      body: 'x'.repeat(500),
      leaves: true,
      statuses: [],
    },
    {
      name: 'a body without an end',
      head: `POST /mcp HTTP/1.1\r\n${chunkedHead}`,
      body: endlessBody(),
      leaves: true,
      statuses: [413],
    },
    { name: 'a target of two slashes', head: 'GET // HTTP/1.1\r\n', body: '', statuses: [400, 405] },
    {
      name: 'cut JSON',
      head: 'POST /mcp HTTP/1.1\r\nContent-Length: 17\r\n',
      body: '{"jsonrpc":"2.0",',
      statuses: [400],
    },
    {
      name: 'two sessions at once',
      head: `POST /mcp HTTP/1.1\r\nContent-Length: ${good.length}\r\nMcp-Session-Id: one\r\nMcp-Session-Id: two\r\n`,
      body: good,
      statuses: [200, 400],
    },
    {
      name: 'a length and chunks',
      head: `POST /mcp HTTP/1.1\r\nContent-Length: 5\r\n${chunkedHead}`,
      body: '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
      statuses: [400],
    },
    {
      name: 'two lengths',
      head: 'POST /mcp HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n',
      body: 'hello',
      statuses: [400],
    },
    {
      name: 'a chunk of no size',
      head: `POST /mcp HTTP/1.1\r\n${chunkedHead}`,
      body: 'zz\r\nhello\r\n0\r\n\r\n',
      statuses: [400],
    },
    { name: 'a method that there is not', head: 'G\u00e9T /mcp HTTP/1.1\r\n', body: '', statuses: [400] },
    { name: 'a version that there is not', head: 'GET /mcp HTTP/9.9\r\n', body: '', statuses: [400, 505] },
    { name: 'no HTTP at all', head: '\u0016\u0003\u0001\u0002\u0000\u0001\r\n', body: '', statuses: [400] },
    {
      name: 'a header line of a megabyte',
      head: `GET /mcp HTTP/1.1\r\nX-Long: ${'y'.repeat(1 << 20)}\r\n`,
      body: '',
      statuses: [431],
    },
    {
      name: 'a header line without a colon',
      head: 'GET /mcp HTTP/1.1\r\nno colon here\r\n',
      body: '',
      statuses: [400],
    },
    { name: 'a header name with a space', head: 'GET /mcp HTTP/1.1\r\nX Y: 1\r\n', body: '', statuses: [400] },
  ];

  test.for(rows)('$name', async ({ head, body, leaves, statuses }, { host }) => {
    const tap = await host.tapTo(await host.serveFile('behaves.mjs'));
    const client = await RawClient.open(tap.url);
    client.socket.write(Buffer.from(`${head}Host: ${tap.url.host}\r\n\r\n`, 'latin1'));
    client.socket.write(body);
    if (leaves) await until('it is on its way', () => client.socket.writableLength === 0 || client.hasEnded);
    else {
      await until('it is answered, or the connection closed', () => client.hasEnded || client.sofar('GET')?.isWhole);
      const status = client.sofar('GET')?.status;
      if (status !== undefined) expect(statuses).toContain(status);
    }
    client.leave();
    const response = await post(tap.url, good);
    expect(response.body.toString()).toContain('still here');
    const trace = await tap.stop();
    expect(trace?.bytes.toString().includes('"target":"/smuggled"') ?? false).toBe(false);
  });

  /** Chunks whose last never comes, 32 MiB of them. */
  function endlessBody(): Buffer {
    const chunk = Buffer.from(seededBytes(6, 1 << 20));
    const framed = Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')]);
    return Buffer.concat(Array.from({ length: 32 }, () => framed));
  }

  test('a thousand connections that say nothing', async ({ host }) => {
    const tap = await host.tapTo(await host.serveFile('behaves.mjs'));
    const silent = await Promise.all(Array.from({ length: 1000 }, () => RawClient.open(tap.url)));
    for (const [index, client] of silent.entries()) if (index % 2) client.send('POST /mcp HTTP/1.1\r\nHost: 12');
    const response = await post(tap.url, good);
    expect(digest(response.body)).toBe(digest((await post(tap.url, good)).body));
    expect(response.body.toString()).toContain('still here');
    for (const client of silent) client.leave();
    await tap.stop();
  });
});
