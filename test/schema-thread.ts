import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Builds the thread that checks values out of the sources as they are, and says where it is. */
export async function buildSchemaThread(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'wireproof-thread-')), 'schema-thread.cjs');
  const build = await rolldown({ input: 'src/io/schema-worker/schema-thread.ts', platform: 'node', logLevel: 'warn' });
  await build.write({ file, format: 'cjs', codeSplitting: false });
  await build.close();
  return file;
}
