import { WireproofError } from '../wireproof-error.ts';
import { type ConfiguredServer, targetName } from './host.ts';
import { hosts } from './hosts.ts';

/** So many names are told; who wants all of them has `wireproof servers`. */
const mostTold = 20;

/** The servers that `name` or `host:name` may mean. */
export function serversNamed(servers: readonly ConfiguredServer[], word: string): ConfiguredServer[] {
  const colon = word.indexOf(':');
  const ofHost = servers.filter(({ host, name }) => host.id === word.slice(0, colon) && name === word.slice(colon + 1));
  // A name may have a colon itself.
  return ofHost.length > 0 ? ofHost : servers.filter(({ name }) => name === word);
}

/**
 * The one server that `name` or `host:name` means.
 *
 * @throws WireproofError `bad-usage` where there is none, or more than one
 */
export function pickServer(servers: readonly ConfiguredServer[], word: string): ConfiguredServer {
  const fitting = serversNamed(servers, word).filter(({ isHidden }) => !isHidden);
  const [first, ...others] = fitting;
  if (first === undefined) throw new WireproofError('bad-usage', unknownName(servers, word));
  if (others.length === 0) return first;
  const targets = fitting.map(targetName);
  throw new WireproofError('bad-usage', `More than one host has a server "${word}". Say which: ${targets.join(', ')}`);
}

/** Says that nobody knows it, and who is known. */
export function unknownName(servers: readonly ConfiguredServer[], word: string): string {
  const colon = word.indexOf(':');
  const host = hosts.find(({ id }) => id === word.slice(0, colon));
  const who = host ? `${host.name} has no server "${word.slice(colon + 1)}"` : `No host has a server "${word}"`;
  const known = [...new Set(servers.filter(({ isHidden }) => !isHidden).map(targetName))];
  if (known.length === 0) return `${who}: no servers are configured here at all.`;
  const more = known.length > mostTold ? `, and ${known.length - mostTold} more (wireproof servers)` : '';
  return `${who}. Known: ${known.slice(0, mostTold).join(', ')}${more}.`;
}
