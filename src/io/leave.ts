import { giveUpDescriptor } from './channels/give-up-descriptor.ts';

/** How long a thread that hangs is waited for. Milliseconds. */
const patience = 1000;
const betweenLooks = 10;

/**
 * Ends the process, with this exit code where the system allows it. Node waits for its threads before it
 * exits, and one may hang in a disk that does not answer: then our streams are closed, so that the host sees
 * the end, and the process is replaced or killed. One that hangs in a driver outlives even that.
 */
export async function leave(code: number): Promise<never> {
  // What has just been done still counts as under way until this turn of the event loop is over.
  if (threadsAreBusy()) await new Promise(setImmediate);
  for (let waited = 0; threadsAreBusy() && waited < patience; waited += betweenLooks) await pause(betweenLooks);
  if (threadsAreBusy()) {
    for (const fd of [0, 1, 2] as const) giveUpDescriptor(fd);
    replaceProcess(code);
    process.kill(process.pid, 'SIGKILL');
  }
  process.exit(code);
}

/** Is a file operation under way? */
const threadsAreBusy = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/** A program in our place ends our threads as a signal does, and can still give the exit code. */
function replaceProcess(code: number): void {
  const { execve } = process as { execve?: (file: string, args: string[], env: object) => void };
  try {
    execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {});
  } catch {
    // This Node cannot.
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
