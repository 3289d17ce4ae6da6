import { writeUtf8 } from '../core/wire/utf8.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { type ServerExit, type ServerProcess, startServer } from '../io/channels/server-process.ts';
import { startClock } from '../io/clock.ts';
import type { StdioConnection } from '../io/stdio-connection.ts';
import type { StdioRecordingOptions } from '../io/stdio-recording.ts';

export interface TapOptions extends StdioRecordingOptions {
  /** Milliseconds. */
  grace: number;
  /** Milliseconds. */
  drain: number;
}

/** How `tap` reaches the one who started it. */
export interface TapCaller {
  /** Says something that the user must know, while nothing else writes to stderr. */
  tell(text: string): void;
  /** The same as lines to be written, marked as ours. */
  ownLines(text: string): string;
  /** Calls back when wireproof is told to stop, by a signal. */
  onStop(stop: (why: string) => void): void;
}

export interface TapResult {
  exit: ServerExit;
}

/** How long the last records are waited for when the connection is over. Milliseconds. */
const storePatience = 2000;
/** How long a host is waited for that does not read what it is told at the end. Milliseconds. */
const hostPatience = 500;

/**
 * Stands between a host on our standard streams and a server that it starts: every byte passes, and is recorded.
 *
 * @throws WireproofError `server-not-started`
 */
export async function tap(options: TapOptions, caller: TapCaller): Promise<TapResult> {
  // The server is started before anything else is even loaded: what it needs to start is our time too.
  const server = await startServer(options.command, options);
  const clock = startClock();
  let connection: StdioConnection | undefined;
  const stopsBefore: string[] = [];
  caller.onStop((why) => (connection ? connection.stop(why) : stopsBefore.push(why)));
  const tell = (text: string): void =>
    connection ? connection.tell(writeUtf8(caller.ownLines(text))) : caller.tell(text);
  const { beginStdioRecording, StdioConnection: Connection } = await import('./tap-parts.ts');
  const { recording, stopKeeping } = beginStdioRecording(options, { clock, pid: server.child.pid, tell });
  if (server.child.pid === undefined) return notStarted(server, recording.close.bind(recording));

  connection = new Connection({ server, recording, clock, times: options });
  const running = connection.run();
  for (const why of stopsBefore) connection.stop(why);
  const { why, code, signal } = await running;
  stopKeeping();
  const isComplete = await recording.close(
    {
      ...(code === null ? {} : { exit: code }),
      ...(signal === null ? {} : { signal }),
      ...(why === undefined ? {} : { why }),
    },
    storePatience,
  );
  if (!isComplete) await connection.hasTold(hostPatience);
  return { exit: { code, signal } };
}

async function notStarted(
  server: ServerProcess,
  close: (closed: { error: string }, patience: number) => Promise<boolean>,
): Promise<never> {
  const error: unknown = await server.exited.catch((reason: unknown) => reason);
  await close({ error: error instanceof WireproofError ? error.message : String(error) }, storePatience);
  throw error;
}
