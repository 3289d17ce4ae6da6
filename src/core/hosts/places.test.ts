import { describe, expect, test } from 'vitest';
import type { Platform } from './host.ts';
import { hosts } from './hosts.ts';
import { type Machine, placesOf } from './places.ts';

const machine = (platform: Platform, env: Machine['env'] = {}): Machine => ({
  ...(platform === 'win32'
    ? { home: 'C:\\Users\\me', folders: ['C:\\w'] }
    : { home: '/home/me', folders: ['/w/sub', '/w'] }),
  platform,
  env,
});

const paths = (id: string, on: Machine): string[] =>
  placesOf(hosts, on)
    .filter(({ host }) => host.id === id)
    .flatMap(({ candidates }) => candidates.map(({ path }) => path));

describe('files', () => {
  test.each<[string, Machine, string[]]>([
    [
      'claude-desktop',
      machine('linux'),
      ['/home/me/.config/Claude/claude_desktop_config.json', '/home/me/.config/claude/claude_desktop_config.json'],
    ],
    ['claude-desktop', machine('darwin'), ['/home/me/Library/Application Support/Claude/claude_desktop_config.json']],
    ['claude-desktop', machine('win32'), ['C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json']],
    ['claude-desktop', machine('win32', { APPDATA: 'D:\\R' }), ['D:\\R\\Claude\\claude_desktop_config.json']],
    ['claude-code', machine('linux'), ['/w/sub/.mcp.json', '/w/.mcp.json', '/home/me/.claude.json']],
    [
      'claude-code',
      machine('darwin', { CLAUDE_CONFIG_DIR: '/c' }),
      ['/w/sub/.mcp.json', '/w/.mcp.json', '/c/.claude.json'],
    ],
    ['cursor', machine('win32'), ['C:\\w\\.cursor\\mcp.json', 'C:\\Users\\me\\.cursor\\mcp.json']],
    [
      'vscode-insiders',
      machine('linux', { XDG_CONFIG_HOME: '/x' }),
      ['/x/Code - Insiders/User/mcp.json', '/x/Code - Insiders/User/settings.json'],
    ],
    ['copilot', machine('linux'), ['/home/me/.copilot/mcp-config.json']],
    ['copilot', machine('linux', { COPILOT_HOME: '/c' }), ['/c/mcp-config.json']],
    ['codex', machine('linux'), ['/w/sub/.codex/config.toml', '/w/.codex/config.toml', '/home/me/.codex/config.toml']],
    [
      'amp',
      machine('win32'),
      ['C:\\Users\\me\\AppData\\Roaming\\amp\\settings.json', 'C:\\Users\\me\\.config\\amp\\settings.json'],
    ],
    ['goose', machine('darwin'), ['/home/me/.config/goose/config.yaml']],
  ])('of %s %#', (id, on, expected) => {
    expect(paths(id, on)).toEqual(expected);
  });

  test('a file that a variable names is looked for only where that is set', () => {
    const named = (env: Machine['env']): string[] =>
      paths('opencode', machine('linux', env)).filter((path) => !/^\/(?:w|home)\//.test(path));
    expect(named({})).toEqual([]);
    expect(named({ OPENCODE_CONFIG: '/o.json', OPENCODE_CONFIG_DIR: '/d' })).toEqual([
      '/d/opencode.jsonc',
      '/d/opencode.json',
      '/o.json',
    ]);
  });
});
