import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Machine } from '../../core/hosts/places.ts';
import { findServers } from './find-servers.ts';
import { resolveServer } from './resolve-server.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wireproof-hosts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array | object): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
  return file;
}

const machine = (env: Machine['env'] = {}): Machine => ({
  platform: 'linux',
  home: join(root, 'home'),
  env,
  folders: [join(root, 'work/sub'), join(root, 'work')],
});

test('a command, as its host would start it', async () => {
  write('work/.mcp.json', {
    mcpServers: { s: { command: '${BIN:-node}', args: ['${A}', '${B}'], env: { K: '${A}' }, cwd: 'src' } },
  });
  const { target, unset, server } = await resolveServer('s', machine({ A: 'a' }));
  expect(target).toEqual({
    kind: 'stdio',
    command: 'node',
    args: ['a', '${B}'],
    cwd: join(root, 'work/src'),
    env: { CLAUDE_PROJECT_DIR: join(root, 'work'), K: 'a' },
  });
  expect({ unset, scope: server.scope }).toEqual({ unset: ['B'], scope: 'project' });
});

test('without a cwd a project’s server starts in the project, a user’s where we are', async () => {
  write('work/sub/.cursor/mcp.json', { mcpServers: { p: { command: 'p' } } });
  write('home/.cursor/mcp.json', { mcpServers: { u: { command: 'u' } } });
  expect((await resolveServer('p', machine())).target).toMatchObject({ cwd: join(root, 'work/sub') });
  expect((await resolveServer('u', machine())).target).toMatchObject({ cwd: undefined });
});

test('an envFile is read, what the entry says itself counts more', async () => {
  write('work/.vscode/mcp.json', {
    servers: {
      s: { command: 'a', env: { B: 'own' }, envFile: '${workspaceFolder}/.env' },
      t: { command: 'a', envFile: 'no' },
    },
  });
  write('work/.env', 'A=1\nB=2\n');
  expect((await resolveServer('s', machine())).target).toMatchObject({ env: { A: '1', B: 'own' } });
  await expect(resolveServer('t', machine())).rejects.toThrow(/envFile .*no cannot be read \(ENOENT\)/);
});

test('Codex: headers from the environment', async () => {
  write(
    'home/.codex/config.toml',
    '[mcp_servers.a]\nurl = "https://h/mcp"\nbearer_token_env_var = "T"\nenv_http_headers = { X = "NOT_SET" }\n',
  );
  const { target, unset } = await resolveServer('codex:a', machine({ T: 'secret' }));
  expect(target).toEqual({ kind: 'http', url: 'https://h/mcp', headers: { Authorization: 'Bearer secret' } });
  expect(unset).toEqual(['NOT_SET']);
});

test.each<[string, object, RegExp]>([
  [
    'asks',
    { command: 'a', env: { K: '${input:key}' } },
    /^vscode:asks in .* needs \$\{input:key\}, which only VS Code/,
  ],
  ['empty', {}, /^vscode:empty in .* says neither a command nor a URL\. Give its command or URL instead\.$/],
])('what cannot be used is refused: %s', async (name, entry, message) => {
  write('work/.vscode/mcp.json', { servers: { [name]: entry } });
  await expect(resolveServer(name, machine())).rejects.toThrow(message);
});

test('an unknown name says which files were not looked into', async () => {
  const broken = write('home/.cursor/mcp.json', '{');
  await expect(resolveServer('x', machine())).rejects.toThrow(`(Broken, and not looked into: ${broken})`);
});

test('files that are no text, no file, or empty', async () => {
  write('home/.cursor/mcp.json', new Uint8Array([0xff, 0xfe, 0x7b, 0]));
  write('home/.kiro/settings/mcp.json', new Uint8Array([0x7b, 0xff, 0x7d]));
  write('home/.qoder/mcp.json', '\n');
  mkdirSync(join(root, 'home/.kimi/mcp.json'), { recursive: true });
  const { files } = await findServers(machine());
  expect(files.map((file) => [file.host, file.state === 'broken' ? file.fault : file.state])).toEqual([
    ['cursor', { what: 'it is UTF-16, and should be UTF-8' }],
    ['kiro', { what: 'it is not UTF-8' }],
    ['qoder', 'read'],
  ]);
});

test('where the working directory is the home folder, a file is read once', async () => {
  write('home/.cursor/mcp.json', { mcpServers: { u: { command: 'u' } } });
  const home = join(root, 'home');
  const { servers } = await findServers({ ...machine(), home, folders: [home] });
  expect(servers.map(({ scope, isHidden }) => [scope, isHidden])).toEqual([['user', false]]);
});
