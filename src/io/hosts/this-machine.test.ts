import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from './this-machine.ts';

test('a project is the working directory, and in a git repository all up to its root', () => {
  const root = mkdtempSync(join(tmpdir(), 'wireproof-machine-'));
  try {
    const [shop, sub] = [join(root, 'shop'), join(root, 'shop/src/sub')];
    mkdirSync(sub, { recursive: true });
    expect(thisMachine({}, sub).folders).toEqual([sub]);
    mkdirSync(join(shop, '.git'));
    expect(thisMachine({}, sub).folders).toEqual([sub, join(shop, 'src'), shop]);
    expect(thisMachine({}, shop).folders).toEqual([shop]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('the home folder is nobody’s project', () => {
  const { home, folders } = thisMachine({}, thisMachine({}, '/').home);
  expect(folders).toEqual([home]);
});
