import { promises } from 'node:fs';
import { redactedNote } from '../core/trace/format.ts';
import { readUnprovenRecord } from '../core/trace/read-record.ts';
import { TraceReader } from '../core/trace/trace-reader.ts';
import { type Verification, Verifier } from '../core/trace/verify.ts';
import { isRunning } from '../io/process-alive.ts';
import { sha256 } from '../io/sha256.ts';
import { readTrace } from '../io/stores/read-trace.ts';

export interface VerifyResult extends Verification {
  path: string;
  /** `complete`: closed, and everything is proven. `running`: so far. `cut off`: nothing is wrong but that it has no end. */
  state: 'complete' | 'running' | 'cut off' | 'incomplete';
  /** Bodies on HTTP that stand in it with something replaced: proven is what it gives back, not what passed. */
  redactedBodies: number;
  /** It is a redacted copy: its sums were made when it was, over what it gives back. */
  isCopy: boolean;
}

/**
 * Holds a recording against the sums that were taken as its bytes passed.
 *
 * @throws WireproofError `trace-unreadable`
 */
export async function verify(path: string): Promise<VerifyResult> {
  // Sums that agree prove all that they cover; to say what is wrong, or what they do not cover, takes a closer look.
  // What is no regular file can be read only once.
  const quick = (await isRegularFile(path)) ? await prove(path, new TraceReader(readUnprovenRecord)) : undefined;
  const found = quick?.closed && quick.gaps.length === 0 ? quick : await prove(path, new TraceReader());
  return { path, state: stateOf(found), ...found };
}

async function isRegularFile(path: string): Promise<boolean> {
  const found = await promises.stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

async function prove(
  path: string,
  reader: TraceReader,
): Promise<Verification & Pick<VerifyResult, 'redactedBodies' | 'isCopy'>> {
  const verifier = new Verifier(sha256);
  let runs = false;
  let redactedBodies = 0;
  let isCopy = false;
  for await (const items of readTrace(path, reader)) {
    for (const item of items) {
      // Asked before the end is read: one that ends in between would else be neither running nor closed.
      if ('header' in item) runs = isRunning(item.header);
      if ('event' in item && item.event.kind === 'streamEnded' && item.event.end.passed) redactedBodies++;
      if ('event' in item && item.event.kind === 'note' && item.event.note === redactedNote) isCopy = true;
      verifier.feed(item);
    }
  }
  return { ...verifier.end(runs), redactedBodies, isCopy };
}

function stateOf({ gaps, isRunning: runs, closed }: Verification): VerifyResult['state'] {
  if (gaps.length === 0) return runs ? 'running' : 'complete';
  return !closed && gaps.every(({ kind }) => kind === 'cut-off') ? 'cut off' : 'incomplete';
}
