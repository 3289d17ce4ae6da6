import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the library, or above the chunks of the program; from the sources, where it is built. */
const places = import.meta.url.endsWith('.ts')
  ? ['../../../dist/schema-thread.cjs']
  : ['./schema-thread.cjs', '../schema-thread.cjs'];

/** The built file that a thread runs; nothing where it is gone. */
export function threadFile(): string | undefined {
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
}
