import { fstatSync, promises, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Copied, RedactedTrace } from '../core/trace/redaction/redacted-trace.ts';
import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { isRunning } from '../io/process-alive.ts';
import { readTrace } from '../io/stores/read-trace.ts';
import { openRedaction } from './open-redaction.ts';

export interface ExportResult extends Copied {
  /** The recording still goes on. */
  isRunning: boolean;
  /** The reader of the output has left before the end. */
  readerLeft: boolean;
}

/**
 * Writes a copy of a recording in which secrets are replaced: a trace like any other.
 *
 * @param output A stream, which stays open, or the path of a file, which must not be there yet.
 * @throws WireproofError `trace-unreadable`, `output-unusable`, `bad-usage`
 */
export async function exportTrace(
  path: string,
  rules: RedactionRules,
  output: Writable | string,
  env: NodeJS.ProcessEnv,
): Promise<ExportResult> {
  const copy = new RedactedTrace(await openRedaction(rules, env));
  let runs = false;
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const items of readTrace(path)) {
      for (const item of items) {
        if ('header' in item) runs = isRunning(item.header);
        yield* copy.feed(item);
      }
    }
    yield* copy.end();
  };
  const readerLeft = await (typeof output === 'string' ? toFile(bytes(), output) : toStream(bytes(), output, path));
  const { copied } = copy;
  return { ...copied, isRunning: runs && !copied.isClosed, readerLeft };
}

async function toStream(bytes: AsyncGenerator<Uint8Array>, output: Writable, path: string): Promise<boolean> {
  refuseItself(output, path);
  try {
    await pipeline(bytes, output, { end: false });
    return false;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EPIPE') return true;
    throw unusable(cause);
  }
}

/** A file that cannot be written whole does not stay. */
async function toFile(bytes: AsyncGenerator<Uint8Array>, output: string): Promise<false> {
  const file = await openNew(output);
  try {
    await pipeline(bytes, file.createWriteStream());
    return false;
  } catch (cause) {
    await promises.unlink(output).catch(() => undefined);
    throw unusable(cause);
  }
}

async function openNew(output: string): Promise<promises.FileHandle> {
  try {
    return await promises.open(output, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(cause);
    throw new WireproofError('bad-usage', `"${output}" exists, and is kept. Name another file.`, { cause });
  }
}

/** What is written would be read again, and so on for ever. */
function refuseItself(output: Writable, path: string): void {
  const { fd } = output as Writable & { fd?: number };
  const [one, other] = [typeof fd === 'number' ? statOf(() => fstatSync(fd)) : undefined, statOf(() => statSync(path))];
  if (!one?.isFile() || one.ino !== other?.ino || one.dev !== other.dev) return;
  throw new WireproofError('bad-usage', 'The output is the recording itself. Write to another file.');
}

function statOf<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

function unusable(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof WireproofError || !('code' in cause)) return cause;
  return new WireproofError('output-unusable', `Could not write the copy: ${cause.message}`, { cause });
}
