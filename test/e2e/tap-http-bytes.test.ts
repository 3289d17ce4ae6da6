import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { Handler } from '../servers/http/handler.ts';
import { seededBytes } from '../servers/seeded-bytes.mjs';
import { tapTest, test } from './support/http-host.ts';
import { ask, chunked, type Lines, messageLines, post, RawClient, requestBytes, valueOf } from './support/http-raw.ts';
import { digest } from './support/read-trace.ts';
import { pause, until } from './support/until.ts';

const privateKey = fileURLToPath(new URL('../servers/http/certificate-key.pem', import.meta.url));

/** A request as the server got it. */
interface Heard {
  method: string;
  target: string;
  lines: Lines;
  body: Buffer;
  trailers: Lines;
}

const pairs = (flat: readonly string[]): Lines =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? '']);

async function hear(request: IncomingMessage): Promise<Heard> {
  const { method = '', url = '', rawHeaders } = request;
  const body = await buffer(request);
  return { method, target: url, lines: pairs(rawHeaders), body, trailers: pairs(request.rawTrailers) };
}

/** Keeps what it hears, then answers. */
function hearing(heard: Heard[], answer: Handler = (_, response) => response.end('heard')): Handler {
  return (request, response) =>
    void hear(request).then(
      (one) => {
        heard.push(one);
        answer(request, response);
      },
      () => undefined,
    );
}

const bytesOf = (text: string): Buffer => Buffer.from(text);
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
/** What a proxy leaves alone. */
const endToEnd = (lines: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] =>
  lines.filter(([name]) => ![...hopByHop, 'host'].includes(name.toLowerCase()));

const call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}';

