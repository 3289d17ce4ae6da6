import type { Expansion } from './expand.ts';

/** Which entries of one host count more: those of one user in one project, of the project, of the user. */
export type Scope = 'local' | 'project' | 'user';

export type Platform = 'linux' | 'darwin' | 'win32';

/** A file in which a host keeps servers. */
export interface HostFile {
  scope: 'project' | 'user';
  /**
   * Slashes on every platform. A project's file is seen from its folder; a user's begins with `~`, `<apps>`, `<config>`,
   * `<appdata>`, `$NAME` or `${NAME:-~/folder}` (see places.ts).
   */
  path: string;
  /** Only there; everywhere where left out. */
  on?: readonly Platform[];
  /** The members that lead to the servers, where this file differs from the host's others. */
  at?: readonly string[];
}

/** How an entry says what is to be started: most hosts agree, these do not. */
export type Shape = 'common' | 'opencode' | 'codex';

/** What is known of a host. */
export interface Host {
  id: string;
  /** As its makers call it. */
  name: string;
  files: readonly HostFile[];
  /** The members of a file that lead to the servers: an object by name, or a list of entries with a `name`. */
  at: readonly string[];
  shape: Shape;
  /** Which references in an entry it replaces. */
  expansion: Expansion;
  /** It starts commands only, and passes over entries with a URL. */
  startsCommandsOnly?: boolean;
  /** The variable in which a server is told its project's folder. */
  tellsProject?: string;
}

/** What an entry says is to be started or called, word for word: references are not replaced. */
export type Launch =
  | {
      kind: 'stdio';
      command: string;
      args: string[];
      env: Record<string, string>;
      cwd?: string;
      /** A file with more variables. */
      envFile?: string;
    }
  | {
      /** `sse` is the older HTTP+SSE. */
      kind: 'http' | 'sse';
      url: string;
      headers: Record<string, string>;
      /** Headers whose value stands in a variable of the environment, behind some text. */
      headerVariables: Record<string, { before: string; variable: string }>;
    }
  | { kind: 'faulty'; why: string };

/** A server as a host has it configured. */
export interface ConfiguredServer {
  host: Host;
  name: string;
  scope: Scope;
  file: string;
  /** The folder of its project; none where it is the user's. */
  folder: string | undefined;
  launch: Launch;
  isDisabled: boolean;
  /** The same host has one of this name that counts more. */
  isHidden: boolean;
}

/** How a server is named as a target. */
export const targetName = ({ host, name }: Pick<ConfiguredServer, 'host' | 'name'>): string => `${host.id}:${name}`;
