import { ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { WireproofError } from '../../core/wireproof-error.ts';

/** How a server process ended. */
export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Place {
  cwd?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

/** Starts a server. Windows runs `npx` and its kind, which are command files, only through a shell; cross-spawn quotes for it. */
export async function startServer(command: readonly string[], place: Place): Promise<ServerProcess> {
  const start = process.platform === 'win32' ? (await import('cross-spawn')).default : spawn;
  return new ServerProcess(start as typeof spawn, command, place);
}

/** A stdio server: a child process in a group of its own, with three pipes. */
export class ServerProcess {
  readonly child: ChildProcess & {
    stdin: NonNullable<ChildProcess['stdin']>;
    stdout: NonNullable<ChildProcess['stdout']>;
    stderr: NonNullable<ChildProcess['stderr']>;
  };
  /** Settles when the process has ended; rejects with a `WireproofError` when it could not be started. */
  readonly exited: Promise<ServerExit>;

  constructor(start: typeof spawn, command: readonly string[], place: Place) {
    const [program = '', ...args] = command;
    const options: SpawnOptions = {
      ...place,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    };
    let refusal: unknown;
    try {
      this.child = start(program, args, options) as ServerProcess['child'];
    } catch (error) {
      // Some refusals are thrown, others told later; a child that never started stands for both.
      refusal = error;
      this.child = new ChildProcess() as ServerProcess['child'];
    }
    this.exited = new Promise((resolve, reject) => {
      const failed = (cause: NodeJS.ErrnoException): void => {
        if (this.child.pid !== undefined) return;
        void import('./why-not-started.ts').then(({ whyNotStarted }) => {
          const why = whyNotStarted(program, cause, place.cwd, place.env ?? process.env);
          reject(new WireproofError('server-not-started', why, { cause }));
        });
      };
      this.child.once('exit', (code, signal) => resolve({ code, signal }));
      this.child.once('error', failed);
      if (refusal !== undefined) failed(refusal as NodeJS.ErrnoException);
    });
    // Whoever asks later is still told.
    this.exited.catch(() => undefined);
  }

  /** Ends it at once, where nobody has come to speak with it: it has nothing to finish. */
  endNow(): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (process.platform === 'win32') this.child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
