import { expect, test } from 'vitest';
import type { Host, Launch } from './host.ts';
import { hosts } from './hosts.ts';
import { inOrder, readServers } from './read-servers.ts';

const hostOf = (id: string): Host => hosts.find((host) => host.id === id) as Host;

/** The servers that a file of this host says; which of its files, by a part of its path. */
function read(id: string, document: unknown, part = '', folders = ['/w']): ReturnType<typeof readServers> {
  const host = hostOf(id);
  const file = host.files.find(({ path }) => path.includes(part));
  if (!file) throw new Error(`${id} has no file like ${part}`);
  return readServers(
    { host, file, path: '/file', folder: file.scope === 'project' ? '/w' : undefined, document },
    folders,
  );
}

const launches = (id: string, document: unknown, part?: string): Record<string, Launch> => {
  const servers = read(id, document, part);
  if (typeof servers === 'string') throw new Error(servers);
  return Object.fromEntries(servers.map(({ name, launch }) => [name, launch]));
};

const npx = { kind: 'stdio', command: 'npx', args: ['pkg'], env: { K: 'v' } };
const http = { kind: 'http', url: 'https://h/mcp', headers: { A: 'b' }, headerVariables: {} };
const entry = { command: 'npx', args: ['pkg'], env: { K: 'v' } };
const remote = { url: 'https://h/mcp', headers: { A: 'b' } };

test.each([
  'claude-desktop',
  'claude-code',
  'cursor',
  'copilot',
  'windsurf',
  'windsurf-next',
  'cline',
  'roo',
  'gemini',
  'antigravity',
  'kiro',
  'lmstudio',
  'amazon-q',
  'trae',
  'factory',
  'kimi',
  'qoder',
  'shared',
])('the common shape: %s', (id) => {
  const document = { other: 1, mcpServers: { files: entry, api: { type: 'streamableHttp', ...remote } } };
  expect(launches(id, document)).toEqual({ files: npx, api: http });
});

test.each<[string, string, unknown, Record<string, unknown>]>([
  [
    'vscode',
    '.vscode/mcp.json',
    { inputs: [], servers: { f: { type: 'stdio', ...entry, envFile: '.env' } } },
    { f: { ...npx, envFile: '.env' } },
  ],
  [
    'vscode',
    '<apps>/Code/User/mcp.json',
    { servers: { a: { type: 'sse', ...remote } } },
    { a: { ...http, kind: 'sse' } },
  ],
  ['vscode', 'settings.json', { mcp: { servers: { f: entry } }, servers: { no: entry } }, { f: npx }],
  ['vscode-insiders', 'mcp.json', { servers: { f: entry } }, { f: npx }],
  ['zed', '<config>', { context_servers: { f: { source: 'custom', ...entry }, a: remote } }, { f: npx, a: http }],
  [
    'zed',
    '<config>',
    { context_servers: { f: { command: { path: 'npx', args: ['pkg'], env: { K: 'v' } } } } },
    { f: npx },
  ],
  ['codex', '.toml', { mcp_servers: { f: { ...entry, cwd: '/x' } } }, { f: { ...npx, cwd: '/x' } }],
  [
    'codex',
    '.toml',
    {
      mcp_servers: {
        a: { url: 'https://h/mcp', http_headers: { A: 'b' }, bearer_token_env_var: 'T', env_http_headers: { B: 'V' } },
      },
    },
    {
      a: {
        ...http,
        headerVariables: { Authorization: { before: 'Bearer ', variable: 'T' }, B: { before: '', variable: 'V' } },
      },
    },
  ],
  [
    'gemini',
    'settings.json',
    { mcpServers: { a: { httpUrl: 'https://h/mcp', url: 'https://no', headers: { A: 'b' } } } },
    { a: http },
  ],
  ['windsurf', 'windsurf', { mcpServers: { a: { serverUrl: 'https://h/mcp', headers: { A: 'b' } } } }, { a: http }],
  [
    'opencode',
    'opencode.json',
    {
      mcp: { f: { type: 'local', command: ['npx', 'pkg'], environment: { K: 'v' } }, a: { type: 'remote', ...remote } },
    },
    { f: npx, a: http },
  ],
  [
    'opencode',
    'opencode.json',
    { mcp: { timeout: 5, servers: { f: { type: 'local', command: ['npx', 'pkg'], environment: { K: 'v' } } } } },
    { f: npx },
  ],
  ['opencode', 'opencode.json', { mcp: { servers: { type: 'remote', ...remote } } }, { servers: http }],
  ['amp', 'amp', { 'amp.mcpServers': { f: entry } }, { f: npx }],
  ['crush', 'crush.json', { mcp: { f: { type: 'stdio', ...entry } } }, { f: npx }],
  ['vibe', '.toml', { mcp_servers: [{ name: 'f', transport: 'stdio', ...entry }] }, { f: npx }],
])('the shape of %s (%s) %#', (id, part, document, expected) => {
  expect(launches(id, document, part)).toEqual(expected);
});

