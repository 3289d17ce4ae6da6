import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect } from 'vitest';
import { type Host, shell, test } from './support/host.ts';
import type { TraceRead } from './support/read-trace.ts';
import { pause, until } from './support/until.ts';

/** What was passed on so long before the end is on disk. Milliseconds. */
const promised = 100;

interface Crash {
  /** How long before the end the first line came that is not in the trace. Milliseconds; 0 where all are. */
  unrecorded: number;
  /** How late this machine was with other things meanwhile. Milliseconds. */
  lateness: number;
}

/** The server's bytes in a trace that is whole but for its end. */
function checked(trace: TraceRead): Buffer {
  expect(trace.damaged).toBe(0);
  expect(trace.verification.gaps.filter(({ kind }) => kind !== 'cut-off')).toEqual([]);
  return trace.bytes('server');
}

/** Sends lines as fast as they come back, kills the tap after a while, and compares what came with what is recorded. */
async function crash(host: Host, after: number): Promise<Crash> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const tap = host.tap(['cat']);
  const arrivals: { bytes: number; at: number }[] = [];
  let came = 0;
  let sent = 0;
  const send = (): void => {
    for (let count = 0; count < 20; count++) tap.send(`{"jsonrpc":"2.0","id":${sent++},"method":"tools/call"}\n`);
  };
  tap.child.stdout?.on('data', (chunk: Buffer) => {
    came += chunk.length;
    arrivals.push({ bytes: came, at: performance.now() });
    send();
  });
  send();
  await until('it runs', () => came > 0);
  await pause(after);
  const killedAt = performance.now();
  tap.child.kill('SIGKILL');
  await tap.ended;
  const recorded = host.recordings().length > 0 ? checked(host.trace()) : Buffer.alloc(0);
  expect(tap.stdout.bytes.subarray(0, recorded.length).equals(recorded.subarray(0, tap.stdout.length))).toBe(true);
  const first = arrivals.find(({ bytes }) => bytes > recorded.length);
  delays.disable();
  return { unrecorded: first ? Math.max(0, killedAt - first.at) : 0, lateness: delays.max / 1e6 };
}

describe('a tap that is killed at any moment', () => {
  const moments = [0, 30, 70, 110, 180, 260, 350, 500];

  test.for(moments)(
    'leaves all in the trace that is a tenth of a second old: after %i ms',
    async (moment, { host }) => {
      const { unrecorded, lateness } = await crash(host, moment + Math.random() * 50);
      expect(unrecorded).toBeLessThan(promised + 2 * lateness);
      await host.nothingLeft();
    },
  );

  test('keeps the beginning of a line that has not ended', async ({ host }) => {
    const tap = host.tap(shell('printf \'{"jsonrpc":"2.0","id":1,"resu\'; cat'));
    await until('it has come', () => tap.stdout.length > 0);
    await until('it is recorded', () => host.recorded('"held":0'));
    tap.child.kill('SIGKILL');
    await tap.ended;
    expect(host.trace().bytes('server').toString()).toBe('{"jsonrpc":"2.0","id":1,"resu');
    await host.nothingLeft();
  });
});
