import { expect, test } from 'vitest';
import type { ConfiguredServer, Host } from './host.ts';
import { hosts } from './hosts.ts';
import { pickServer, serversNamed } from './pick-server.ts';

const configured = (id: string, name: string, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  host: hosts.find((host) => host.id === id) as Host,
  name,
  scope: 'user',
  file: '/f',
  folder: undefined,
  launch: { kind: 'faulty', why: '' },
  isDisabled: false,
  isHidden: false,
  ...more,
});

const servers = [
  configured('cursor', 'files'),
  configured('cursor', 'a:b'),
  configured('claude-code', 'files', { scope: 'project' }),
  configured('claude-code', 'files', { isHidden: true }),
  configured('claude-code', 'api'),
];

test.each([
  ['api', 'claude-code', 'api'],
  ['cursor:files', 'cursor', 'files'],
  ['claude-code:files', 'claude-code', 'files'],
  ['a:b', 'cursor', 'a:b'],
  ['cursor:a:b', 'cursor', 'a:b'],
])('%s is %s', (word, id, name) => {
  const picked = pickServer(servers, word);
  expect([picked.host.id, picked.name, picked.isHidden]).toEqual([id, name, false]);
});

test.each([
  ['files', 'More than one host has a server "files". Say which: cursor:files, claude-code:files'],
  ['x', 'No host has a server "x". Known: cursor:files, cursor:a:b, claude-code:files, claude-code:api.'],
  ['cursor:api', 'Cursor has no server "api". Known: cursor:files, cursor:a:b, claude-code:files, claude-code:api.'],
])('%s is refused', (word, message) => {
  expect(() => pickServer(servers, word)).toThrow(expect.objectContaining({ code: 'bad-usage', message }));
});

test('where nothing is configured that is said; of very many names only some are told', () => {
  expect(() => pickServer([], 'x')).toThrow('No host has a server "x": no servers are configured here at all.');
  const many = Array.from({ length: 30 }, (_, index) => configured('cursor', `s${index}`));
  expect(() => pickServer(many, 'x')).toThrow('cursor:s19, and 10 more (wireproof servers).');
});

test('hidden ones are among those of a name', () => {
  expect(serversNamed(servers, 'claude-code:files')).toHaveLength(2);
});
