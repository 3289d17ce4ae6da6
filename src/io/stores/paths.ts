import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder that holds everything wireproof keeps. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  if (env['WIREPROOF_HOME']) return env['WIREPROOF_HOME'];
  if (process.platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'wireproof');
  return join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'wireproof');
}

export const tracesFolder = (home: string): string => join(home, 'traces');
