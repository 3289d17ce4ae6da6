import { readFileSync } from 'node:fs';
import type { TraceHeader } from '../core/trace/format.ts';

/** Is the process that made a trace still there? One that got its number later is not it. */
export function isRunning(header: Pick<TraceHeader, 'pid' | 'started'>): boolean {
  if (!(header.pid > 0)) return false;
  try {
    process.kill(header.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = processStart(header.pid);
  return started === undefined || started <= Date.parse(header.started) + 1000;
}

/** When a process started, in milliseconds since 1970; nothing where the system does not say. */
function processStart(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1];
    // The kernel counts these in hundredths of a second on every platform that Node runs on.
    return boot === undefined ? undefined : Number(boot) * 1000 + ticks * 10;
  } catch {
    return undefined;
  }
}
