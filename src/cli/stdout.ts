import { tell } from './tell.ts';

/** Our stdout, for words. When nobody reads it any more there is nothing left to do, and nothing wrong. */
export function openStdout(): NodeJS.WriteStream {
  const { stdout } = process;
  if (stdout.listeners('error').includes(giveUp)) return stdout;
  return stdout.on('error', giveUp);
}

function giveUp({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(0);
  tell(`Could not write to stdout: ${message}`);
  process.exit(2);
}
