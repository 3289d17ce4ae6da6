import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shell = process.platform === 'win32';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wireproof-package-'));
  // The build is what the other tests run: it is packed as it stands.
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    shell,
    stdio: 'ignore',
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, join(folder, tarball)];
  execFileSync('npm', install, { cwd: folder, shell, stdio: 'ignore' });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package runs from its tarball in an empty folder: demo finds its examples', () => {
  const { status, stdout } = spawnSync('npx', ['--no-install', 'wireproof', 'demo', '--json'], {
    cwd: folder,
    encoding: 'utf8',
    shell,
    env: { ...process.env, WIREPROOF_HOME: join(folder, 'home') },
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, isComplete: true });
});

test('it depends on nothing, and carries its documents', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['wireproof']);
  const files = readdirSync(join(folder, 'node_modules', 'wireproof'), { recursive: true }) as string[];
  expect(files).toEqual(
    expect.arrayContaining([
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      join('docs', 'trace-format.md'),
      join('dist', 'THIRD_PARTY_NOTICES'),
    ]),
  );
});

test('the library can be imported', () => {
  const script = "import('wireproof').then((m) => console.log(typeof m.TraceReader, typeof m.Recorder))";
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('function function\n');
});
