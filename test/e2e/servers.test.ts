import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Host, test, wireproof } from './support/host.ts';

const files = {
  cursor: 'user/.cursor/mcp.json',
  claudeCode: 'user/.claude.json',
  desktop: 'user/.config/Claude/claude_desktop_config.json',
  project: 'project/.mcp.json',
  vscode: 'project/.vscode/mcp.json',
  codex: 'user/.codex/config.toml',
  goose: 'user/.config/goose/config.yaml',
};

function write(host: Host, path: string, content: unknown): string {
  const file = host.path(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

async function servers(host: Host, ...words: string[]): Promise<{ code: number | null; out: string; said: string }> {
  const cwd = host.path('project');
  mkdirSync(cwd, { recursive: true });
  const home = host.path('user');
  const started = host.start([process.execPath, wireproof, 'servers', ...words], {
    cwd,
    env: {
      HOME: home,
      USERPROFILE: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      APPDATA: join(home, 'AppData'),
      CLAUDE_CONFIG_DIR: '',
      CODEX_HOME: '',
      COPILOT_HOME: '',
      OPENCODE_CONFIG: '',
      OPENCODE_CONFIG_DIR: '',
      TOKEN_OF_TEST: 'from-the-environment',
    },
  });
  const { code } = await started.ended;
  return { code, out: started.stdout.text, said: started.stderr.text };
}

const rowsIn = (out: string): string[][] =>
  out
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split(/ {2,}/));

describe.skipIf(process.platform === 'win32')('servers', () => {
  test('says where nothing is configured', async ({ host }) => {
    const { code, out, said } = await servers(host);
    expect({ code, said }).toEqual({ code: 0, said: '' });
    expect(out).toMatch(/^No MCP servers are configured/);
    expect(JSON.parse((await servers(host, '--json')).out)).toEqual({ servers: [], files: [] });
  });

  test('lists what the hosts have, whatever form it is in', async ({ host }) => {
    write(host, files.cursor, { mcpServers: { api: { url: 'https://host.example/mcp?token=abc' } } });
    write(host, files.codex, '[mcp_servers."files"]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "pkg",\n]\n');
    write(host, files.vscode, '\ufeff{ // mine\n  "servers": { "x": { "type": "stdio", "command": "node", }, }, }');
    const { code, out, said } = await servers(host);
    expect({ code, said }).toEqual({ code: 0, said: '' });
    expect(rowsIn(out)).toEqual([
      ['cursor', 'api', 'https://host.example/mcp?token=<secret>', '~/.cursor/mcp.json'],
      ['vscode', 'x', 'node', expect.stringMatching(/\.vscode\/mcp\.json$/)],
      ['codex', 'files', 'npx -y pkg', '~/.codex/config.toml'],
    ]);
  });

  test('a secret is nowhere in it, nor anything that a terminal obeys', async ({ host }) => {
    const env = { API_KEY: 'hidden-1', PLAIN: 'hidden-2' };
    const headers = { Authorization: 'Bearer hidden-3', 'X-Any': 'hidden-4', 'X-Ref': 'Bearer ${TOKEN_OF_TEST}' };
    write(host, files.cursor, {
      mcpServers: {
        'bad\u001b[31m\u202e': { command: 'run', args: ['--token', 'hidden-5', '${API_KEY:-hidden-6}'], env },
        api: { url: 'https://u:hidden-7@host.example/', headers },
      },
    });
    for (const words of [[], ['--json'], ['api'], ['cursor:api', '--json'], ['bad\u001b[31m\u202e']]) {
      const { code, out, said } = await servers(host, ...words);
      expect({ words, code, said }).toEqual({ words, code: 0, said: '' });
      expect(out).not.toMatch(/hidden|from-the-environment/);
      // oxlint-disable-next-line no-control-regex -- none of them may come out
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    }
    const { servers: told } = JSON.parse((await servers(host, '--json')).out);
    expect(told[0]).toMatchObject({ env: ['API_KEY', 'PLAIN'], args: ['--token', '<secret>', '${API_KEY:-<secret>}'] });
    expect(told[1]).toMatchObject({
      url: 'https://<secret>@host.example/',
      headers: { Authorization: '<secret>', 'X-Any': '<secret>', 'X-Ref': 'Bearer ${TOKEN_OF_TEST}' },
    });
  });

  test('a broken file is told with its place and hides nothing', async ({ host }) => {
    write(host, files.cursor, { mcpServers: { ok: { command: 'ok' } } });
    const broken = write(host, files.desktop, '{\n  "mcpServers": {\n    "a": { "command": "b" }\n    "c": {}\n');
    const yaml = write(host, files.goose, 'extensions: {}\n');
    const { code, out } = await servers(host);
    expect(code).toBe(1);
    expect(out).toContain('ok');
    expect(out).toContain(`Broken: ${broken} (claude-desktop), line 4, column 5: expected "," or "}"`);
    expect(out).toContain(`Found, not readable yet: ${yaml} (goose), YAML`);
    expect(JSON.parse((await servers(host, '--json')).out).files).toEqual([
      {
        host: 'claude-desktop',
        scope: 'user',
        path: broken,
        state: 'broken',
        fault: { what: 'expected "," or "}"', line: 4, column: 5 },
      },
      { host: 'cursor', scope: 'user', path: host.path(files.cursor), state: 'read' },
      { host: 'goose', scope: 'user', path: yaml, state: 'not readable yet', why: 'YAML' },
    ]);
  });

  test('one name: each host that has it, with all there is to know; an unknown one is told with those known', async ({
    host,
  }) => {
    write(host, files.cursor, { mcpServers: { files: { command: 'a', args: ['x y'], env: { K: 'v' }, cwd: '/c' } } });
    write(host, files.project, { mcpServers: { files: { command: 'b' } } });
    write(host, files.claudeCode, { mcpServers: { files: { command: 'c' } } });
    const { code, out } = await servers(host, 'files');
    expect(code).toBe(0);
    expect(out).toMatch(/claude-code:files\n(?: .*\n)* {2}command +b\n/);
    expect(out).toMatch(/cursor:files\n(?: .*\n)* {2}command +a "x y"\n(?: .*\n)* {2}environment +K\n/);
    expect(rowsIn((await servers(host)).out)).toEqual([
      ['claude-code', 'files', 'b', expect.stringMatching(/\.mcp\.json$/)],
      ['claude-code', 'files', 'c', '~/.claude.json', 'hidden'],
      ['cursor', 'files', 'a "x y"', '~/.cursor/mcp.json'],
    ]);
    expect((await servers(host, 'cursor:files')).out).not.toContain('claude-code');

    const unknown = await servers(host, 'fils');
    expect({ code: unknown.code, out: unknown.out }).toEqual({ code: 2, out: '' });
    expect(unknown.said).toMatch(
      /^wireproof: No host has a server "fils"\. Known: claude-code:files, cursor:files\.\n$/,
    );
  });

  test('--quiet prints the names alone, --verbose all of each; what is broken is said', async ({ host }) => {
    write(host, files.cursor, { mcpServers: { one: { command: 'node', args: ['one.js'] }, two: { command: 'two' } } });
    write(host, files.project, '{');
    const quiet = await servers(host, '--quiet');
    expect(quiet).toMatchObject({
      code: 1,
      out: 'cursor:one\ncursor:two\n',
      said: expect.stringMatching(/^wireproof: Broken: /),
    });
    const { out } = await servers(host, '--verbose');
    expect(out).toMatch(/cursor:one\n.*\n +command +node one\.js\n\ncursor:two\n/);
    expect(out).toContain('Broken: ');
    expect((await servers(host, 'one')).out).not.toContain('Broken: ');
  });
});
