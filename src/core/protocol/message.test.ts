import { expect, test } from 'vitest';
import { readMessage, readMessages } from './message.ts';

test.each([
  [{ jsonrpc: '2.0', id: 1, method: 'ping' }, 'request'],
  [{ jsonrpc: '2.0', id: null, method: 'ping' }, 'request'],
  [{ id: 1, method: 'ping' }, 'request'],
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 'notification'],
  [{ jsonrpc: '2.0', id: 1, result: {} }, 'response'],
  [{ jsonrpc: '2.0', error: { code: -32700, message: 'no' } }, 'response'],
  [{ id: 1, result: {} }, 'response'],
  [{ jsonrpc: '2.0', id: 3 }, 'response'],
])('%j is a %s', (json, kind) => {
  expect(readMessage(json)?.kind).toBe(kind);
});

test.each([[{ status: 200, results: [] }], [{ result: 1 }], [{ method: 5 }], [[]], [null], ['ping'], [7], [{}]])(
  '%j is JSON, and no message',
  (json) => {
    expect(readMessage(json)).toBeUndefined();
  },
);

test('a batch is its messages, without what is none', () => {
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }, 5, { jsonrpc: '2.0', id: 2, result: {} }];
  expect(readMessages(batch).map(({ kind }) => kind)).toEqual(['request', 'response']);
});
