import type { Expansion } from './expand.ts';
import type { Host, HostFile, Platform } from './host.ts';

const none: Expansion = { forms: [], unset: 'kept' };
const braces: Expansion = { forms: ['braces'], unset: 'kept' };
const shellLike: Expansion = { forms: ['braces', 'default', 'dollar'], unset: 'kept' };
const envOnly: Expansion = { forms: ['env'], unset: 'empty' };
const editor: Expansion = { forms: ['env', 'editor'], unset: 'empty' };

const user = (path: string, on?: readonly Platform[]): HostFile => ({ scope: 'user', path, ...(on ? { on } : {}) });
const project = (path: string): HostFile => ({ scope: 'project', path });

const host = (id: string, name: string, files: readonly HostFile[], more: Partial<Host> = {}): Host => ({
  id,
  name,
  files,
  at: ['mcpServers'],
  shape: 'common',
  expansion: none,
  ...more,
});

/** The files of an editor that is made like VS Code. */
const editorFiles = (folder: string): HostFile[] => [
  user(`<apps>/${folder}/User/mcp.json`),
  { ...user(`<apps>/${folder}/User/settings.json`), at: ['mcp', 'servers'] },
];

const clineFile = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
const rooFile = 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json';

/**
 * Where hosts keep their servers and how they write them; docs/servers.md is the same for people. Gathered from the
 * documentation of the hosts and from tools that read these files (2026-11).
 */
export const hosts: readonly Host[] = [
  host(
    'claude-desktop',
    'Claude Desktop',
    [user('<apps>/Claude/claude_desktop_config.json'), user('<apps>/claude/claude_desktop_config.json', ['linux'])],
    { startsCommandsOnly: true },
  ),
  host('claude-code', 'Claude Code', [project('.mcp.json'), user('${CLAUDE_CONFIG_DIR:-~}/.claude.json')], {
    expansion: { forms: ['braces', 'default'], unset: 'kept' },
    tellsProject: 'CLAUDE_PROJECT_DIR',
  }),
  host('cursor', 'Cursor', [project('.cursor/mcp.json'), user('~/.cursor/mcp.json')], { expansion: editor }),
  host(
    'vscode',
    'VS Code',
    [project('.vscode/mcp.json'), ...editorFiles('Code'), user('~/.vscode-server/data/User/mcp.json')],
    { at: ['servers'], expansion: editor },
  ),
  host('vscode-insiders', 'VS Code Insiders', editorFiles('Code - Insiders'), { at: ['servers'], expansion: editor }),
  host('copilot', 'Copilot CLI', [user('${COPILOT_HOME:-~/.copilot}/mcp-config.json')], { expansion: shellLike }),
  host('windsurf', 'Windsurf', [user('~/.codeium/windsurf/mcp_config.json'), user('~/.codeium/mcp_config.json')], {
    expansion: envOnly,
  }),
  host('windsurf-next', 'Windsurf Next', [user('~/.codeium/windsurf-next/mcp_config.json')], { expansion: envOnly }),
  host(
    'zed',
    'Zed',
    [project('.zed/settings.json'), user('<appdata>/Zed/settings.json', ['win32']), user('<config>/zed/settings.json')],
    { at: ['context_servers'] },
  ),
  host(
    'cline',
    'Cline',
    [
      user(`<apps>/Code/User/${clineFile}`),
      user(`<apps>/Cursor/User/${clineFile}`),
      user('~/Documents/Cline/MCP/cline_mcp_settings.json'),
    ],
    { expansion: envOnly },
  ),
  host('roo', 'Roo Code', [project('.roo/mcp.json'), user(`<apps>/Code/User/${rooFile}`)], { expansion: editor }),
  host('codex', 'Codex CLI', [project('.codex/config.toml'), user('${CODEX_HOME:-~/.codex}/config.toml')], {
    at: ['mcp_servers'],
    shape: 'codex',
  }),
  host('gemini', 'Gemini CLI', [project('.gemini/settings.json'), user('~/.gemini/settings.json')], {
    expansion: shellLike,
  }),
  host('antigravity', 'Antigravity', [user('~/.gemini/antigravity/mcp_config.json')]),
  host(
    'opencode',
    'OpenCode',
    [
      project('opencode.jsonc'),
      project('opencode.json'),
      project('.opencode/opencode.jsonc'),
      project('.opencode/opencode.json'),
      user('$OPENCODE_CONFIG_DIR/opencode.jsonc'),
      user('$OPENCODE_CONFIG_DIR/opencode.json'),
      user('$OPENCODE_CONFIG'),
      user('<config>/opencode/opencode.jsonc'),
      user('<config>/opencode/opencode.json'),
    ],
    { at: ['mcp'], shape: 'opencode', expansion: { forms: ['curly'], unset: 'empty' } },
  ),
  host('kiro', 'Kiro', [project('.kiro/settings/mcp.json'), user('~/.kiro/settings/mcp.json')], { expansion: braces }),
  host('lmstudio', 'LM Studio', [user('~/.lmstudio/mcp.json'), user('~/.cache/lm-studio/mcp.json')]),
  host('amp', 'Amp', [user('<appdata>/amp/settings.json', ['win32']), user('<config>/amp/settings.json')], {
    at: ['amp.mcpServers'],
    expansion: braces,
  }),
  host('amazon-q', 'Amazon Q', [project('.amazonq/mcp.json'), user('~/.aws/amazonq/mcp.json')], {
    expansion: envOnly,
  }),
  host('crush', 'Crush', [project('.crush.json'), project('crush.json'), user('<config>/crush/crush.json')], {
    at: ['mcp'],
    expansion: { forms: ['braces', 'dollar'], unset: 'kept' },
  }),
  host('trae', 'Trae', [user('<apps>/Trae/User/mcp.json')]),
  host('factory', 'Factory', [user('~/.factory/mcp.json')], { expansion: braces }),
  host('kimi', 'Kimi CLI', [user('~/.kimi/mcp.json')]),
  host('qoder', 'Qoder', [user('~/.qoder/mcp.json')]),
  host('vibe', 'Mistral Vibe', [user('~/.vibe/config.toml')], { at: ['mcp_servers'] }),
  host('shared', 'home-manager', [user('<config>/mcp/mcp.json')], { expansion: { forms: ['curly'], unset: 'empty' } }),
  host('continue', 'Continue', [user('~/.continue/config.yaml')]),
  host('goose', 'Goose', [
    user('<appdata>/Block/goose/config/config.yaml', ['win32']),
    user('<config>/goose/config.yaml'),
  ]),
];
