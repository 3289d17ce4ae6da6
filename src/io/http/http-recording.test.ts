import { expect, test } from 'vitest';
import { startClock } from '../clock.ts';
import { sha256 } from '../sha256.ts';
import { HttpRecording } from './http-recording.ts';

test('nothing stands behind the record that says how it ended', async () => {
  const kept: string[] = [];
  const store = {
    append: async (blocks: readonly Uint8Array[]) => {
      // A store takes its time, and meanwhile traffic goes on.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      kept.push(...blocks.map((block) => Buffer.from(block).toString()));
      return { kept: blocks.reduce((all, block) => all + block.length, 0) };
    },
    close: async () => undefined,
  };
  const recording = new HttpRecording({ store, clock: startClock(), keyed: sha256, tell: () => undefined });
  recording.note('told', 'before');
  const closed = recording.close({ why: 'told to stop' }, 1000);
  recording.note('told', 'behind');
  await closed;
  const records = kept.join('').trimEnd().split('\n');
  expect(records.filter((record) => record.includes('"before"'))).toHaveLength(1);
  expect(records.at(-1)).toContain('"closed"');
});
