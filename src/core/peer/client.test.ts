import { describe, expect, test } from 'vitest';
import { showUtf8, writeUtf8 } from '../wire/utf8.ts';
import { Client } from './client.ts';

const identity = { client: { name: 'test', version: '1' }, capabilities: { roots: {} } };
const body = (json: unknown): Uint8Array => writeUtf8(JSON.stringify(json));

describe('requests', () => {
  test('of the handshake’s era carry nothing of their own', () => {
    const client = new Client(identity);
    client.era = 'legacy';
    const { body: bytes, id } = client.request('tools/list', { cursor: 'a' });
    expect(id).toBe(1);
    expect(JSON.parse(showUtf8(bytes))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { cursor: 'a' },
    });
  });

  test('of the modern era say each time who asks', () => {
    const client = new Client(identity);
    client.era = 'modern';
    client.revision = '2026-07-28';
    client.logLevel = 'info';
    const { json } = client.request('tools/call', { name: 'add', _meta: { own: 1 } }, { progress: true });
    expect(json['params']).toEqual({
      name: 'add',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': identity.client,
        'io.modelcontextprotocol/clientCapabilities': identity.capabilities,
        'io.modelcontextprotocol/logLevel': 'info',
        progressToken: 1,
        own: 1,
      },
    });
  });
});

describe('what a body is', () => {
  const asked = (): Client => {
    const client = new Client(identity);
    client.request('ping', {});
    return client;
  };

  test('the answer to a request, once', () => {
    const client = asked();
    const answer = body({ jsonrpc: '2.0', id: 1, result: { a: 1 } });
    expect(client.hear(answer)).toMatchObject([{ kind: 'answer', id: 1, method: 'ping', result: { a: 1 } }]);
    expect(client.hear(answer)).toMatchObject([{ kind: 'unasked' }]);
  });

  test.each([
    [{ jsonrpc: '2.0', id: '1', result: {} }, 'unasked'],
    [{ jsonrpc: '2.0', id: 2, result: {} }, 'unasked'],
    [{ jsonrpc: '2.0', id: 1, error: { code: 1 } }, 'answer'],
    [{ jsonrpc: '2.0', id: 1, method: 'roots/list' }, 'request'],
    [{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info' } }, 'notification'],
    ['hello', 'stray'],
    [{}, 'stray'],
  ])('%j is %s', (json, kind) => {
    expect(asked().hear(body(json))).toMatchObject([{ kind }]);
  });

  test('several, in a batch', () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', method: 'n' },
    ];
    expect(
      asked()
        .hear(body(batch))
        .map(({ kind }) => kind),
    ).toEqual(['answer', 'notification']);
  });

  test('no message where it is no JSON, or no UTF-8', () => {
    expect(asked().hear(writeUtf8('Listening…'))).toMatchObject([{ kind: 'stray' }]);
    expect(asked().hear(Uint8Array.of(0xff, 0xfe))).toMatchObject([{ kind: 'stray' }]);
  });

  test('nothing to what is not waited for any more', () => {
    const client = asked();
    client.forget(1);
    expect(client.hear(body({ jsonrpc: '2.0', id: 1, result: {} }))).toMatchObject([{ kind: 'unasked' }]);
  });

  test.each([
    [{ id: 1, result: {}, error: null }, [{ kind: 'answer', result: {}, error: undefined }]],
    [{ id: 1, result: null, error: { code: 1 } }, [{ kind: 'answer', error: { code: 1 } }]],
    [{ id: 1 }, [{ kind: 'answer', result: undefined, error: undefined }]],
    [
      { id: 1, result: {}, error: { code: 1 } },
      [
        { kind: 'answer', error: { code: 1 } },
        { kind: 'unasked', why: expect.stringContaining('both') },
      ],
    ],
  ])('of the result and the error in %j the one that is there', (json, heard) => {
    expect(asked().hear(body({ jsonrpc: '2.0', ...json }))).toMatchObject(heard);
  });

  test.each<[unknown, string]>([
    ['1', 'an answer to the id "1", which is text: the request had the number 1'],
    [7, 'an answer to the id 7, which nothing was asked with'],
    [null, 'an answer to the id null'],
    [undefined, 'an answer to no id'],
  ])('an answer to the id %j is to nothing, and why', (id, why) => {
    const heard = asked().hear(body({ jsonrpc: '2.0', id, result: {} }));
    expect(heard).toMatchObject([{ kind: 'unasked', why: expect.stringContaining(why) }]);
  });

  test('a second answer, and one that came too late, are told apart', () => {
    const client = asked();
    client.request('ping', {});
    client.forget(2);
    client.hear(body({ jsonrpc: '2.0', id: 1, result: {} }));
    expect(client.hear(body({ jsonrpc: '2.0', id: 1, result: {} }))).toMatchObject([{ why: 'a second answer to 1' }]);
    expect(client.hear(body({ jsonrpc: '2.0', id: 2, result: {} }))).toMatchObject([
      { why: expect.stringContaining('nobody waits for any more') },
    ]);
  });
});

describe('progress', () => {
  const progress = (progressToken: unknown): Uint8Array =>
    body({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
  const asking = (): Client => {
    const client = new Client(identity);
    client.request('tools/call', {}, { progress: true });
    return client;
  };

  test('of what runs is heard, and of what was given up', () => {
    const client = asking();
    expect(client.hear(progress(1))).toMatchObject([{ kind: 'notification' }]);
    client.forget(1);
    expect(client.hear(progress(1))).toMatchObject([{ kind: 'notification' }]);
  });

  test('of what is answered is told of once', () => {
    const client = asking();
    client.hear(body({ jsonrpc: '2.0', id: 1, result: {} }));
    expect(client.hear(progress(1))).toMatchObject([
      { kind: 'unasked', why: expect.stringContaining('answered already') },
    ]);
    expect(client.hear(progress(1))).toMatchObject([{ kind: 'notification' }]);
  });

  test('under a token that was not given is told of, of so many tokens at most', () => {
    const client = asking();
    expect(client.hear(progress('1'))).toMatchObject([
      { why: expect.stringContaining('"1", which no request was given') },
    ]);
    const kinds = Array.from({ length: 100 }, (_, index) => client.hear(progress(`x${index}`))[0]?.kind);
    expect(kinds.filter((kind) => kind === 'unasked')).toHaveLength(7);
  });

  test('is strange where it was not asked for', () => {
    const client = new Client(identity);
    client.request('ping', {});
    expect(client.hear(progress(1))).toMatchObject([{ kind: 'unasked' }]);
  });
});

test('the tools of the last list are known, in all its pages', () => {
  const client = new Client(identity);
  const list = (params: object, tools: unknown): void => {
    const { id } = client.request('tools/list', params as never);
    client.hear(body({ jsonrpc: '2.0', id, result: { tools } }));
  };
  list({}, [{ name: 'a', n: 1 }, 5]);
  list({ cursor: 'x' }, [{ name: 'a', n: 2 }]);
  expect(client.tools.named('a')).toEqual([
    { name: 'a', n: 1 },
    { name: 'a', n: 2 },
  ]);
  list({}, [{ name: 'b' }]);
  expect(client.tools.named('a')).toEqual([]);
  list({}, 'none');
  expect(client.tools.named('b')).toEqual([{ name: 'b' }]);
});
