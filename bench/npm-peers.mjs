// Brings what others publish on npm, at exact versions, so that it can be measured beside wireproof.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const cache = path.resolve('node_modules/.cache');
const firstLine = ({ error, stderr }) => error?.message ?? stderr.trim().split('\n')[0];

/** A folder of its own for the peers of one bench. */
export class NpmPeers {
  constructor(name) {
    this.folder = path.join(cache, name);
  }

  file(name) {
    return path.join(this.folder, 'node_modules', name);
  }

  /** @returns why it could not be */
  install(name, version, say) {
    const manifest = this.file(`${name}/package.json`);
    if (fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version) return undefined;
    say(`installing ${name} ${version}`);
    fs.mkdirSync(this.folder, { recursive: true });
    const words = ['install', '--prefix', this.folder, '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
    const done = spawnSync('npm', [...words, `${name}@${version}`], { encoding: 'utf8' });
    return done.status === 0 ? undefined : firstLine(done);
  }
}

/**
 * Another Node.js, as `npm run test:versions` has it: the npm package `node` brings it.
 *
 * @returns its path and version, or why there is none
 */
export function bringNode(major, say) {
  const folder = path.join(cache, 'node-versions', major);
  const node = path.join(folder, 'node_modules/node/bin/node');
  if (!fs.existsSync(node)) {
    say(`installing Node.js ${major}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    const words = ['install', '--no-audit', '--no-fund', '--no-save', `node@${major}`];
    const done = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) return { why: firstLine(done) };
  }
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 ? { node, version: asked.stdout.trim() } : { why: firstLine(asked) };
}