describe.concurrent('a body arrives as it was sent, both ways', () => {
  const rows = [0, 1, 65_536, 1_500_000].flatMap((size) => [
    { size, framing: 'content-length' },
    { size, framing: 'chunked' },
  ]);

  test.for(rows)('$size bytes, $framing', async ({ size, framing }, { host }) => {
    const [sent, answer] = [seededBytes(1, size), seededBytes(2, size)];
    const isChunked = framing === 'chunked';
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => {
        response.writeHead(200, {
          'Content-Type': 'application/octet-stream',
          ...(isChunked ? {} : { 'Content-Length': size }),
        });
        for (let at = 0; at < size; at += 77_777) response.write(answer.subarray(at, at + 77_777));
        response.end();
      }),
    );
    const tap = await host.tapTo(url);
    const framed: Lines = isChunked ? [['Transfer-Encoding', 'chunked']] : [['Content-Length', String(size)]];
    const response = await ask(
      tap.url,
      'POST',
      [['Content-Type', 'application/octet-stream'], ...framed],
      isChunked ? chunked(sent) : sent,
    );
    expect(heard.map(({ body }) => digest(body))).toEqual([digest(sent)]);
    expect(digest(response.body)).toBe(digest(answer));
    expect(response.isWhole).toBe(true);
    expect(valueOf(response.lines, 'content-length')).toBe(isChunked ? undefined : String(size));
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.stream().sum('client')).toEqual({ bytes: size, sha256: digest(sent) });
    expect(trace.stream().sum('server')).toEqual({ bytes: size, sha256: digest(answer) });
  });

  test('answers that come at once, in parts between one another', async ({ host }) => {
    const answers = Array.from({ length: 40 }, (_, at) => seededBytes(at + 1, at % 2 === 0 ? 300 : 9_000));
    const waiting: (() => void)[] = [];
    const { url } = await host.serve((request, response) => {
      const answer = answers[Number(request.url?.split('=')[1])] ?? bytesOf('');
      waiting.push(() => {
        response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': answer.length });
        response.write(answer.subarray(0, 100));
        setTimeout(() => response.end(answer.subarray(100)), 20);
      });
      if (waiting.length === answers.length) for (const go of waiting) go();
    });
    const tap = await host.tapTo(url);
    const got = await Promise.all(answers.map((_, at) => ask(tap.under(`/mcp?answer=${at}`), 'GET', [])));
    expect(got.map(({ body }) => digest(body))).toEqual(answers.map(digest));
    const trace = await tap.stop();
    if (!trace) return;
    for (const stream of trace.streams) {
      const answer = answers[Number(stream.request.target?.split('=')[1])] ?? bytesOf('');
      expect(stream.sum('server')).toEqual({ bytes: answer.length, sha256: digest(answer) });
    }
    expect(trace.streams).toHaveLength(answers.length);
  });

  const spelled = [
    { name: 'odd white space', body: '{ "jsonrpc" : "2.0",\r\n\t"id":1, "method":"ping" }\n' },
    { name: 'numbers that JSON.stringify would spell anew', body: '{"jsonrpc":"2.0","id":1.0,"params":[1e2,-0,1E+2]}' },
    { name: 'members that stand twice', body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' },
    { name: 'escapes', body: '{"jsonrpc":"2.0","id":"\\u0061\\/\\ud83d","method":"ping"}' },
    { name: 'integers beyond 2^53', body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}' },
    { name: 'a byte-order mark', body: '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}' },
    { name: 'a batch', body: '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]' },
    { name: 'cut JSON', body: '{"jsonrpc":"2.0",' },
    { name: 'a message of 9 MiB', body: `{"jsonrpc":"2.0","id":1,"method":"n","params":"é${'y'.repeat(9 << 20)}"}` },
  ];

  test.for(spelled)('JSON with $name', async ({ body }, { host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => response.setHeader('Content-Type', 'application/json').end(body)),
    );
    const tap = await host.tapTo(url);
    const response = await post(tap.url, body);
    expect(digest(heard[0]?.body ?? bytesOf(''))).toBe(digest(bytesOf(body)));
    expect(digest(response.body)).toBe(digest(bytesOf(body)));
    const trace = await tap.stop();
    if (!trace) return;
    const sum = { bytes: Buffer.byteLength(body), sha256: digest(bytesOf(body)) };
    expect(trace.stream().sum('client')).toEqual(sum);
    expect(trace.stream().sum('server')).toEqual(sum);
  });

  test('a message stands in the trace as it was spelled', async ({ host }) => {
    const body = '{ "jsonrpc" : "2.0", "id":1.0,"method":"ping", "id": "\\u0061" }';
    const { url } = await host.serve((_, response) => response.setHeader('Content-Type', 'application/json').end(body));
    const tap = await host.tapTo(url);
    await post(tap.url, body);
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.lines.filter((line) => line.endsWith(`"msg":${body}}`))).toHaveLength(2);
  });

  test('compressed, without being opened', async ({ host }) => {
    const body = gzipSync(`{"jsonrpc":"2.0","id":7,"result":{"text":"${'z'.repeat(5000)}"}}`);
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        response.write(body.subarray(0, 20));
        response.end(body.subarray(20));
      }),
    );
    const tap = await host.tapTo(url);
    const lines: Lines = [...messageLines(body), ['Content-Encoding', 'gzip'], ['Accept-Encoding', 'gzip;q=1.0, br']];
    const response = await ask(tap.url, 'POST', lines, body);
    expect(response.body.equals(body)).toBe(true);
    expect(valueOf(response.lines, 'content-encoding')).toBe('gzip');
    expect(heard[0]?.body.equals(body)).toBe(true);
    expect(valueOf(heard[0]?.lines ?? [], 'accept-encoding')).toBe('gzip;q=1.0, br');
    const trace = await tap.stop();
    if (!trace) return;
    const sum = { bytes: body.length, sha256: digest(body) };
    expect(trace.stream().sum('client')).toEqual(sum);
    expect(trace.stream().sum('server')).toEqual(sum);
  });

  test('while the other direction is still under way', async ({ host }) => {
    const { url } = await host.serve((request, response) => {
      response.flushHeaders();
      request.pipe(response);
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(
      requestBytes('POST', '/mcp', [
        ['Host', tap.url.host],
        ['Transfer-Encoding', 'chunked'],
      ]),
    );
    for (const word of ['one', 'two', 'three', 'four']) {
      client.send(`${word.length.toString(16)}\r\n${word}\r\n`);
      await client.body(word);
    }
    client.send('0\r\n\r\n');
    expect((await client.response()).body.toString()).toBe('onetwothreefour');
    await tap.stop();
  });

  test.for([
    { type: 'application/json', before: '' },
    { type: 'text/event-stream', before: 'data: ' },
  ])('what of a body has come is in the trace when nothing more comes: $type', async ({ type, before }, { host }) => {
    const { url } = await host.serve((_, response) => {
      response.writeHead(200, { 'Content-Type': type });
      response.write(`${before}{"jsonrpc":"2.0","id":7,`);
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('POST', '/mcp', [['Host', tap.url.host], ...messageLines(call)], call));
    await client.body('"id":7,');
    await until('it is in the trace', () => tap.recorded('"held":0'));
    client.leave();
    await tap.stop();
  });
});

describe.concurrent('a request arrives as it was made', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'QUERY'];
  const targets = [
    '/',
    '/mcp?',
    '/mcp?a=1&a=2&b=%2F%20%zz;c=+',
    '//',
    '//mcp//x',
    '/mcp/../other/./x',
    '/%7Euser/%E2%82%AC',
    '/.well-known/oauth-protected-resource/mcp',
    `/${'long'.repeat(1500)}`,
    '/mcp?x=\'"<>|{}^`',
  ];

  test('whatever its method and its target are', async ({ host }) => {
    const asked = [
      ...methods.map((method) => ({ method, target: '/mcp' })),
      ...targets.map((target) => ({ method: 'POST', target })),
    ];
    const heard: Heard[] = [];
    const { url } = await host.serve(hearing(heard));
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    for (const { method, target } of asked) {
      client.send(
        requestBytes(
          method,
          target,
          [
            ['Host', tap.url.host],
            ['Content-Length', '4'],
          ],
          'body',
        ),
      );
      const { status, body } = await client.response(method);
      expect({ method, target, status, body: body.toString() }).toEqual({ method, target, status: 200, body: 'heard' });
    }
    client.leave();
    const seen = heard.map(({ method, target, body }) => ({ method, target, body: body.toString() }));
    expect(seen).toEqual(asked.map((one) => ({ ...one, body: 'body' })));
    const trace = await tap.stop();
    const traced = trace?.streams.map(({ request: { method, target } }) => ({ method, target }));
    expect(traced ?? asked).toEqual(asked);
  });

  const lines: Lines = [
    ['x-first', '1'],
    ['ACCEPT', 'application/json, text/event-stream'],
    ['X-Twice', 'one'],
    ['x-between', ''],
    ['x-TWICE', 'two, three'],
    ['X-Twice', 'one'],
    ['X-Latin', 'caf\u00e9'],
    ['X-Long', 'l'.repeat(4000)],
    ['User-Agent', 'odd/1.0 (a; b)'],
    ['MCP-Protocol-Version', '2025-06-18'],
  ];

  test('its header lines keep their order, their case and their doubles', async ({ host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => response.writeHead(200, 'Well then', lines.flat()).end('ok')),
    );
    const tap = await host.tapTo(url);
    const response = await ask(tap.url, 'GET', lines);
    expect(endToEnd(heard[0]?.lines ?? [])).toEqual(lines);
    expect(heard[0]?.lines.filter(([name]) => /^host$/i.test(name))).toEqual([['Host', url.host]]);
    expect(response.reason).toBe('Well then');
    const added = new Set(['date', 'content-length']);
    expect(endToEnd(response.lines).filter(([name]) => !added.has(name.toLowerCase()))).toEqual(lines);
    const trace = await tap.stop();
    if (!trace) return;
    const { request, forwarded, response: answer } = trace.stream();
    expect(request.lines).toEqual([['Host', tap.url.host], ...lines]);
    expect(endToEnd(forwarded.lines)).toEqual(lines);
    expect(forwarded.lines).toContainEqual(['Host', url.host]);
    expect(answer).toMatchObject({ version: '1.1', status: 200, reason: 'Well then' });
    expect(answer.lines.slice(0, lines.length)).toEqual(lines);
  });

  test('cookies are passed on, each on its line', async ({ host }) => {
    const heard: Heard[] = [];
    const cookies: Lines = [
      ['Set-Cookie', 'a=1; Path=/; HttpOnly'],
      ['X-Between', 'x'],
      ['set-cookie', 'b=2, Expires=Wed, 01 Jan 2031 00:00:00 GMT'],
    ];
    const { url } = await host.serve(
      hearing(heard, (_, response) => response.writeHead(200, cookies.flat()).end('ok')),
    );
    const tap = await host.tapTo(url);
    const response = await ask(tap.url, 'GET', [['Cookie', 'a=1; b=2']]);
    expect(valueOf(heard[0]?.lines ?? [], 'cookie')).toBe('a=1; b=2');
    expect(response.lines.slice(0, 3)).toEqual(cookies);
    await tap.stop();
  });

  test('the server gets the Origin that the client has, and none where it has none', async ({ host }) => {
    const origins = ['http://localhost:3000', 'https://evil.example', 'null', undefined];
    const heard: Heard[] = [];
    const { url } = await host.serve(hearing(heard));
    const tap = await host.tapTo(url);
    for (const origin of origins) {
      const lines: Lines = origin === undefined ? [] : [['Origin', origin]];
      expect((await post(tap.url, call, lines)).status).toBe(200);
    }
    expect(heard.map(({ lines }) => valueOf(lines, 'origin'))).toEqual(origins);
    await tap.stop();
  });

  test('its trailers come too, and those of the response', async ({ host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => {
        response.writeHead(200, { Trailer: 'X-Sum, x-more' });
        response.write('body');
        response.addTrailers([
          ['X-Sum', 'abc'],
          ['x-more', 'd e'],
        ]);
        response.end();
      }),
    );
    const tap = await host.tapTo(url);
    const framed: Lines = [
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'X-Sent'],
      ['TE', 'trailers'],
      ['Connection', 'TE'],
    ];
    const response = await ask(tap.url, 'POST', framed, chunked(bytesOf('sent'), [['X-Sent', '4 bytes']]));
    expect(heard).toMatchObject([{ body: bytesOf('sent'), trailers: [['X-Sent', '4 bytes']] }]);
    expect(valueOf(response.lines, 'trailer')).toBe('X-Sum, x-more');
    const trailers = [
      ['X-Sum', 'abc'],
      ['x-more', 'd e'],
    ];
    expect(response.trailers).toEqual(trailers);
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.stream().trailers('client')).toEqual([['X-Sent', '4 bytes']]);
    expect(trace.stream().trailers('server')).toEqual(trailers);
  });

  tapTest('what is meant for one hop goes no further', async ({ host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(
      hearing(heard, (_, response) => {
        const said: Lines = [
          ['Connection', 'x-answer-hop'],
          ['X-Answer-Hop', '1'],
          ['Keep-Alive', 'timeout=9'],
          ['X-Stays', '2'],
        ];
        response.writeHead(200, said.flat()).end('ok');
      }),
    );
    const tap = await host.tapTo(url);
    const response = await ask(tap.url, 'GET', [
      ['Connection', 'keep-alive, X-Hop'],
      ['X-Hop', '1'],
      ['Keep-Alive', 'timeout=5'],
      ['Proxy-Connection', 'keep-alive'],
      ['connection', 'x-HOP-two'],
      ['X-Hop-Two', '2'],
      ['Upgrade', 'h2c'],
      ['X-Stays', '3'],
    ]);
    const names = (lines: readonly (readonly [string, string])[]) => lines.map(([name]) => name.toLowerCase());
    expect(names(endToEnd(heard[0]?.lines ?? []))).toEqual(['x-stays']);
    for (const name of ['upgrade', 'proxy-connection']) expect(names(heard[0]?.lines ?? [])).not.toContain(name);
    expect(names(response.lines)).not.toContain('x-answer-hop');
    expect(valueOf(response.lines, 'keep-alive')).not.toBe('timeout=9');
    expect(valueOf(response.lines, 'x-stays')).toBe('2');
    const stream = (await tap.stop())?.stream();
    expect(names(stream?.request.lines ?? [])).toContain('x-hop');
    expect(names(stream?.forwarded.lines ?? [])).not.toContain('x-hop');
    expect(names(stream?.answered.lines ?? [])).toContain('x-answer-hop');
  });
});

