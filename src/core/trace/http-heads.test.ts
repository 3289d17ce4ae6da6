import { expect, test } from 'vitest';
import type { Head, HeaderLine } from './format.ts';
import { brokenOff } from './http-heads.ts';

const request = (lines: HeaderLine[], method = 'POST'): Head => ({ version: '1.1', method, target: '/', lines });
const response = (status: number, lines: HeaderLine[]): Head => ({ version: '1.1', status, lines });
const length = (bytes: number): HeaderLine => ['Content-Length', String(bytes)];
const chunked: HeaderLine = ['Transfer-Encoding', 'chunked'];
const why = 'the client went away';

test.each<[string, Head | undefined, number, string | undefined, Head?]>([
  ['a request without a body is whole', request([], 'GET'), 0, undefined],
  ['one with an empty body', request([length(0)]), 0, undefined],
  ['one all of which has come', request([length(5)]), 5, undefined],
  ['one that lacks something', request([length(5)]), 4, why],
  ['one whose end alone tells how long it is', request([chunked]), 5, why],
  ['where both are said, too', request([length(5), chunked]), 5, why],
  ['one with a length that is none', request([['Content-Length', '5, 6']]), 5, why],
  ['a response all of which has come', response(200, [length(5)]), 5, undefined],
  ['a response that goes on to its end', response(200, []), 5, why],
  ['one that has no body', response(204, []), 0, undefined],
  ['one to HEAD', response(200, [length(5)]), 0, undefined, request([], 'HEAD')],
  ['none at all', undefined, 0, why],
])('%s', (_, head, bytes, expected, asked) => {
  expect(brokenOff(head, { why, sum: { bytes, sha256: '' } }, asked)).toBe(expected);
});

test('what passed counts, not what stands for it', () => {
  const end = { why, sum: { bytes: 9, sha256: '' }, passed: { bytes: 4, hmac: '' } };
  expect(brokenOff(request([length(5)]), end)).toBe(why);
  expect(brokenOff(request([length(5)]), { sum: end.sum })).toBeUndefined();
});