test.each<[unknown, string]>([
  [{}, 'says neither a command nor a URL'],
  ['npx', 'is no object'],
  [{ command: 1 }, 'its "command" is no text'],
  [{ command: 'a', args: 'b c' }, 'its "args" are no list of texts'],
  [{ command: 'a', args: [{}] }, 'its "args" are no list of texts'],
  [{ command: 'a', env: ['K=v'] }, 'its variables of the environment are no texts by name'],
  [{ url: 5 }, 'its URL is no text'],
  [{ url: 'https://h', headers: [] }, 'its "headers" are no texts by name'],
])('an entry that is nothing to go on: %j', (entry, why) => {
  expect(launches('cursor', { mcpServers: { x: entry, ok: remote } })).toEqual({
    x: { kind: 'faulty', why },
    ok: http,
  });
});

test('numbers and booleans are read as texts, null is nothing', () => {
  const written = { command: 'a', args: [1, true], env: { A: 1, B: null } };
  expect(launches('cursor', { mcpServers: { x: written } })).toEqual({
    x: { kind: 'stdio', command: 'a', args: ['1', 'true'], env: { A: '1' } },
  });
});

test.each<[unknown, unknown]>([
  [{}, []],
  [{ mcpServers: null }, []],
  [[], 'the file holds no object'],
  [{ mcpServers: 'x' }, '"mcpServers" holds no servers by name'],
  [{ mcpServers: [{ command: 'a' }] }, '"mcpServers" holds no servers by name'],
])('a file that holds %j', (document, expected) => {
  expect(read('cursor', document)).toEqual(expected);
});

test('what is switched off is told as such', () => {
  const servers = read('cline', {
    mcpServers: { a: { ...entry, disabled: true }, b: { ...entry, enabled: false }, c: entry },
  });
  expect((servers as { isDisabled: boolean }[]).map(({ isDisabled }) => isDisabled)).toEqual([true, true, false]);
});

test('Claude Code: what is local to this project, what is the user’s; what counts more hides the other', () => {
  const document = {
    mcpServers: { a: entry, b: entry },
    projects: { '/w': { mcpServers: { a: remote } }, '/elsewhere': { mcpServers: { c: entry } }, '/w/sub': {} },
  };
  const servers = [
    ...(read('claude-code', document, '.claude.json', ['/w/sub', '/w']) as never[]),
    ...(read('claude-code', { mcpServers: { b: remote } }, '.mcp.json') as never[]),
  ];
  const told = inOrder(servers, hosts).map(({ name, scope, folder, isHidden }) => [name, scope, folder, isHidden]);
  expect(told).toEqual([
    ['a', 'local', '/w', false],
    ['b', 'project', '/w', false],
    ['a', 'user', undefined, true],
    ['b', 'user', undefined, true],
  ]);
});

test('each host has an id of its own that no name of a server can be taken for', () => {
  expect(new Set(hosts.map(({ id }) => id)).size).toBe(hosts.length);
  expect(hosts.filter(({ id }) => !/^[a-z-]+$/.test(id))).toEqual([]);
});
