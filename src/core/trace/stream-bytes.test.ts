import { expect, test } from 'vitest';
import type { StreamName, TraceEvent } from './format.ts';
import { StreamBytes } from './stream-bytes.ts';

const base = { n: 1, at: 1, c: 1 };
const frame = (text: string, from: StreamName = 'server'): TraceEvent => ({
  ...base,
  kind: 'frame',
  from,
  bytes: Buffer.from(text),
  eol: '\n',
  form: 'text',
});
const held = (offset: number, text: string, from: StreamName = 'server'): TraceEvent => ({
  ...base,
  kind: 'held',
  from,
  offset,
  bytes: Buffer.from(text),
});
const lost = (from: StreamName = 'server'): TraceEvent => ({
  ...base,
  kind: 'lost',
  lost: { from, bytes: 9, why: '' },
});

test.each<[string, TraceEvent[], string]>([
  ['frames one after the other', [frame('a\n'), frame('b\n')], 'a\nb\n'],
  ['nothing of other streams', [frame('a\n'), frame('x\n', 'client'), held(0, 'y', 'stderr'), frame('b\n')], 'a\nb\n'],
  ['nothing of other events', [{ ...base, kind: 'ended', from: 'server' }, frame('a\n')], 'a\n'],
  ['a held line once, when it comes whole', [held(0, 'a'), held(1, 'b'), frame('abc\n')], 'abc\n'],
  ['a held line that never ended, last', [frame('a\n'), held(0, 'b'), held(1, 'c')], 'a\nbc'],
  ['of two held lines the one that never ended', [held(0, 'a'), frame('ab\n'), held(0, 'c')], 'ab\nc'],
  ['a held line although another stream goes on', [held(0, 'a'), frame('x\n', 'client'), held(1, 'b')], 'ab'],
  ['a held line that begins anew', [held(0, 'a'), held(0, 'b')], 'b'],
  ['a held line as far as it hangs together', [held(0, 'a'), held(5, 'x'), held(6, 'y')], 'a'],
  ['no held line that was lost after all', [held(0, 'a'), lost(), frame('b\n')], 'b\n'],
  ['no held line that was lost, even at the end', [held(0, 'a'), lost()], ''],
  ['a held line when something else was lost', [held(0, 'a'), lost('stderr')], 'a'],
])('gives back %s', (_, events, expected) => {
  const stream = new StreamBytes('server');
  const given = [...events.flatMap((event) => stream.feed(event)), ...stream.end()];
  expect(Buffer.concat(given).toString()).toBe(expected);
});
