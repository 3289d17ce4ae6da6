import { expect, test } from 'vitest';
import { endToEnd, linesOf, withHeader } from './http-headers.ts';

const read = (text: string): [string, string][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/:\s*/, 2) as [string, string]);

test.each([
  { name: 'what is for the next hop', lines: 'Connection: close\nKeep-Alive: timeout=5\nTE: trailers\nUpgrade: h2c' },
  { name: 'how the body is framed', lines: 'Transfer-Encoding: chunked' },
  { name: 'what Connection names', lines: 'Connection: X-Hop, keep-alive\nx-hop: 1' },
  { name: 'the same in several lines', lines: 'connection: a\nCONNECTION: b\nA: 1\nb: 2' },
])('not passed on: $name', ({ lines }) => {
  expect(endToEnd([['First', '1'], ...read(lines), ['Last', '2']])).toEqual([
    ['First', '1'],
    ['Last', '2'],
  ]);
});

test.each(['Host', 'Content-Length', 'Close'])('Connection cannot take away %s', (name) => {
  expect(
    endToEnd([
      ['Connection', name],
      [name, '1'],
    ]),
  ).toEqual([[name, '1']]);
});

test('everything else keeps its order, its spelling and its doubles', () => {
  const lines = read('x-A: 1\nSet-Cookie: a\nX-a: 2\nSet-Cookie: b\nTrailer: x');
  expect(endToEnd(lines)).toEqual(lines);
});

test('a header is changed where it stands, once, and added where it does not', () => {
  expect(withHeader(read('A: 1\nhost: x\nB: 2\nHOST: y'), 'Host', 'z')).toEqual(read('A: 1\nhost: z\nB: 2'));
  expect(withHeader(read('A: 1'), 'Host', 'z')).toEqual(read('A: 1\nHost: z'));
});

test('lines are made of what Node gives', () => {
  expect(linesOf(['A', '1', 'a', '2'])).toEqual(read('A: 1\na: 2'));
});
