import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '../../core/protocol/message.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { isRunning } from '../process-alive.ts';

export interface LockTimes {
  /** A lock older than this is no lock any more: nothing that is done under one takes so long. Milliseconds. */
  longestHeld: number;
  /** How long is waited for a lock. Milliseconds. */
  patience: number;
}

const usual: LockTimes = { longestHeld: 120_000, patience: 150_000 };
/** Between creating a lock and writing who has it there is a moment. Milliseconds. */
const unwritten = 5000;
const betweenLooks = 25;

/**
 * Does something while no other process on this machine does it: a file that can be created only once is the lock.
 * One whose owner has ended, or that is too old, is taken away.
 *
 * @throws WireproofError `store-unusable` where the lock cannot be had
 */
export async function withLock<T>(file: string, work: () => Promise<T>, times = usual): Promise<T> {
  const owner = await acquire(file, times);
  try {
    return await work();
  } finally {
    // It may have been taken away meanwhile: another's is left alone.
    if (read(file) === owner) remove(file);
  }
}

async function acquire(file: string, { longestHeld, patience }: LockTimes): Promise<string> {
  const owner = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    started: new Date().toISOString(),
    key: performance.now(),
  });
  for (let waited = 0; waited <= patience; waited += betweenLooks) {
    if (create(file, owner)) return owner;
    if (isStale(file, longestHeld)) breakLock(file, longestHeld);
    else await pause(betweenLooks);
  }
  throw new WireproofError(
    'store-unusable',
    `Another wireproof holds ${file}. Is none running? Then delete that file.`,
  );
}

/** @returns whether the file is ours now */
function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Windows says EPERM of a file that is just being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw new WireproofError('store-unusable', `${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Two that find the same stale lock must not both take it away: the second would take away the first one's new lock. */
function breakLock(file: string, longestHeld: number): void {
  const breaking = `${file}.breaking`;
  if (!create(breaking, '')) {
    if (age(breaking) > unwritten) remove(breaking);
    return;
  }
  if (isStale(file, longestHeld)) remove(file);
  remove(breaking);
}

function isStale(file: string, longestHeld: number): boolean {
  const old = age(file);
  if (old > longestHeld) return true;
  const owner = ownerIn(read(file));
  if (!owner) return old > unwritten;
  return owner.host === hostname() && !isRunning(owner);
}

function ownerIn(text: string | undefined): { pid: number; started: string; host: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(text ?? '');
    if (!isObject(json)) return undefined;
    const { pid, started, host } = json;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds since the file was written; of one that is not there, none. */
function age(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another was faster.
  }
}
