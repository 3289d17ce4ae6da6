import { describe, expect, test } from 'vitest';
import { someHeader } from '../../../test/trace-maker.ts';
import type { JsonObject } from '../protocol/message.ts';
import { readHeader } from './upgrade.ts';

const unreadable = (words: string): unknown =>
  expect.objectContaining({ code: 'trace-unreadable', message: expect.stringContaining(words) as unknown });

test('a header of today is read as it stands', () => {
  expect(readHeader({ ...someHeader, label: 'x' })).toEqual({ ...someHeader, label: 'x' });
});

test('what is not as it should be is left out, and what is more is no matter', () => {
  expect(readHeader({ wireproof: 1, id: 7, label: null, command: 'x', env: ['A', 1], more: true })).toEqual({
    wireproof: 1,
    id: '',
    started: '',
    by: '',
    pid: NaN,
    transport: 'stdio',
    command: [],
    cwd: '',
    env: ['A', ''],
  });
});

test.each<[string, JsonObject | undefined]>([
  ['nothing', undefined],
  ['an object of another kind', { jsonrpc: '2.0' }],
  ['a version that is no number', { ...someHeader, wireproof: '1' }],
  ['half a version', { ...someHeader, wireproof: 0.5 }],
  ['no version', { ...someHeader, wireproof: 0 }],
])('is no trace: %s', (_, first) => {
  expect(() => readHeader(first)).toThrow(unreadable('This is not a wireproof trace'));
});

test('a trace of a later version says which wireproof is wanted', () => {
  expect(() => readHeader({ ...someHeader, wireproof: 2 })).toThrow(unreadable('update wireproof'));
});

test.each([[undefined], [0], [-1], [1.5], ['4700'], [null]])('a writer %j is none', (pid) => {
  expect(readHeader({ ...someHeader, pid }).pid).toBeNaN();
});

describe('older versions', () => {
  // Version 1 had one string for the command, version 2 called the label a name.
  const steps = {
    1: ({ command, ...rest }: JsonObject) => ({ ...rest, command: String(command).split(' ') }),
    2: ({ name, ...rest }: JsonObject) => ({ ...rest, label: name }),
  };

  test('are brought up step by step', () => {
    const first = { ...someHeader, wireproof: 1, command: 'node server.mjs', name: 'x' };
    expect(readHeader(first, steps, 3)).toEqual({ ...someHeader, wireproof: 3, label: 'x' });
    expect(readHeader({ ...someHeader, wireproof: 2, name: 'x' }, steps, 3)).toEqual({
      ...someHeader,
      wireproof: 3,
      label: 'x',
    });
  });

  test('without a step on the way cannot be read', () => {
    expect(() => readHeader({ ...someHeader, wireproof: 1 }, { 2: steps[2] }, 3)).toThrow(
      unreadable('from trace format version 1 to 2'),
    );
  });
});
