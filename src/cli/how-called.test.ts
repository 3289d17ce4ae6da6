import { expect, test } from 'vitest';
import { howCalled } from './how-called.ts';

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  ['installed', '/usr/bin/wireproof', {}, 'wireproof'],
  ['installed, on Windows', 'C:\\npm\\node_modules\\wireproof\\dist\\wireproof.cjs', {}, 'wireproof'],
  ['npx', '/home/me/.npm/_npx/1/node_modules/.bin/wireproof', { npm_command: 'exec' }, 'npx wireproof'],
  ['npm start', '/home/me/clone/dist/wireproof.cjs', { npm_lifecycle_event: 'start' }, 'node dist/wireproof.cjs'],
  ['a checkout', '/home/me/clone/dist/wireproof.cjs', {}, 'node dist/wireproof.cjs'],
  ['from beside it', '/home/me/other/dist/wireproof.cjs', {}, 'node ../other/dist/wireproof.cjs'],
  ['with a space', '/home/me/clone/my dist/wireproof.cjs', {}, 'node "my dist/wireproof.cjs"'],
])('%s', (_, program, env, called) => {
  expect(howCalled({ env, argv: ['node', program], cwd: '/home/me/clone' })).toBe(called);
});
