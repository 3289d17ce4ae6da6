import type { StdioHeader } from '../core/trace/format.ts';
import { maskSecrets } from '../core/trace/mask-secrets.ts';
import type { Clock } from './clock.ts';
import { type NewTrace, newTrace, type NewTraceOptions } from './new-trace.ts';
import { Recording } from './recording.ts';

/** What is recorded, and where. */
export interface StdioRecordingOptions extends NewTraceOptions {
  /** The server's program and its arguments. */
  command: readonly string[];
  cwd?: string | undefined;
  /** The server's environment. */
  env: NodeJS.ProcessEnv;
}

/** A recording of a stdio server that has begun. */
export interface StdioRecording {
  trace: NewTrace;
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
  const trace = newTrace(options, { clock, env: process.env, tell });
  const recording = new Recording({ store: trace.store, clock, tell });
  const header: StdioHeader = {
    ...trace.base,
    transport: 'stdio',
    command: maskSecrets(options.command),
    cwd: options.cwd ?? workingDirectory(),
    env: Object.keys(options.env).sort(),
  };
  recording.begin(header, pid);
  return { trace, recording, stopKeeping: trace.keepWithinLimit() };
}

/** Nothing where it has been deleted. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
