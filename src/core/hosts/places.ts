import type { Host, HostFile, Platform } from './host.ts';

/** What decides where files are. */
export interface Machine {
  platform: Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The working directory, and those above it that belong to the same project, nearest first. */
  folders: readonly string[];
}

/** Where a file of a host may be: the first of these that is there counts. */
export interface Place {
  host: Host;
  file: HostFile;
  candidates: { path: string; folder: string | undefined }[];
}

/** The places where this machine's hosts keep their servers, in the order of the hosts. */
export function placesOf(hosts: readonly Host[], machine: Machine): Place[] {
  return hosts.flatMap((host) =>
    host.files
      .filter(({ on }) => on === undefined || on.includes(machine.platform))
      .map((file) => ({ host, file, candidates: candidatesOf(file, machine) })),
  );
}

function candidatesOf(file: HostFile, machine: Machine): Place['candidates'] {
  const own = (path: string): string => (machine.platform === 'win32' ? path.replaceAll('/', '\\') : path);
  if (file.scope === 'project') {
    return machine.folders.map((folder) => ({ path: own(`${folder.replace(/[\\/]$/, '')}/${file.path}`), folder }));
  }
  const path = userPath(file.path, machine);
  return path === undefined ? [] : [{ path: own(path), folder: undefined }];
}

/** Nothing where a variable that leads there is not set. */
function userPath(path: string, machine: Machine): string | undefined {
  const { name, standIn, rest } = /^\$\{?(?<name>\w+)(?::-(?<standIn>[^}]*)\})?(?<rest>.*)$/.exec(path)?.groups ?? {};
  if (name === undefined) return fromBase(path, machine);
  const set = machine.env[name] || standIn;
  return set === undefined ? undefined : fromBase(`${set}${rest}`, machine);
}

function fromBase(path: string, { platform, home, env }: Machine): string {
  const appData = env['APPDATA'] || `${home}/AppData/Roaming`;
  const config = env['XDG_CONFIG_HOME'] || `${home}/.config`;
  const apps = { linux: config, darwin: `${home}/Library/Application Support`, win32: appData }[platform];
  const bases: Readonly<Record<string, string>> = {
    '~': home,
    '<config>': config,
    '<appdata>': appData,
    '<apps>': apps,
  };
  return path.replace(/^(?:~(?=\/|$)|<\w+>)/, (base) => bases[base] ?? base);
}
