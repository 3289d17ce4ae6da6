// What every bench says of its figures, and of the machine that they were taken on.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** @param isAtLeast the target is the least that is good enough, not the most */
export const outcome = (value, target, isAtLeast = false) =>
  (isAtLeast ? value >= target : value <= target) ? 'reached' : 'not reached';

/** The most memory that a process has had, in MB; nothing where the system does not say. */
export function peakMemory(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** Peak memory of a Node.js that does nothing, in MB. */
export function bareMemory() {
  const script =
    "process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1])";
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  return Number(stdout) / 1024;
}

export const describeMachine = () =>
  `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node.js ${process.version}`;
