// Keychains of the tests' own: a real secret service where this machine has one, and one in a file everywhere.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wireproof } from './host.ts';
import type { HttpHost } from './http-host.ts';
import { until } from './until.ts';

/** Which wireproof to run, and in which environment: it uses the keychain then. */
export type WithKeychain = Record<string, string>;

export interface TestKeychain {
  name: string;
  isHere: boolean;
  open: (host: HttpHost) => Promise<WithKeychain>;
  /** Another keychain, that has nothing in it. */
  emptied: (host: HttpHost) => Promise<WithKeychain>;
}

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

const isInstalled = (): boolean => {
  try {
    createRequire(import.meta.url)('@napi-rs/keyring');
    return true;
  } catch {
    return false;
  }
};

/** The package itself can be asked here, and asks a secret service. */
export const hasPackage = process.platform === 'linux' && isInstalled();

/** A wireproof as npm installs it, with another package where `@napi-rs/keyring` would stand. */
function installedWith(host: HttpHost, module: string): string {
  const modules = host.path('node_modules');
  const [own, other] = [join(modules, 'wireproof'), join(modules, '@napi-rs', 'keyring')];
  const dist = dirname(wireproof);
  cpSync(dist, join(own, 'dist'), { recursive: true, filter: (path) => path !== join(dist, 'types') });
  cpSync(join(dist, '..', 'package.json'), join(own, 'package.json'));
  mkdirSync(other, { recursive: true });
  cpSync(fileURLToPath(new URL(`../../keychains/${module}`, import.meta.url)), join(other, 'index.js'));
  writeFileSync(join(other, 'package.json'), '{"name":"@napi-rs/keyring","type":"commonjs"}');
  return join(own, 'dist', 'wireproof.cjs');
}

let opened = 0;

/** A bus, and gnome-keyring on it, with a keychain that is unlocked. */
async function secretService(host: HttpHost): Promise<WithKeychain> {
  const home = host.path(`desktop-${++opened}`);
  mkdirSync(home, { mode: 0o700 });
  const env = { HOME: home, XDG_RUNTIME_DIR: home, XDG_DATA_HOME: home };
  const bus = host.start(['dbus-daemon', '--session', '--nofork', '--print-address=1'], { env });
  const onBus = { ...env, DBUS_SESSION_BUS_ADDRESS: await bus.line(1) };
  const words = ['--unlock', '--foreground', '--components=secrets'];
  const daemon = host.start(['gnome-keyring-daemon', ...words], { env: onBus });
  daemon.send('password');
  daemon.endInput();
  const hasOwner = ['--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner'];
  await until('the secret service is there', async () => {
    const asked = host.start(['dbus-send', '--session', ...hasOwner, 'string:org.freedesktop.secrets'], { env: onBus });
    await asked.ended;
    return asked.stdout.text.includes('boolean true');
  });
  return { ...onBus, WIREPROOF_KEYCHAIN: 'on' };
}

const inFile = (host: HttpHost): Promise<WithKeychain> =>
  Promise.resolve({
    program: installedWith(host, 'file-keyring.cjs'),
    TEST_KEYCHAIN: host.path(`keychain-${++opened}.json`),
    WIREPROOF_KEYCHAIN: 'on',
  });

export const keychains: TestKeychain[] = [
  {
    name: 'gnome-keyring',
    isHere: hasPackage && has('gnome-keyring-daemon') && has('dbus-daemon'),
    open: secretService,
    emptied: secretService,
  },
  { name: 'a package that keeps a file', isHere: true, open: inFile, emptied: inFile },
];
