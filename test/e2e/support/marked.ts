import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that a test's processes carry, and hand on to all that they start. */
export const markName = 'WIREPROOF_TEST_MARK';

/** The processes that carry a mark and have not ended. Linux only: elsewhere nobody can look. */
export function marked(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && carries(name, mark))
    .map(Number);
}

function carries(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}

/** The arguments of a process. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** The most memory that a process has had so far. Bytes. */
export function peakMemory(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes) * 1024;
}

/** How much a process has written so far. Bytes. */
export function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}
