import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../core/protocol/message.ts';
import type { Era } from '../../core/protocol/revision.ts';

/** So many servers are remembered; the oldest are forgotten. */
const most = 1000;

/** Which era servers were found to speak, so that only the first connection has to find out. */
export class KnownEras {
  private readonly folder: string;

  /** @param home the folder that holds everything wireproof keeps */
  constructor(home: string) {
    this.folder = home;
  }

  /** @param target the command or URL */
  of(target: readonly string[]): Era | undefined {
    const era = this.read()[keyOf(target)];
    return era === 'legacy' || era === 'modern' ? era : undefined;
  }

  /** What cannot be kept is found out again. */
  keep(target: readonly string[], era: Era): void {
    const key = keyOf(target);
    const { [key]: before, ...others } = this.read();
    if (before === era) return;
    const kept = Object.fromEntries([...Object.entries(others), [key, era]].slice(-most));
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const next = `${this.file}.${process.pid}`;
      writeFileSync(next, JSON.stringify(kept), { mode: 0o600 });
      renameSync(next, this.file);
    } catch {
      // It is found out again the next time.
    }
  }

  private get file(): string {
    return join(this.folder, 'known-eras.json');
  }

  private read(): Record<string, unknown> {
    try {
      const json: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      return isObject(json) ? { ...json } : {};
    } catch {
      return {};
    }
  }
}

/** Commands may hold secrets: only a digest of one is kept. */
const keyOf = (target: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 32);
