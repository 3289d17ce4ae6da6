import { expect, test } from 'vitest';
import { inkFor } from './ink.ts';

const stream = (isTTY: boolean) => ({ isTTY, getColorDepth: () => 8 }) as unknown as NodeJS.WriteStream;

test.each<[NodeJS.ProcessEnv, boolean, boolean, boolean]>([
  [{}, true, true, true],
  [{}, false, true, false],
  [{}, true, false, false],
  [{ FORCE_COLOR: '1' }, false, true, true],
  [{ FORCE_COLOR: '0' }, true, true, false],
  [{ NO_COLOR: '1' }, true, true, false],
  [{ NO_COLOR: '' }, true, true, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false, true, false],
])('%j on a terminal (%s), wanted (%s): colours (%s)', (env, isTTY, wanted, isColoured) => {
  expect(inkFor(stream(isTTY), wanted, env).red('x')).toBe(isColoured ? '\u001b[31mx\u001b[39m' : 'x');
});
