// npm test: builds what the end-to-end tests run, then all tests. Words behind `--` go to vitest.
import { spawnSync } from 'node:child_process';

const node = (...words) => spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;

const built = node('scripts/build.mjs', '--if-stale');
process.exit(built === 0 ? node('node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)) : built);
