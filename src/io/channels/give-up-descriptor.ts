import { closeSync, openSync } from 'node:fs';

/**
 * Closes one of our own standard streams, with the null device in its place so that nothing else gets its
 * number. Node never closes these by itself, and the host would wait for their end.
 */
export function giveUpDescriptor(fd: 0 | 1 | 2): void {
  try {
    closeSync(fd);
    openSync(process.platform === 'win32' ? 'NUL' : '/dev/null', 'r+');
  } catch {
    // Nobody is left to be told.
  }
}
