import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The processes that descend from one, as far as the system still knows it: children, their children, and so on. */
export function descendantsOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const [child, parent] of processTable()) {
    const children = childrenOf.get(parent);
    if (children) children.push(child);
    else childrenOf.set(parent, [child]);
  }
  const found: number[] = [];
  const todo = [pid];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const child of childrenOf.get(next) ?? []) {
      found.push(child);
      todo.push(child);
    }
  }
  return found;
}

/** Pairs of process and parent. */
function processTable(): [number, number][] {
  try {
    return process.platform === 'linux' ? readProc() : readPs();
  } catch {
    return [];
  }
}

function readProc(): [number, number][] {
  const table: [number, number][] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) table.push([Number(name), parent]);
  }
  return table;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold any character: what counts begins behind the last one.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function readPs(): [number, number][] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'latin1', timeout: 2000 });
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child && parent !== undefined ? [[child, parent] as [number, number]] : []));
}
