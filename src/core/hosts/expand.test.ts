import { expect, test } from 'vitest';
import { Expander, type Surroundings } from './expand.ts';
import { hosts } from './hosts.ts';

const around: Surroundings = { env: { A: 'a', EMPTY: '' }, home: '/home/me', folder: '/w/shop', isWindows: false };

function expanderOf(id: string, surroundings = around): Expander {
  const host = hosts.find((host) => host.id === id);
  if (!host) throw new Error(id);
  return new Expander(host.expansion, surroundings);
}

test.each<[string, string, string]>([
  ['claude-code', '${A} ${A:-b} ${B:-b} ${EMPTY:-b}.', 'a a b .'],
  ['claude-code', '$A ${env:A} ${workspaceFolder}', '$A ${env:A} ${workspaceFolder}'],
  ['cursor', '${env:A} ${userHome} ${workspaceFolder} ${workspaceFolderBasename}${/}x', 'a /home/me /w/shop shop/x'],
  ['cursor', '$A', '$A'],
  ['gemini', '$A ${A}', 'a a'],
  ['copilot', '$A ${B:-b}', 'a b'],
  ['windsurf', '${env:A} ${A} ${workspaceFolder}', 'a ${A} ${workspaceFolder}'],
  ['opencode', '{env:A} ${A} $A', 'a ${A} $A'],
  ['kiro', '${A} ${A:-b}', 'a ${A:-b}'],
  ['claude-desktop', '${A} ${env:A} $A {env:A}', '${A} ${env:A} $A {env:A}'],
  ['codex', '${A} $A', '${A} $A'],
  ['vscode', 'a value is not looked into: ${env:EMPTY}', 'a value is not looked into: '],
])('%s makes of %s', (id, text, expanded) => {
  expect(expanderOf(id).expand(text)).toBe(expanded);
});

test.each<[string, string, string]>([
  ['claude-code', 'x ${NOT_SET}', 'x ${NOT_SET}'],
  ['cursor', 'x ${env:NOT_SET}', 'x '],
  ['opencode', 'x {env:NOT_SET}', 'x '],
])('%s: a variable that is not set is told', (id, text, expanded) => {
  const expander = expanderOf(id);
  expect(expander.expand(text)).toBe(expanded);
  expect([...expander.unset]).toEqual(['NOT_SET']);
});

test.each([
  ['vscode', '${input:key}'],
  ['vscode', '${command:x.y}'],
  ['opencode', '{file:~/.key}'],
])('%s: %s is left and told', (id, text) => {
  const expander = expanderOf(id);
  expect(expander.expand(`Bearer ${text}`)).toBe(`Bearer ${text}`);
  expect([...expander.left]).toEqual([text]);
});

test('what a reference gives is not looked into again', () => {
  expect(expanderOf('claude-code', { ...around, env: { A: '${B}', B: 'b' } }).expand('${A}')).toBe('${B}');
});

test('folders of Windows', () => {
  const expander = expanderOf('cursor', { ...around, folder: 'C:\\w\\shop', isWindows: true });
  expect(expander.expand('${workspaceFolderBasename}${pathSeparator}')).toBe('shop\\');
});
