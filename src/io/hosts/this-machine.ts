import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Machine } from '../../core/hosts/places.ts';

/** The machine we run on, as far as it decides where hosts keep their files. */
export function thisMachine(env: NodeJS.ProcessEnv, cwd: string): Machine {
  const home = homedir();
  const platform = process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';
  return { platform, home, env, folders: projectFolders(cwd, home) };
}

/** The working directory and, inside a git repository, those above it up to its root. */
function projectFolders(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) break;
  }
  return [cwd];
}
