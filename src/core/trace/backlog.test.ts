import { expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { Backlog } from './backlog.ts';
import { type StreamName, streamNames } from './format.ts';

interface Passed {
  from: StreamName;
  at: number;
  bytes: number[];
}

/** Chunks of any size: smaller than the room, as large, larger, and too large to be copied. */
const chunk = fc.record({
  from: fc.constantFrom(...streamNames),
  at: fc.nat(),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
    fc.constantFrom(64, 65, 32 * 1024, 33 * 1024).map((length) => new Uint8Array(length).fill(7)),
  ),
});

function handedOn(chunks: readonly { from: StreamName; at: number; bytes: Uint8Array }[]): Passed[] {
  const passed: Passed[] = [];
  const backlog = new Backlog(new Uint8Array(64), (from, bytes, length, at) =>
    passed.push({ from, at, bytes: [...bytes.subarray(0, length)] }),
  );
  const reused = new Uint8Array(64 * 1024);
  for (const { from, at, bytes } of chunks) {
    reused.set(bytes);
    backlog.add(from, reused, bytes.length, at);
  }
  backlog.flush();
  return passed;
}

test('hands on what passed, chunk by chunk and in order, whatever its size', () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
      expect(handedOn(chunks)).toEqual(chunks.map(({ from, at, bytes }) => ({ from, at, bytes: [...bytes] })));
    }),
  );
});

test('hands nothing on before there is need', () => {
  let calls = 0;
  const backlog = new Backlog(new Uint8Array(64), () => calls++);
  for (let turn = 0; turn < 6; turn++) backlog.add('client', new Uint8Array(10), 10, turn);
  expect(calls).toBe(0);
  backlog.add('client', new Uint8Array(10), 10, 6);
  expect(calls).toBe(6);
});
