import { isEventStream, isSuccess } from './http-heads.ts';
import type { StreamUnit } from './unit.ts';

/** What became of a stream as a whole; nothing where it is an event stream, which tells that by what is in it. */
export function stateOfStream({ ends, response }: StreamUnit): 'ok' | 'error' | 'pending' | 'moved' | undefined {
  if (isSuccess(response) && isEventStream(response)) return undefined;
  const { status = 0 } = response ?? {};
  if (!ends.server) return 'pending';
  if (ends.server.why !== undefined || status === 0) return 'error';
  if (isSuccess(response) || status === 304 || status === 101) return 'ok';
  return status < 400 ? 'moved' : 'error';
}
