import { isObject, type JsonObject } from '../protocol/message.ts';
import type { ConfiguredServer, Host, HostFile, Scope } from './host.ts';
import { isSwitchedOff, readLaunch } from './read-launch.ts';

/** A file of a host that was found and parsed. */
export interface ParsedFile {
  host: Host;
  file: HostFile;
  path: string;
  /** The folder of its project; none where it is the user's. */
  folder: string | undefined;
  document: unknown;
}

/**
 * The servers that a file says, in its order.
 *
 * @param folders Those of the project, for files that hold the servers of many.
 * @returns a text where the file is built in another way than its host reads it
 */
export function readServers(parsed: ParsedFile, folders: readonly string[]): ConfiguredServer[] | string {
  const { host, file, document, folder } = parsed;
  if (!isObject(document)) return 'the file holds no object';
  const at = file.at ?? host.at;
  const found = memberAt(document, at);
  const entries = host.shape === 'opencode' ? openCodeEntries(found) : entriesOf(found);
  if (entries === undefined) return `"${at.join('.')}" holds no servers by name`;
  const local = file.scope === 'user' && host.id === 'claude-code' ? localServers(parsed, document, folders) : [];
  return [...local, ...serversOf(parsed, entries, file.scope, folder)];
}

const memberAt = (document: JsonObject, at: readonly string[]): unknown =>
  at.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);

function serversOf(
  { host, path }: ParsedFile,
  entries: readonly [string, unknown][],
  scope: Scope,
  folder: string | undefined,
): ConfiguredServer[] {
  return entries.map(([name, entry]) => ({
    host,
    name,
    scope,
    file: path,
    folder,
    launch: readLaunch(entry, host.shape),
    isDisabled: isSwitchedOff(entry),
    isHidden: false,
  }));
}

/** By name, or a list of entries that have one. */
function entriesOf(found: unknown): [string, unknown][] | undefined {
  if (found === undefined || found === null) return [];
  if (isObject(found)) return Object.entries(found);
  if (!Array.isArray(found)) return undefined;
  const named = found.filter((entry) => isObject(entry) && typeof entry['name'] === 'string') as JsonObject[];
  return named.length === found.length ? named.map((entry) => [entry['name'] as string, entry]) : undefined;
}

/** Its version 2 has the servers in `mcp.servers` and other things beside; before, `mcp` had nothing but servers. */
function openCodeEntries(found: unknown): [string, unknown][] | undefined {
  if (!isObject(found)) return entriesOf(found);
  const { servers, ...rest } = found;
  if (!isObject(servers) || typeof servers['type'] === 'string') return entriesOf(found);
  return [
    ...Object.entries(rest).filter(([, entry]) => isObject(entry) && 'type' in entry),
    ...Object.entries(servers),
  ];
}

/** Claude Code keeps what is local to a project in the user's file, under the project's path. */
function localServers(parsed: ParsedFile, document: JsonObject, folders: readonly string[]): ConfiguredServer[] {
  const { projects } = document;
  if (!isObject(projects)) return [];
  const plain = (path: string): string => path.replaceAll('\\', '/');
  return folders.flatMap((folder) =>
    Object.entries(projects)
      .filter(([path, entry]) => plain(path) === plain(folder) && isObject(entry))
      .flatMap(([, entry]) => serversOf(parsed, entriesOf((entry as JsonObject)['mcpServers']) ?? [], 'local', folder)),
  );
}

const weight: Readonly<Record<Scope, number>> = { local: 0, project: 1, user: 2 };

/** Host by host what counts more first, and what is hidden by it marked. */
export function inOrder(servers: readonly ConfiguredServer[], hosts: readonly Host[]): ConfiguredServer[] {
  const sorted = servers.toSorted(
    (one, other) => hosts.indexOf(one.host) - hosts.indexOf(other.host) || weight[one.scope] - weight[other.scope],
  );
  const seen = new Set<string>();
  const ordered: ConfiguredServer[] = [];
  for (const server of sorted) {
    const key = JSON.stringify([server.host.id, server.name]);
    ordered.push({ ...server, isHidden: seen.has(key) });
    seen.add(key);
  }
  return ordered;
}
