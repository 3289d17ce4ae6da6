import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the installed package: the first one above this code that has a package.json. */
function packageFolder(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const root = packageFolder();

/** What `wireproof` on the command line runs. */
export const programFile = join(root, 'dist', 'wireproof.cjs');
export const examplesFolder = join(root, 'examples');
