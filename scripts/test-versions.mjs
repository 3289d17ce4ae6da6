// npm run test:versions [20 22 …]: all tests on each supported Node.js, which the npm package `node` brings.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const failed = [];

for (const version of wanted) {
  const folder = join(root, 'node_modules', '.cache', 'node-versions', version);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--no-audit', '--no-fund', '--no-save', `node@${version}`];
  const installed = spawnSync('npm', install, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  const bin = join(folder, 'node_modules', 'node', 'bin');
  const node = join(bin, 'node');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' });
  process.stdout.write(`\n— Node.js ${asked.stdout?.trim() || `${version} could not be had`}\n`);
  const run = spawnSync(node, [join(root, 'scripts/test.mjs')], { cwd: root, env, stdio: 'inherit' });
  if (installed.status !== 0 || run.status !== 0) failed.push(version);
}

process.stdout.write(failed.length > 0 ? `\nfailed on ${failed.join(', ')}\n` : `\npassed on ${wanted.join(', ')}\n`);
process.exit(failed.length > 0 ? 1 : 0);
