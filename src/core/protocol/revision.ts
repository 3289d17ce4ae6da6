import { isObject, type Message } from './message.ts';

/** The two ways to open a conversation: by handshake, or by carrying metadata in every request. */
export type Era = 'legacy' | 'modern';

/** The dated versions of the specification, oldest first. */
export const revisions = [
  { date: '2024-11-05', era: 'legacy' },
  { date: '2025-03-26', era: 'legacy' },
  { date: '2025-06-18', era: 'legacy' },
  { date: '2025-11-25', era: 'legacy' },
  { date: '2026-07-28', era: 'modern' },
] as const;

/** The era of a dated version, of a later one too: dates sort as text. */
export const eraOf = (revision: string): Era => (revision < '2026-07-28' ? 'legacy' : 'modern');

/** `_meta` keys of the modern era (2026-07-28, basic/index, `_meta`). */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** The revision that a request carries in its own `_meta`, as requests of the modern era do. */
export function claimedRevision(message: Message): string | undefined {
  if (message.kind !== 'request' || !isObject(message.params)) return undefined;
  const meta = message.params['_meta'];
  const claim = isObject(meta) ? meta[metaKeys.protocolVersion] : undefined;
  return typeof claim === 'string' ? claim : undefined;
}

/** The era that one request shows: by its metadata, or by the handshake. Others show none. */
export function shownEra(message: Message): Era | undefined {
  if (message.kind !== 'request') return undefined;
  if (claimedRevision(message) !== undefined || message.method === 'server/discover') return 'modern';
  return message.method === 'initialize' ? 'legacy' : undefined;
}
