import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What a room may import: other rooms, packages, and whether Node's own modules. */
interface Door {
  rooms: readonly string[];
  packages: readonly string[];
  node: boolean;
}

const core = ['core', 'core/protocol', 'core/wire', 'core/trace', 'core/peer', 'core/hosts'];

/** The doors. A room without a row does not exist. Imports within a room are always allowed. */
const doors: Readonly<Record<string, Door>> = {
  core: { rooms: [], packages: [], node: false },
  'core/protocol': { rooms: ['core'], packages: [], node: false },
  'core/wire': { rooms: ['core', 'core/protocol'], packages: [], node: false },
  'core/peer': { rooms: ['core', 'core/protocol', 'core/wire'], packages: [], node: false },
  'core/hosts': { rooms: ['core', 'core/protocol', 'core/wire'], packages: [], node: false },
  'core/trace': { rooms: ['core', 'core/protocol', 'core/wire'], packages: ['json-p3', 're2js'], node: false },
  io: { rooms: core, packages: ['@cfworker/json-schema', 'cross-spawn'], node: true },
  commands: { rooms: [...core, 'io'], packages: ['oauth4webapi'], node: true },
  cli: { rooms: [...core, 'io', 'commands'], packages: ['commander'], node: true },
  library: { rooms: [...core, 'io', 'commands'], packages: [], node: false },
};

/** What the core may not even name: it has no clock and no chance. */
const impure = [/\bDate\.now\b/, /\bnew Date\(\)/, /\bMath\.random\b/, /\bperformance\.now\b/];

const files = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));

/** `core/trace/format.ts` is in `core/trace`, `io/channels/sink.ts` in `io`, `index.ts` in `library`. */
function roomOf(file: string): string {
  const [first, second, third] = file.split('/');
  if (second === undefined) return 'library';
  return first === 'core' && third !== undefined ? `core/${second}` : (first as string);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  const found = text.matchAll(/(?:(?<=[\s}])from\s+|\bimport\s+|\bimport\()'([^']+)'/g);
  return [...found].map((match) => match[1] as string);
}

/** Why an import may not be, or nothing. */
function complaint(file: string, imported: string): string | undefined {
  const room = roomOf(file);
  const door = doors[room];
  if (!door) return `${file}: the room "${room}" has no row in the table of doors`;
  if (imported.startsWith('.')) {
    const target = relative('.', join(dirname(file), imported))
      .split(sep)
      .join('/');
    if (target === '../package.json') return room === 'cli' ? undefined : `${file} imports package.json`;
    const other = roomOf(target);
    return other === room || door.rooms.includes(other) ? undefined : `${file} (${room}) imports ${target} (${other})`;
  }
  const isNode = imported.startsWith('node:') || builtinModules.includes(imported);
  if (isNode) return door.node ? undefined : `${file} (${room}) imports Node's ${imported}`;
  const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/');
  return door.packages.includes(name) ? undefined : `${file} (${room}) imports the package ${name}`;
}

test('imports go through the doors', () => {
  expect(files.length).toBeGreaterThan(20);
  const complaints = files.flatMap((file) => importsOf(file).map((imported) => complaint(file, imported)));
  expect(complaints.filter((found) => found !== undefined)).toEqual([]);
});

test('every room in the table has something in it', () => {
  expect(Object.keys(doors).filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
});

test.each(files.filter((file) => file.startsWith('core/')))('%s has no clock and no chance', (file) => {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  expect(impure.filter((pattern) => pattern.test(text))).toEqual([]);
});

describe('the doors themselves hold', () => {
  test.each([
    ['core/wire/line-framer.ts', '../trace/format.ts'],
    ['core/trace/format.ts', '../../io/clock.ts'],
    ['core/trace/format.ts', '../peer/shutdown.ts'],
    ['core/protocol/id.ts', 'node:fs'],
    ['core/protocol/id.ts', 'fs'],
    ['io/tee.ts', '../cli/tell.ts'],
    ['io/tee.ts', 'commander'],
    ['cli/run.ts', '@modelcontextprotocol/sdk/client/index.js'],
    ['nowhere/file.ts', './other.ts'],
  ])('%s may not import %s', (file, imported) => {
    expect(complaint(file, imported)).toBeDefined();
  });
});