describe.concurrent('what comes before a response, and what has no body', () => {
  const bodiless = [
    { name: 'HEAD', method: 'HEAD', status: 200, lines: [['Content-Length', '1234']] as Lines },
    { name: 'HEAD of a chunked body', method: 'HEAD', status: 200, lines: [['Transfer-Encoding', 'chunked']] as Lines },
    { name: '204', method: 'POST', status: 204, lines: [['X-Kind', 'nothing']] as Lines },
    { name: '304', method: 'GET', status: 304, lines: [['ETag', '"a"']] as Lines },
    { name: '202', method: 'POST', status: 202, lines: [['Content-Length', '0']] as Lines },
  ];

  test.for(bodiless)('$name', async ({ method, status, lines }, { host }) => {
    const { url } = await host.serve((request, response) => {
      request.resume();
      if (request.url === '/after') response.end('after');
      else response.writeHead(status, lines.flat()).end();
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes(method, '/mcp', [['Host', tap.url.host]]));
    const response = await client.response(method);
    expect(response.status).toBe(status);
    for (const [name, value] of endToEnd(lines)) expect(valueOf(response.lines, name)).toBe(value);
    client.send(requestBytes('GET', '/after', [['Host', tap.url.host]]));
    expect((await client.response('GET')).body.toString()).toBe('after');
    client.leave();
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.stream('/mcp').sum('server')?.bytes).toBe(0);
    expect(trace.stream('/mcp').response.status).toBe(status);
  });

  test("100 Continue is the server's to say", async ({ host }) => {
    const heard: Heard[] = [];
    let asked = 0;
    const { url } = await host.serve(hearing(heard), (server) =>
      server.on('checkContinue', (request: IncomingMessage, response) => {
        asked++;
        if (request.url === '/no') {
          response.writeHead(417, { Connection: 'close' }).end('no');
          return;
        }
        response.writeContinue();
        server.emit('request', request, response);
      }),
    );
    const tap = await host.tapTo(url);
    const head = (target: string) =>
      requestBytes('POST', target, [
        ['Host', tap.url.host],
        ['Content-Length', '5'],
        ['Expect', '100-continue'],
      ]);

    const willing = await RawClient.open(tap.url);
    willing.send(head('/mcp'));
    await until('it may go on', () => willing.bytes.includes('HTTP/1.1 100'));
    expect(heard).toEqual([]);
    willing.send('hello');
    const response = await willing.response();
    expect(response).toMatchObject({ status: 200, informational: [{ status: 100 }] });
    expect(heard[0]?.body.toString()).toBe('hello');
    willing.leave();

    const refused = await RawClient.open(tap.url);
    refused.send(head('/no'));
    expect(await refused.response()).toMatchObject({ status: 417, informational: [] });
    refused.leave();
    expect(asked).toBe(2);
    await tap.stop();
  });

  test('103 Early Hints', async ({ host }) => {
    const { url } = await host.serve((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload', 'x-early': 'yes' });
      response.end('late');
    });
    const tap = await host.tapTo(url);
    const response = await ask(tap.url, 'GET', []);
    expect(response).toMatchObject({ status: 200, informational: [{ status: 103 }] });
    expect(valueOf(response.informational[0]?.lines ?? [], 'link')).toBe('</style.css>; rel=preload');
    const trace = await tap.stop();
    expect(trace?.stream().informational ?? [103]).toEqual([103]);
  });
});

