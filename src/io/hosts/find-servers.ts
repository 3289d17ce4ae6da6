import { readFile, stat } from 'node:fs/promises';
import type { ConfiguredServer } from '../../core/hosts/host.ts';
import { hosts } from '../../core/hosts/hosts.ts';
import { type Machine, type Place, placesOf } from '../../core/hosts/places.ts';
import { inOrder, readServers } from '../../core/hosts/read-servers.ts';
import { readJsonc } from '../../core/wire/jsonc.ts';
import { readToml } from '../../core/wire/toml.ts';
import { readUtf8 } from '../../core/wire/utf8.ts';

/** What is wrong with a file, and where that can be told. */
export interface FileFault {
  what: string;
  line?: number;
  column?: number;
}

/** A file of a host that is there. */
export type FoundFile = { host: string; scope: 'project' | 'user'; path: string } & (
  | { state: 'read' }
  | { state: 'broken'; fault: FileFault }
  | { state: 'not readable yet'; why: string }
);

export interface FoundServers {
  files: FoundFile[];
  /** Host by host; within one, what counts more first. */
  servers: ConfiguredServer[];
}

/** No configuration is larger. */
const largest = 64 * 1024 * 1024;

/** What the hosts on this machine have configured. It only reads; what is broken is told and hides nothing else. */
export async function findServers(machine: Machine): Promise<FoundServers> {
  const found = (await Promise.all(placesOf(hosts, machine).map((place) => readPlace(place, machine)))).filter(
    (read) => read !== undefined,
  );
  // Where the working directory is the home folder, a project's file may be the user's.
  const users = new Set(found.filter(({ file }) => file.scope === 'user').map(keyOf));
  const once = found.filter((read) => read.file.scope === 'user' || !users.has(keyOf(read)));
  const servers = once.flatMap(({ servers }) => servers);
  return { files: once.map(({ file }) => file), servers: inOrder(servers, hosts) };
}

interface ReadPlace {
  file: FoundFile;
  servers: ConfiguredServer[];
}

const keyOf = ({ file: { host, path } }: ReadPlace): string => `${host} ${path}`;

async function readPlace({ host, file, candidates }: Place, machine: Machine): Promise<ReadPlace | undefined> {
  for (const { path, folder } of candidates) {
    const about = { host: host.id, scope: file.scope, path };
    const broken = (fault: FileFault): ReadPlace => ({ file: { ...about, state: 'broken', fault }, servers: [] });
    const text = await textOf(path);
    if (text === undefined) continue;
    if (typeof text !== 'string') return broken(text);
    if (/\.ya?ml$/.test(path)) return { file: { ...about, state: 'not readable yet', why: 'YAML' }, servers: [] };
    const read = parse(path, text);
    if ('fault' in read) return broken(read.fault);
    const servers = readServers({ host, file, path, folder, document: read.value }, machine.folders);
    return typeof servers === 'string' ? broken({ what: servers }) : { file: { ...about, state: 'read' }, servers };
  }
  return undefined;
}

/** An empty file is one without servers: some hosts make such ones. */
function parse(path: string, text: string): ReturnType<typeof readJsonc> {
  if (text.trim() === '') return { value: {} };
  return path.endsWith('.toml') ? readToml(text) : readJsonc(text);
}

/** The text of a file, or what is wrong with it, or nothing where there is none. */
async function textOf(path: string): Promise<string | FileFault | undefined> {
  try {
    const entry = await stat(path);
    // A pipe or a device may have no end.
    if (!entry.isFile()) return undefined;
    if (entry.size > largest) return { what: 'it is larger than 64 MiB' };
    const bytes = await readFile(path);
    return readUtf8(bytes) ?? { what: encodingFault(bytes) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { what: `it cannot be read: ${code ?? message}` };
  }
}

const encodingFault = (bytes: Uint8Array): string =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    ? 'it is UTF-16, and should be UTF-8'
    : 'it is not UTF-8';
