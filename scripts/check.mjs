// npm run check: the whole gate. Stops at the first step that fails.
import { spawnSync } from 'node:child_process';

const steps = [
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  [
    'types of the core, without Node and without a browser',
    'node_modules/typescript/bin/tsc',
    '-p',
    'src/core/tsconfig.json',
  ],
  ['lint', 'node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check', '.'],
  ['dead code', 'node_modules/knip/bin/knip.js'],
  ['tests', 'scripts/test.mjs'],
];

for (const [name, ...words] of steps) {
  process.stdout.write(`\n— ${name}\n`);
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`\ncheck: ${name} failed\n`);
    process.exit(1);
  }
}
