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
});