describe.concurrent('peers of an older HTTP', () => {
  test('a client of HTTP/1.0 gets no chunks', async ({ host }) => {
    const { url } = await host.serve((_, response) => {
      response.write('one ');
      response.end('two');
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(`GET /mcp HTTP/1.0\r\nHost: ${tap.url.host}\r\n\r\n`);
    await client.ended();
    const response = await client.response('GET');
    expect(valueOf(response.lines, 'transfer-encoding')).toBeUndefined();
    expect(response.body.toString()).toBe('one two');
    const trace = await tap.stop();
    expect(trace?.stream().request.version ?? '1.0').toBe('1.0');
  });

  const endless = ['HTTP/1.0 200 OK', 'HTTP/1.1 200 OK'];

  test.for(endless)('a server whose body ends with the connection: %s', async (line, { host }) => {
    const body = seededBytes(5, 300_000);
    const { url } = await host.serveRaw((socket) =>
      socket.once('data', () => {
        socket.write(`${line}\r\nX-Kind: old\r\n\r\n`);
        socket.end(body);
      }),
    );
    const tap = await host.tapTo(url);
    const response = await ask(tap.url, 'GET', []);
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(digest(response.body)).toBe(digest(body));
    const trace = await tap.stop();
    expect(trace?.stream().sum('server') ?? { sha256: digest(body) }).toMatchObject({ sha256: digest(body) });
  });
});

describe.concurrent('server-sent events', () => {
  const events = ': hello\n\nid: 1\nevent: message\ndata: {"jsonrpc":"2.0","method":"n"}\n\n';
  const streams = [
    { name: 'plain', bytes: bytesOf(events) },
    { name: 'CRLF', bytes: bytesOf(events.replaceAll('\n', '\r\n')) },
    { name: 'CR alone', bytes: bytesOf(events.replaceAll('\n', '\r')) },
    { name: 'line ends of all kinds', bytes: bytesOf('data: {}\r\n\ndata: {}\r\rdata: {}\n\r\ndata: {}\r\n\r\n\n\r') },
    { name: 'a byte-order mark', bytes: bytesOf(`\ufeff${events}\ufeffdata: x\n\n`) },
    { name: 'data over several lines', bytes: bytesOf('data: {"a":\ndata:1,\ndata:  "b":2}\n\n') },
    { name: 'empty events', bytes: bytesOf('id: 1\nretry: 10\ndata:\n\ndata\n\n\n\nevent: x\n\n') },
    { name: 'no blank line at the end', bytes: bytesOf(`${events}data: {"jsonrpc":"2.0","method":"last"}\n`) },
    { name: 'no end of line at the end', bytes: bytesOf(`${events}data: {"jso`) },
    {
      name: 'broken UTF-8',
      bytes: Buffer.concat([Buffer.from([100, 97, 116, 97, 58, 0xff, 0xc3, 10, 10]), bytesOf(events)]),
    },
    { name: 'nothing', bytes: bytesOf('') },
  ];

  test.for(streams)('every byte, cut at each: $name', async ({ bytes }, { host }) => {
    const { url } = await host.serve(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const tap = await host.tapTo(url);
    const response = await post(tap.url, call);
    expect(response.isWhole).toBe(true);
    expect(response.body.toString('latin1')).toBe(bytes.toString('latin1'));
    const trace = await tap.stop();
    if (trace) expect(trace.stream().sum('server')).toEqual({ bytes: bytes.length, sha256: digest(bytes) });
  });

  test('each is with the client, and in the trace, before the next is sent', async ({ host }) => {
    let sent!: (event: string) => void;
    const { url } = await host.serve((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      sent = (event) => response.write(event);
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(
      requestBytes('GET', '/mcp', [
        ['Host', tap.url.host],
        ['Accept', 'text/event-stream'],
      ]),
    );
    expect(await until('the head has come before any event', () => client.sofar('GET'))).toMatchObject({ status: 200 });
    for (let number = 1; number <= 20; number++) {
      const message = `{"jsonrpc":"2.0","method":"n","params":{"number":${number}}}`;
      sent(`id: ${number}\ndata: ${message}\n\n`);
      await client.body(message);
      await until('it is in the trace', () => tap.recorded(`"msg":${message}}\n`));
    }
    client.leave();
    await tap.stop();
  });

  test('a hundred streams at once', async ({ host }) => {
    const open = new Map<string, (event: string) => void>();
    const { url } = await host.serve((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      open.set(request.url ?? '', (event) => (event ? response.write(event) : response.end()));
    });
    const tap = await host.tapTo(url);
    const names = Array.from({ length: 100 }, (_, index) => `/mcp?stream=${index}`);
    const clients = await Promise.all(
      names.map(async (name) => {
        const client = await RawClient.open(tap.url);
        client.send(requestBytes('GET', name, [['Host', tap.url.host]]));
        return { name, client };
      }),
    );
    await until('all are open', () => open.size === names.length);
    for (const word of ['first', 'second']) {
      for (const name of names) open.get(name)?.(`data: "${word} of ${name}"\n\n`);
      for (const { name, client } of clients) await client.body(`${word} of ${name}`);
    }
    for (const name of names) open.get(name)?.('');
    for (const { name, client } of clients) {
      const { body, isWhole } = await client.response('GET');
      expect(isWhole).toBe(true);
      expect(body.toString()).toBe(`data: "first of ${name}"\n\ndata: "second of ${name}"\n\n`);
      client.leave();
    }
    await tap.stop();
  });
});

describe.concurrent('connections', () => {
  test('requests that are sent without waiting are answered in their order', async ({ host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(hearing(heard, ({ url: target }, response) => response.end(target)));
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    const targets = Array.from({ length: 10 }, (_, index) => `/mcp?number=${index}`);
    const sent = targets.map((target) =>
      requestBytes('POST', target, [['Host', tap.url.host], ...messageLines(call)], call),
    );
    client.send(Buffer.concat(sent));
    for (const target of targets) expect((await client.response()).body.toString()).toBe(target);
    client.leave();
    expect(heard.map(({ target }) => target).sort()).toEqual(targets);
    await tap.stop();
  });

  test('are used again, on both sides', async ({ host }) => {
    const upstream = await host.serve(hearing([]));
    const tap = await host.tapTo(upstream.url);
    const client = await RawClient.open(tap.url);
    for (let number = 0; number < 20; number++) {
      client.send(requestBytes('POST', '/mcp', [['Host', tap.url.host], ...messageLines(call)], call));
      expect((await client.response()).status).toBe(200);
    }
    expect(client.hasEnded).toBe(false);
    expect(upstream.connections()).toBe(1);
    client.leave();
    await tap.stop();
  });

  test('are closed when the client wants it', async ({ host }) => {
    const { url } = await host.serve(hearing([]));
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(
      requestBytes('GET', '/mcp', [
        ['Host', tap.url.host],
        ['Connection', 'close'],
      ]),
    );
    expect((await client.response('GET')).body.toString()).toBe('heard');
    await client.ended();
    await tap.stop();
  });

  test('a server that closes each one without a word loses no request', async ({ host }) => {
    let closed = 0;
    const { url } = await host.serveRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      socket.on('close', () => closed++);
    });
    const tap = await host.tapTo(url);
    for (let number = 1; number <= 10; number++) {
      expect(await post(tap.url, call)).toMatchObject({ status: 200, isWhole: true });
      await until('the server has closed it', () => closed === number);
    }
    await tap.stop();
  });

  const told = { stray: 'strange', hint: 'Keep-Alive: timeout=1\r\n' };
  const once: { name: string; lines: string; more: string }[] = [
    { name: 'that say something nobody asked for', lines: '', more: told.stray },
    { name: 'that are kept for a second, and were asked a moment ago', lines: told.hint, more: '' },
    { name: 'that the server wants to close', lines: 'Connection: close\r\n', more: '' },
  ];

  tapTest.for(once)('$name are not used again', async ({ lines, more }, { host }) => {
    let opened = 0;
    const { url } = await host.serveRaw((socket) => {
      opened++;
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${lines}Content-Length: 2\r\n\r\nok${more}`));
      socket.on('error', () => undefined);
    });
    const tap = await host.tapTo(url);
    for (let number = 0; number < 2; number++) {
      expect(await post(tap.url, call)).toMatchObject({ status: 200, body: bytesOf('ok'), isWhole: true });
    }
    expect(opened).toBe(2);
    const records = (await tap.stop())?.records ?? [];
    const notes = records.flatMap(({ note }) => (note?.kind === 'not-http' ? [note.text] : []));
    const note = 'the server sent what nobody had asked for; it begins "strange"';
    expect(notes).toEqual(more === '' ? [] : [note, note]);
  });
});

/** Waits until an amount is above nothing and grows no more. */
async function stalled(amount: () => number): Promise<number> {
  let before = -1;
  return until('it is stalled', async () => {
    const now = amount();
    if (now > 0 && now === before) return now;
    before = now;
    await pause(500);
    return undefined;
  });
}

describe('who does not read holds up the writer, and nothing is lost on the way', () => {
  const block = 1 << 20;
  const count = 64;
  const blockOf = (index: number): Buffer =>
    bytesOf(Buffer.from(seededBytes(index, block)).toString('base64').slice(0, block));
  const expected = (): string => {
    const hash = createHash('sha256');
    for (let index = 0; index < count; index++) hash.update(blockOf(index));
    return hash.digest('hex');
  };

  test('a server that does not read 64 MiB', async ({ host }) => {
    const hash = createHash('sha256');
    let read!: () => void;
    const mayRead = new Promise<void>((resolve) => (read = resolve));
    const { url } = await host.serve(async (request, response) => {
      await mayRead;
      for await (const chunk of request) hash.update(chunk as Buffer);
      response.end('ok');
    });
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    let taken = 0;
    client.send(
      requestBytes('POST', '/mcp', [
        ['Host', tap.url.host],
        ['Content-Length', String(count * block)],
      ]),
    );
    for (let index = 0; index < count; index++) client.socket.write(blockOf(index), () => (taken += block));
    expect(await stalled(() => taken)).toBeLessThan((count * block) / 2);
    read();
    expect((await client.response()).body.toString()).toBe('ok');
    expect(hash.digest('hex')).toBe(expected());
    client.leave();
    const sum = (await tap.stopFlooded())?.stream().sum('client');
    if (sum) expect(sum).toEqual({ bytes: count * block, sha256: expected() });
  });

  test('a client that does not read 64 MiB', async ({ host }) => {
    let made = 0;
    const { url } = await host.serve((_, response) => {
      function* blocks() {
        for (let index = 0; index < count; index++) {
          made += block;
          yield blockOf(index);
        }
      }
      void pipeline(Readable.from(blocks(), { highWaterMark: 1 }), response).catch(() => undefined);
    });
    const tap = await host.tapTo(url);
    const [response] = (await once(get(tap.url), 'response')) as [IncomingMessage];
    expect(await stalled(() => made)).toBeLessThan((count * block) / 2);
    const hash = createHash('sha256');
    for await (const chunk of response) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(expected());
    const sum = (await tap.stopFlooded())?.stream().sum('server');
    if (sum) expect(sum).toEqual({ bytes: count * block, sha256: expected() });
  });
});

describe.concurrent('a client that goes away is gone for the server, too', () => {
  const moments: { name: string; body: string; length: number; answer: Handler }[] = [
    {
      name: 'in the middle of an event stream',
      body: call,
      length: call.length,
      answer: (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: 1\n\n');
      },
    },
    { name: 'before it is answered', body: call, length: call.length, answer: () => undefined },
    { name: 'in the middle of its own request', body: 'x'.repeat(500), length: 1000, answer: () => undefined },
  ];

  test.for(moments)('$name', async ({ body, length, answer }, { host }) => {
    const seen = { isUnderWay: false, isOver: false };
    const upstream = await host.serve((request, response) => {
      let heard = 0;
      request.on('data', (chunk: Buffer) => {
        heard += chunk.length;
        if (heard >= body.length) seen.isUnderWay = true;
      });
      request.on('error', () => undefined);
      response.on('close', () => (seen.isOver = true));
      answer(request, response);
    });
    const tap = await host.tapTo(upstream.url);
    const client = await RawClient.open(tap.url);
    client.send(
      requestBytes(
        'POST',
        '/mcp',
        [
          ['Host', tap.url.host],
          ['Content-Length', String(length)],
        ],
        body,
      ),
    );
    await until('the request is under way', () => seen.isUnderWay);
    expect(seen.isOver).toBe(false);
    client.leave();
    await until('the server sees it', () => seen.isOver);
    const trace = await tap.stop();
    if (trace) expect(trace.stream().why).not.toBe('');
  });

  test('one of two that wait: the other still gets its answer', async ({ host }) => {
    const waiting: (() => void)[] = [];
    let gone = 0;
    const { url } = await host.serve((_, response) => {
      response.on('close', () => !response.writableFinished && gone++);
      waiting.push(() => response.end('answered'));
    });
    const tap = await host.tapTo(url);
    const [leaves, stays] = [await RawClient.open(tap.url), await RawClient.open(tap.url)];
    for (const client of [leaves, stays]) {
      client.send(requestBytes('GET', '/mcp', [['Host', tap.url.host]]));
      const before = waiting.length;
      await until('it waits', () => waiting.length > before);
    }
    leaves.leave();
    await until('the server sees it', () => gone === 1);
    waiting[1]?.();
    expect((await stays.response('GET')).body.toString()).toBe('answered');
    stays.leave();
    await tap.stop();
  });
});

describe.concurrent('a server that goes away is gone for the client, too', () => {
  const heads = {
    length: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n',
    chunks: 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
  };
  const rows: { name: string; head: string; body: string; came: string; leave: (socket: Socket) => void }[] = [
    { name: 'ends too early', head: heads.length, body: '{"a":1', came: '{"a":1', leave: (socket) => socket.end() },
    {
      name: 'resets before its length',
      head: heads.length,
      body: '{"a":1',
      came: '{"a":1',
      leave: (socket) => socket.resetAndDestroy(),
    },
    {
      name: 'ends between events',
      head: heads.chunks,
      body: '9\r\ndata: 1\n\n\r\n',
      came: 'data: 1\n\n',
      leave: (socket) => socket.end(),
    },
    {
      name: 'resets between events',
      head: heads.chunks,
      body: '9\r\ndata: 1\n\n\r\n',
      came: 'data: 1\n\n',
      leave: (socket) => socket.resetAndDestroy(),
    },
    {
      name: 'ends inside a chunk',
      head: heads.chunks,
      body: 'ff\r\ndata: 1',
      came: 'data: 1',
      leave: (socket) => socket.end(),
    },
    {
      name: 'goes on with nonsense',
      head: heads.chunks,
      body: '9\r\ndata: 1\n\n\r\n',
      came: 'data: 1\n\n',
      leave: (socket) => socket.write('nonsense\r\n'),
    },
  ];

  test.for(rows)('$name', async ({ head, body, came, leave }, { host }) => {
    let go!: () => void;
    const { url } = await host.serveRaw((socket) =>
      socket.once('data', () => {
        socket.write(head + body);
        go = () => leave(socket);
      }),
    );
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('POST', '/mcp', [['Host', tap.url.host], ...messageLines(call)], call));
    await client.body(came);
    go();
    await until('it is noticed', () => client.hasEnded || client.bytes.includes('nonsense'));
    expect(client.hasEnded).toBe(!client.bytes.includes('nonsense'));
    const response = client.sofar();
    expect(response).toMatchObject({ status: 200, isWhole: false });
    expect(response?.body.toString()).toBe(came);
    client.leave();
    const stream = (await tap.stop())?.stream();
    if (!stream) return;
    expect(stream.why).not.toBe('');
    expect(stream.sum('server')).toEqual({ bytes: came.length, sha256: digest(bytesOf(came)) });
  });

  const atOnce = rows.filter(({ name }) => !name.startsWith('resets'));

  test.for(atOnce)('$name, all in one breath', async ({ head, body, came, leave }, { host }) => {
    const { url } = await host.serveRaw((socket) =>
      socket.once('data', () => {
        socket.write(head + body);
        leave(socket);
      }),
    );
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('POST', '/mcp', [['Host', tap.url.host], ...messageLines(call)], call));
    await until('it is noticed', () => client.hasEnded || client.bytes.includes('nonsense'));
    const response = client.sofar();
    expect({ ...response, body: response?.body.toString() }).toMatchObject({ status: 200, isWhole: false, body: came });
    client.leave();
    const stream = (await tap.stop())?.stream();
    if (!stream) return;
    expect(stream.why).not.toBe('');
    expect(stream.sum('server')).toEqual({ bytes: came.length, sha256: digest(bytesOf(came)) });
  });

  tapTest('whose head is longer than what is taken', async ({ host }) => {
    const head = `HTTP/1.1 200 OK\r\nX-Big: ${'a'.repeat(300_000)}\r\nContent-Length: 2\r\n\r\nok`;
    const { url } = await host.serveRaw((socket) => socket.once('data', () => socket.write(head)));
    const tap = await host.tapTo(url);
    const { status, body } = await post(tap.url, call);
    expect({ status, said: body.toString() }).toMatchObject({
      status: 502,
      said: expect.stringContaining('its head is too long'),
    });
    await tap.stop();
  });

  tapTest('whose head is as long as some are', async ({ host }) => {
    const big = 'a'.repeat(200_000);
    const head = `HTTP/1.1 200 OK\r\nX-Big: ${big}\r\nContent-Length: 2\r\n\r\nok`;
    const { url } = await host.serveRaw((socket) => socket.once('data', () => socket.write(head)));
    const tap = await host.tapTo(url);
    const { status, lines, body } = await post(tap.url, call);
    expect([status, body.toString()]).toEqual([200, 'ok']);
    expect(valueOf(lines, 'x-big') === big).toBe(true);
    await tap.stop();
  });

  tapTest('what it says instead of HTTP is told by its first bytes', async ({ host }) => {
    const { url } = await host.serveRaw((socket) =>
      socket.once('data', () => socket.write(`${heads.chunks}9\r\ndata: 1\n\n\r\nnonsense\r\n`)),
    );
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('POST', '/mcp', [['Host', tap.url.host], ...messageLines(call)], call));
    await client.ended();
    expect((await tap.stop())?.stream().why).toContain('no HTTP (a chunk without a size); it begins "nonsense');
  });

  test('a server that answers before it has heard all', async ({ host }) => {
    const { url } = await host.serve((_, response) => response.writeHead(413).end('too much'));
    const tap = await host.tapTo(url);
    const client = await RawClient.open(tap.url);
    client.send(
      requestBytes(
        'POST',
        '/mcp',
        [
          ['Host', tap.url.host],
          ['Content-Length', '1000000'],
        ],
        'x'.repeat(5000),
      ),
    );
    expect(await client.response()).toMatchObject({ status: 413, isWhole: true, body: bytesOf('too much') });
    client.leave();
    await tap.stop();
  });
});

describe.concurrent('a server that cannot be spoken with: the client is told, under the id of its request', () => {
  const servers: { name: string; hear: ((socket: Socket) => void) | undefined }[] = [
    { name: 'refuses', hear: undefined },
    { name: 'hangs up at once', hear: (socket) => socket.end() },
    { name: 'hangs up when it has heard', hear: (socket) => socket.once('data', () => socket.end()) },
    { name: 'resets when it has heard', hear: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
    {
      name: 'speaks another language',
      hear: (socket) => socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.7\r\n')),
    },
    {
      name: 'ends in the middle of its head',
      hear: (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
    },
    {
      name: 'has a header line without a name',
      hear: (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 0\r\n\r\n')),
    },
    {
      name: 'has two lengths',
      hear: (socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc')),
    },
  ];

  tapTest.for(servers)('$name', async ({ hear }, { host }) => {
    const to = hear ? (await host.serveRaw(hear)).url : await host.nowhere();
    const tap = await host.tapTo(to);
    const response = await post(tap.url, call);
    expect(response).toMatchObject({ status: 502, isWhole: true });
    expect(valueOf(response.lines, 'content-type')).toContain('application/json');
    const said = JSON.parse(response.body.toString()) as { error: { code: number; message: string } };
    expect(said).toMatchObject({ jsonrpc: '2.0', id: 7, error: {} });
    expect(Number.isInteger(said.error.code)).toBe(true);
    expect(said.error.message).not.toBe('');
    expect(response.body.toString()).toContain('wireproof');
    const trace = await tap.stop();
    if (!trace) return;
    const stream = trace.stream();
    expect(stream.isMade).toBe(true);
    expect(stream.response.status).toBe(502);
    expect(stream.why).not.toBe('');
    expect(stream.sum('client')).toEqual({ bytes: call.length, sha256: digest(bytesOf(call)) });
  });

  const requests = [
    { name: 'a text', body: '{"jsonrpc":"2.0","id":"a \\u00e9","method":"ping"}', id: 'a é' },
    { name: 'zero', body: '{"jsonrpc":"2.0","id":0,"method":"ping"}', id: 0 },
    { name: 'none, of a notification', body: '{"jsonrpc":"2.0","method":"x"}', id: undefined },
    { name: 'none, of a body that is no JSON', body: 'hello', id: undefined },
    { name: 'none, of an empty body', body: '', id: undefined },
  ];

  tapTest.for(requests)('whose id is $name', async ({ body, id }, { host }) => {
    const tap = await host.tapTo(await host.nowhere());
    const response = await post(tap.url, body);
    expect(response.status).toBe(502);
    if (id === undefined) expect(response.body.toString()).not.toContain('"id":0');
    else expect(JSON.parse(response.body.toString())).toMatchObject({ jsonrpc: '2.0', id });
    await tap.stop();
  });

  tapTest('a server that comes back is spoken with again', async ({ host }) => {
    let isWell = false;
    const { url } = await host.serveRaw((socket) =>
      socket.once('data', () => socket.end(isWell ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' : '')),
    );
    const tap = await host.tapTo(url);
    expect((await post(tap.url, call)).status).toBe(502);
    isWell = true;
    expect((await post(tap.url, call)).status).toBe(200);
    const trace = await tap.stop();
    expect(trace?.streams.map(({ isMade }) => isMade)).toEqual([true, false]);
  });

  tapTest('what the server itself answers is not taken for ours', async ({ host }) => {
    const page = '<html><body><h1>502 Bad Gateway</h1></body></html>';
    const { url } = await host.serve((_, response) =>
      response.writeHead(502, { 'Content-Type': 'text/html' }).end(page),
    );
    const tap = await host.tapTo(url);
    const response = await post(tap.url, call);
    expect(response.body.toString()).toBe(page);
    expect((await tap.stop())?.stream().isMade).toBe(false);
  });
});

describe.concurrent('strays', () => {
  interface Names {
    name: string;
    words: string[];
    hosts: ((port: string) => string)[];
    isLetIn: boolean;
  }

  const rows: Names[] = [
    {
      name: 'who names this machine is let in',
      words: [],
      hosts: [
        (port) => `127.0.0.1:${port}`,
        (port) => `localhost:${port}`,
        (port) => `LocalHost:${port}`,
        (port) => `[::1]:${port}`,
        () => 'localhost',
      ],
      isLetIn: true,
    },
    {
      name: 'who names another is not',
      words: [],
      hosts: [
        () => 'evil.example',
        (port) => `evil.example:${port}`,
        (port) => `127.0.0.1.evil.example:${port}`,
        (port) => `localhost.evil.example:${port}`,
        (port) => `evil-localhost:${port}`,
        () => '192.0.2.7',
        () => '',
      ],
      isLetIn: false,
    },
    {
      name: 'who names one that is allowed is let in',
      words: ['--allow-host', 'box.example', '--allow-host', 'other.example'],
      hosts: [(port) => `box.example:${port}`, () => 'box.example', () => 'OTHER.example', () => 'localhost'],
      isLetIn: true,
    },
    {
      name: 'and nobody else',
      words: ['--allow-host', 'box.example'],
      hosts: [() => 'evil.example', () => 'sub.box.example', () => 'box.example.evil.example'],
      isLetIn: false,
    },
  ];

  tapTest.for(rows)('$name', async ({ words, hosts, isLetIn }, { host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(hearing(heard));
    const tap = await host.tapTo(url, words);
    for (const name of hosts.map((make) => make(tap.url.port))) {
      const client = await RawClient.open(tap.url);
      client.send(requestBytes('POST', '/mcp', [['Host', name], ...messageLines(call)], call));
      const { status } = await client.response();
      expect({ name, status }).toEqual({ name, status: isLetIn ? 200 : 403 });
      client.leave();
    }
    expect(heard.length).toBe(isLetIn ? hosts.length : 0);
    const trace = await tap.stop();
    if (!trace) return;
    expect(trace.streams.map(({ isMade, response }) => [isMade, response.status])).toEqual(
      hosts.map(() => (isLetIn ? [false, 200] : [true, 403])),
    );
    const asked = trace.streams.map(({ request }) => valueOf(request.lines as Lines, 'host'));
    expect(asked).toEqual(hosts.map((make) => make(tap.url.port)));
  });

  const commands = [
    {
      name: 'an address that others can reach',
      words: ['--listen', '0.0.0.0:0', '--to', 'http://127.0.0.1:9/mcp'],
      says: '--listen-anywhere',
    },
    {
      name: 'all addresses',
      words: ['--listen', '[::]:0', '--to', 'http://127.0.0.1:9/mcp'],
      says: '--listen-anywhere',
    },
    { name: 'nothing to pass on to', words: ['--listen', '0'], says: '--to' },
    { name: 'a port that is none', words: ['--listen', '70000', '--to', 'http://127.0.0.1:9/mcp'], says: '70000' },
    { name: 'another scheme', words: ['--listen', '0', '--to', 'ftp://127.0.0.1/mcp'], says: 'ftp:' },
    { name: 'no URL', words: ['--listen', '0', '--to', 'hello'], says: 'hello' },
    { name: 'a password', words: ['--listen', '0', '--to', 'http://me:secret@server.test/'], says: 'Authorization' },
    {
      name: 'itself to pass on to',
      words: ['--listen', '17853', '--to', 'http://localhost:17853/mcp'],
      says: 'itself',
    },
    {
      name: 'certificates that nobody looks at',
      words: ['--listen', '0', '--to', 'http://server.test/', '--ca', 'x.pem'],
      says: '--ca means nothing here',
    },
    {
      name: 'a file that is no certificate',
      words: ['--listen', '0', '--to', 'https://server.test/', '--ca', privateKey],
      says: 'holds no certificate',
    },
    {
      name: 'a folder for a program',
      words: ['--listen', '0', '--to', 'http://server.test/', '--cwd', '/'],
      says: '--cwd means nothing here',
    },
  ];

  tapTest.for(['--allow-host', '--redact-key', '--ca'])(
    'a command is not started with %s',
    async (option, { host }) => {
      const tap = host.tapHttp([option, 'x', '--', process.execPath, '--version']);
      expect(await tap.ended).toEqual({ code: 2, signal: null });
      expect(tap.stdout.text).toBe('');
      expect(tap.stderr.text).toContain(`${option} is for --listen and --to`);
    },
  );

  tapTest.for(commands)('it does not listen with $name', async ({ words, says }, { host }) => {
    const tap = host.tapHttp(words);
    expect(await tap.ended).toEqual({ code: 2, signal: null });
    expect(tap.stdout.text).toBe('');
    expect(tap.stderr.text).toMatch(/^wireproof: /);
    expect(tap.stderr.text).toContain(says);
  });

  tapTest('nor at a port that is taken', async ({ host }) => {
    const { url } = await host.serve(hearing([]));
    const tap = host.tapHttp(['--listen', url.port, '--to', 'http://127.0.0.1:9/mcp']);
    expect(await tap.ended).toEqual({ code: 2, signal: null });
    expect(tap.stderr.text).toMatch(/^wireproof: .*\n$/);
    expect(tap.stderr.text).toContain(url.port);
  });

  tapTest('it listens anywhere when told so twice, and says what that means', async ({ host }) => {
    const heard: Heard[] = [];
    const { url } = await host.serve(hearing(heard));
    const tap = host.tapHttp(['--listen', '0.0.0.0:0', '--listen-anywhere', '--to', url.href]);
    const line = await tap.line('passes to', 'stderr');
    const port = /:(\d+)\/mcp passes/.exec(line)?.[1];
    const response = await post(new URL(`http://127.0.0.1:${port}/mcp`), call);
    expect(response.status).toBe(200);
    expect(tap.stderr.lines.length).toBeGreaterThan(1);
    tap.child.kill('SIGTERM');
    expect(await tap.ended).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent('the end', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    tapTest(`${signal}: nobody is waited for who waits for nothing`, async ({ host }) => {
      const { url } = await host.serve(hearing([]));
      const tap = await host.tapTo(url, ['--grace', '1m']);
      const client = await RawClient.open(tap.url);
      client.send(requestBytes('GET', '/mcp', [['Host', tap.url.host]]));
      await client.response('GET');
      tap.started?.child.kill(signal);
      expect(await tap.started?.ended).toEqual({ code: 0, signal: null });
      await client.ended();
      await host.nothingLeft();
    });
  }

  tapTest('who is told twice does not wait for what is under way', async ({ host }) => {
    const { url } = await host.serve((_, response) => response.write('half'));
    const tap = await host.tapTo(url, ['--grace', '1m']);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('GET', '/mcp', [['Host', tap.url.host]]));
    await client.body('half');
    tap.started?.child.kill('SIGINT');
    await tap.started?.line('waiting for 1 request', 'stderr');
    tap.started?.child.kill('SIGINT');
    expect(await tap.started?.ended).toEqual({ code: 0, signal: null });
    expect(tap.started?.stderr.text).toMatch(/recorded: .*wireproof\S* show /);
    client.leave();
  });

  tapTest('what is under way may be finished', async ({ host }) => {
    let answer!: () => void;
    const { url } = await host.serve((_, response) => {
      response.write('half ');
      answer = () => response.end('and half');
    });
    const tap = await host.tapTo(url, ['--grace', '1m']);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('GET', '/mcp', [['Host', tap.url.host]]));
    await client.body('half');
    const stopped = tap.stop();
    await until('nobody is let in any more', () =>
      RawClient.open(tap.url).then(
        (late) => late.leave(),
        () => true,
      ),
    );
    answer();
    expect((await client.response('GET')).body.toString()).toBe('half and half');
    client.leave();
    expect((await stopped)?.stream().why).toBe('');
  });

  tapTest('an event stream that is open ends, and the trace says why', async ({ host }) => {
    let isOver = false;
    const { url } = await host.serve((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"n"}\n\n');
      response.on('close', () => (isOver = true));
    });
    const tap = await host.tapTo(url, ['--grace', '100ms']);
    const client = await RawClient.open(tap.url);
    client.send(requestBytes('GET', '/mcp', [['Host', tap.url.host]]));
    await client.body('"n"');
    const trace = await tap.stop();
    await client.ended();
    await until('the server sees it', () => isOver);
    expect(trace?.stream().why).not.toBe('');
    expect(trace?.records.at(-1)).toHaveProperty('closed');
  });
});
