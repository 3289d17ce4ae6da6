import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process as the system lists it. */
interface Listed {
  pid: number;
  parent: number;
  group: number;
  /** When it started: a later process that gets its number has another one. */
  started: string;
  /** It has ended, and its parent has not looked yet. */
  isZombie: boolean;
}

/**
 * A child of ours that leads a process group, all in that group, and all that descend from them. Once seen, a
 * process is known for good: also when its parent has ended, and apart from a later one with its number.
 */
export class ProcessFamily {
  private readonly leader: number;
  private readonly known = new Map<number, string>();
  private guard: ChildProcess | undefined;

  constructor(leader: number) {
    this.leader = leader;
  }

  /** Those that run now. */
  running(): number[] {
    return this.look(listProcesses())
      .filter(({ isZombie }) => !isZombie)
      .map(({ pid }) => pid);
  }

  /** Sends a signal to the group and to every one of the family, wherever it is. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      execFile('taskkill', ['/PID', String(this.leader), '/T', '/F'], () => undefined);
      return;
    }
    for (const target of this.targets()) {
      try {
        process.kill(target, signal);
      } catch {
        // It has ended in the meantime.
      }
    }
  }

  /**
   * From now on the family dies with us, until `letGo`: a host that has told us to end may kill us before we
   * are through. A shell waits on a pipe that only we hold, and when that ends without a word it kills.
   */
  holdOn(): void {
    if (process.platform === 'win32' || this.guard) return;
    const script = 'read -r word || for target; do kill -s KILL -- "$target"; done';
    const words = ['-c', script, 'sh', ...this.targets().map(String)];
    const guard = spawn('/bin/sh', words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.on('error', () => undefined);
    guard.stdin.on('error', () => undefined);
    guard.unref();
    this.guard = guard;
  }

  letGo(): void {
    this.guard?.stdin?.end('done\n');
  }

  /** The group, where it is theirs, and each of them. */
  private targets(): number[] {
    const all = listProcesses();
    const family = this.look(all);
    const hasGroup = all.length === 0 || family.some(({ group }) => group === this.leader);
    // Each is told once: a second SIGTERM makes many a program leave at once, its work undone.
    const others = family.filter(({ group }) => !hasGroup || group !== this.leader);
    return [...(hasGroup ? [-this.leader] : []), ...others.map(({ pid }) => pid)];
  }

  private look(all: readonly Listed[]): Listed[] {
    const family = new Map<number, Listed>();
    const isLeader = ({ pid, parent }: Listed): boolean => pid === this.leader && parent === process.pid;
    const isKnown = ({ pid, started }: Listed): boolean => this.known.get(pid) === started;
    for (const one of all) if (isLeader(one) || isKnown(one)) family.set(one.pid, one);
    for (let before = -1; before < family.size;) {
      before = family.size;
      const hasGroup = [...family.values()].some(({ group }) => group === this.leader);
      const belongs = ({ parent, group }: Listed): boolean => family.has(parent) || (hasGroup && group === this.leader);
      for (const one of all) if (belongs(one)) family.set(one.pid, one);
    }
    for (const { pid, started } of family.values()) this.known.set(pid, started);
    return [...family.values()];
  }
}

/** Nothing where the system does not say. */
function listProcesses(): Listed[] {
  try {
    return process.platform === 'linux' ? readProc() : readPs();
  } catch {
    return [];
  }
}

function readProc(): Listed[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readStat(pid) ?? []);
}

function readStat(pid: string): Listed | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold any character: what counts begins behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group] = fields;
    const isZombie = state === 'Z' || state === 'X';
    return { pid: Number(pid), parent: Number(parent), group: Number(group), started: fields[19] ?? '', isZombie };
  } catch {
    return undefined;
  }
}

function readPs(): Listed[] {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=';
  const text = execFileSync('ps', ['-A', '-o', columns], { encoding: 'latin1', timeout: 2000 });
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state = '', ...started] = line.trim().split(/\s+/);
    if (!pid) return [];
    const isZombie = state.startsWith('Z');
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' '), isZombie }];
  });
}
