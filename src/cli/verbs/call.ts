import { WireproofError } from '../../core/wireproof-error.ts';
import { type ServerProcess, startServer } from '../../io/channels/server-process.ts';
import { leave } from '../../io/leave.ts';
import { readEnvironment } from '../environment.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';

export default async function runCall(given: Given): Promise<number> {
  let started: ServerProcess | undefined;
  try {
    // The server is started before anything else is even loaded: what it needs to start is our time too.
    started = await startBehindDashes(given);
    const { beHost } = await import('../call/be-host.ts');
    return await leave(await beHost(given, started));
  } catch (error) {
    if (!(error instanceof WireproofError)) throw error;
    tell(error.message);
    started?.endNow();
    return leave(2);
  }
}

async function startBehindDashes({ behindDashes, options }: Given): Promise<ServerProcess | undefined> {
  if (behindDashes.length === 0) return undefined;
  const env = readEnvironment(options['e'] as string[] | undefined);
  return startServer(behindDashes, { cwd: options['cwd'] as string | undefined, env });
}
