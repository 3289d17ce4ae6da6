import { expect, test } from 'vitest';
import { Shutdown, type ShutdownInput, type ShutdownStep } from './shutdown.ts';

/** What is seen when, and what is to be done about it. */
type Row = [at: number, saw: ShutdownInput['saw'], facts: Facts, steps: ShutdownStep[]];
type Facts = Partial<Pick<ShutdownInput, 'isBusy' | 'lastByteAt' | 'hostIsBehind'>>;

const term = { signal: 'SIGTERM' } as const;
const kill = { signal: 'SIGKILL' } as const;
const look = { lookForOthers: true } as const;
const closePipes = { closePipes: true } as const;
const finished = { finished: true } as const;
const wake = (milliseconds: number): ShutdownStep => ({ wakeAfter: milliseconds });

const stories: Record<string, Row[]> = {
  'a server that ends with its input': [
    [100, 'input-ended', {}, [wake(2000)]],
    [150, 'server-exited', {}, [wake(2000)]],
    [151, 'pipes-closed', {}, [finished]],
    [152, 'woke', {}, []],
  ],
  'pipes that close before the exit is heard of': [
    [100, 'pipes-closed', {}, []],
    [150, 'server-exited', {}, [finished]],
  ],
  'a silent server: one grace, SIGTERM, another grace, SIGKILL, another grace': [
    [0, 'input-ended', {}, [wake(2000)]],
    [2000, 'woke', {}, [term, wake(2000)]],
    [4000, 'woke', {}, [kill, wake(2000)]],
    [6000, 'woke', {}, [closePipes, finished]],
  ],
  'the grace begins anew with each byte': [
    [0, 'input-ended', { lastByteAt: 0 }, [wake(2000)]],
    [2000, 'woke', { lastByteAt: 1500 }, [wake(1500)]],
    [3500, 'woke', { lastByteAt: 3400 }, [wake(1900)]],
    [5300, 'woke', { lastByteAt: 3400 }, [wake(100)]],
    [5400, 'woke', { lastByteAt: 3400 }, [term, wake(2000)]],
  ],
  'a server that talks without end has the drain': [
    [0, 'input-ended', {}, [wake(2000)]],
    [2000, 'woke', { lastByteAt: 1999 }, [wake(1999)]],
    [9500, 'woke', { lastByteAt: 9499 }, [wake(500)]],
    [10_000, 'woke', { lastByteAt: 9999 }, [term, wake(2000)]],
  ],
  'an answer is waited for, the drain at most': [
    [0, 'input-ended', { isBusy: true }, [wake(2000)]],
    [2000, 'woke', { isBusy: true }, [wake(2000)]],
    [9000, 'woke', { isBusy: true }, [wake(1000)]],
    [10_000, 'woke', { isBusy: true }, [term, wake(2000)]],
  ],
  'when all is answered the grace is left': [
    [0, 'input-ended', { isBusy: true }, [wake(2000)]],
    [6000, 'woke', { lastByteAt: 5000 }, [wake(1000)]],
    [7000, 'woke', { lastByteAt: 5000 }, [term, wake(2000)]],
  ],
  'no time passes while the host is behind': [
    [0, 'input-ended', {}, [wake(2000)]],
    [2000, 'woke', { hostIsBehind: true }, [wake(2000)]],
    [60_000, 'woke', { hostIsBehind: true }, [wake(2000)]],
    [62_000, 'woke', {}, [term, wake(2000)]],
  ],
  'stop: SIGTERM at once, and SIGKILL sooner than a host would': [
    [100, 'stop', {}, [term, wake(1500)]],
    [1600, 'woke', {}, [kill, wake(2000)]],
    [1601, 'server-exited', {}, [wake(2000)]],
    [1602, 'pipes-closed', {}, [finished]],
  ],
  'stop after the grace is over shortens what is left': [
    [0, 'input-ended', {}, [wake(2000)]],
    [2000, 'woke', {}, [term, wake(2000)]],
    [2001, 'stop', {}, [wake(1499)]],
    [3500, 'woke', {}, [kill, wake(2000)]],
  ],
  'stop said again does not kill, kill does': [
    [100, 'stop', {}, [term, wake(1500)]],
    [200, 'stop', {}, [wake(1400)]],
    [300, 'kill', {}, [kill, wake(2000)]],
  ],
  'others that do not obey are waited for and killed': [
    [0, 'stop', {}, [term, wake(1500)]],
    [100, 'pipes-closed', {}, [wake(1400)]],
    [101, 'server-exited', {}, [look]],
    [101, 'others-run', {}, [wake(50)]],
    [151, 'woke', {}, [look]],
    [152, 'others-run', {}, [wake(50)]],
    [1490, 'woke', {}, [look]],
    [1490, 'others-run', {}, [wake(10)]],
    [1500, 'woke', {}, [kill, finished]],
  ],
  'others that obey later': [
    [0, 'stop', {}, [term, wake(1500)]],
    [100, 'server-exited', {}, [look]],
    [100, 'others-run', {}, [wake(50)]],
    [150, 'woke', {}, [look]],
    [150, 'others-gone', {}, [wake(2000)]],
    [151, 'pipes-closed', {}, [finished]],
  ],
  'what others hold open is read for one grace': [
    [0, 'server-exited', {}, [wake(2000)]],
    [1000, 'woke', {}, [wake(1000)]],
    [2000, 'woke', {}, [closePipes, finished]],
  ],
  'and as long as the host is behind': [
    [0, 'server-exited', {}, [wake(2000)]],
    [2000, 'woke', { hostIsBehind: true }, [wake(2000)]],
    [4000, 'woke', {}, [closePipes, finished]],
  ],
  'but not when it has said stop': [
    [0, 'server-exited', {}, [wake(2000)]],
    [1000, 'stop', { hostIsBehind: true }, [wake(1000)]],
    [2000, 'woke', { hostIsBehind: true }, [closePipes, finished]],
  ],
  'the end of input after the end of everything': [
    [0, 'server-exited', {}, [wake(2000)]],
    [1, 'pipes-closed', {}, [finished]],
    [2, 'input-ended', {}, []],
    [3, 'stop', {}, []],
  ],
};

test.each(Object.entries(stories))('%s', (_, rows) => {
  const shutdown = new Shutdown({ grace: 2000, drain: 10_000 });
  for (const [at, saw, facts, steps] of rows) {
    const input = { at, saw, isBusy: false, lastByteAt: 0, hostIsBehind: false, ...facts };
    expect(shutdown.feed(input), `${saw} at ${at}`).toEqual(steps);
  }
});

test('without any grace, the last words of a server are still read', () => {
  const shutdown = new Shutdown({ grace: 0, drain: 0 });
  const facts = { isBusy: false, lastByteAt: 0, hostIsBehind: false };
  expect(shutdown.feed({ at: 0, saw: 'input-ended', ...facts })).toEqual([{ wakeAfter: 0 }]);
  expect(shutdown.feed({ at: 0, saw: 'server-exited', ...facts })).toEqual([{ wakeAfter: 250 }]);
});
