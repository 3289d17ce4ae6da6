import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from './sealing.ts';

const key = randomBytes(32);
const text = '{"access":"ä token"}';

test('what is sealed can be opened with its key and label, and with no other', () => {
  const sealed = seal(text, key, 'label');
  expect(sealed).not.toContain('token');
  expect(unseal(sealed, key, 'label')).toBe(text);
  expect(unseal(sealed, randomBytes(32), 'label')).toBeUndefined();
  expect(unseal(sealed, key, 'another')).toBeUndefined();
  expect(seal(text, key, 'label')).not.toBe(sealed);
});

test('what is cut or changed at any byte cannot be opened', () => {
  const bytes = Buffer.from(seal(text, key, 'label'), 'base64');
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] as number) ^ 1;
    expect(unseal(changed.toString('base64'), key, 'label')).toBeUndefined();
    expect(unseal(bytes.subarray(0, place).toString('base64'), key, 'label')).toBeUndefined();
  }
});
