import { expect, test } from 'vitest';
import { bearerChallenge } from './challenge.ts';

test.each([
  ['nothing', undefined, {}],
  ['another scheme', 'Basic realm="x"', {}],
  ['no parameters', 'Bearer', {}],
  [
    'all of it',
    'Bearer realm="mcp", error="invalid_token", resource_metadata="https://a.example/m", scope="a b"',
    { error: 'invalid_token', resourceMetadata: 'https://a.example/m', scope: 'a b' },
  ],
  ['names in any case', 'bEARER Scope = "a"', { scope: 'a' }],
  ['a comma and a scheme in quotes', 'Bearer realm="x, Basic y=", scope="a"', { scope: 'a' }],
  ['quoted pairs', String.raw`Bearer scope="a\"b\\c"`, { scope: String.raw`a"b\c` }],
  [
    'a URL without quotes',
    'Bearer resource_metadata=https://a.example/m, scope=a',
    { resourceMetadata: 'https://a.example/m', scope: 'a' },
  ],
  ['another challenge before', 'Negotiate abc==, Basic realm="q", Bearer scope="a"', { scope: 'a' }],
  ['another challenge behind', 'Bearer scope="a", Basic scope="b"', { scope: 'a' }],
  [
    'two of bearer, one with metadata',
    'Bearer scope="a", Bearer resource_metadata="https://a.example/m"',
    { resourceMetadata: 'https://a.example/m' },
  ],
  ['the first of two values', 'Bearer scope="a", scope="b"', { scope: 'a' }],
  ['a quote without an end', 'Bearer scope="a', {}],
  [
    'lines that are folded',
    'Bearer scope="a",\r\n  error="insufficient_scope"',
    { scope: 'a', error: 'insufficient_scope' },
  ],
])('%s', (_, header, read) => {
  expect(bearerChallenge(header)).toEqual(read);
});

test('a long header of nothing is read in little time', () => {
  expect(bearerChallenge(`Bearer ${'a "'.repeat(50_000)}`)).toEqual({});
});
