import { expect, test } from 'vitest';
import { readMessage } from './message.ts';
import { claimedRevision, shownEra } from './revision.ts';

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

test.each([
  [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }, 'legacy', undefined],
  [{ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }, 'modern', undefined],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }, 'modern', '2026-07-28'],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { progressToken: 1 } } }, undefined, undefined],
  [{ jsonrpc: '2.0', id: 1, method: 'ping' }, undefined, undefined],
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }, undefined, undefined],
  [{ jsonrpc: '2.0', id: 1, result: { _meta: meta } }, undefined, undefined],
])('%j shows the era %s', (json, era, claim) => {
  const message = readMessage(json);
  expect(message && shownEra(message)).toBe(era);
  expect(message && claimedRevision(message)).toBe(claim);
});
