import type { StdioHeader } from '../core/trace/format.ts';
import { maskSecrets } from '../core/trace/mask-secrets.ts';
import type { Clock } from './clock.ts';
import { isoTime } from './clock.ts';
import { Recording } from './recording.ts';
import { openStore } from './stores/open.ts';
import { idInName, newTraceId } from './stores/trace-id.ts';

/** What is recorded, and where. */
export interface StdioRecordingOptions {
  /** The server's program and its arguments. */
  command: readonly string[];
  cwd?: string | undefined;
  /** The server's environment. */
  env: NodeJS.ProcessEnv;
  /** Where to record; the store where it is left out. */
  trace?: string | undefined;
  label?: string | undefined;
  /** The most bytes that the store may hold. */
  storeLimit: number;
  /** The name and version that stand in the trace. */
  by: string;
}

/** A recording of a stdio server that has begun. */
export interface StdioRecording {
  id: string;
  recording: Recording;
  /** Ends the watch over the size of the store. */
  stopKeeping: () => void;
}

/** @param pid the server's, where it has been started. @param tell says something to the user */
export function beginStdioRecording(
  options: StdioRecordingOptions,
  at: { clock: Clock; pid: number | undefined; tell: (text: string) => void },
): StdioRecording {
  const { clock, pid, tell } = at;
  const id = idInName(options.trace) ?? newTraceId(clock.startedAt);
  const place = openStore({
    id,
    trace: options.trace,
    env: process.env,
    limit: options.storeLimit,
    moved: (path) => tell(`${options.trace} exists and is kept; recording to ${path}`),
  });
  const recording = new Recording({ store: place.store, clock, tell });
  const header: StdioHeader = {
    wireproof: 1,
    id,
    started: isoTime(clock.startedAt),
    by: options.by,
    pid: process.pid,
    ...(options.label === undefined ? {} : { label: options.label }),
    transport: 'stdio',
    command: maskSecrets(options.command),
    cwd: options.cwd ?? workingDirectory(),
    env: Object.keys(options.env).sort(),
  };
  recording.begin(header, pid);
  return { id, recording, stopKeeping: place.keepWithinLimit() };
}

/** Nothing where it has been deleted. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
