import { describe } from 'vitest';
import { isSeen, noRemark, type Seen } from './support/call-seen.ts';
import { test } from './support/http-host.ts';

interface Case extends Seen {
  file: string;
  /** What follows the path. */
  query?: string;
  words?: readonly string[];
}

const echo = ['echo', 'text=hi'];
const offers = ['revision ', 'Tools (1)', 'echo(text: string)'];

const cases: Case[] = [
  { file: 'behaves.mjs', code: 0, stdout: offers, not: noRemark },
  { file: 'strict-accept.mjs', code: 0, stdout: offers, not: noRemark },
  { file: 'message-over-data-lines.mjs', words: echo, code: 0, stdout: 'joined\n', not: noRemark },
  { file: 'comments-and-other-events.mjs', words: echo, code: 0, stdout: 'echo: hi\n', not: ['ping'] },
  { file: 'json-or-events-in-turn.mjs', words: echo, code: 0, stdout: ['echo: hi'], not: noRemark },
  ...['200null', '200empty', '204', '200text', '202body', '200chunked'].map((variant) => ({
    file: 'answers-notifications.mjs',
    query: `?v=${variant}`,
    words: echo,
    code: 0,
    stdout: ['echo: hi'],
    not: ['did not get through'],
  })),
  {
    file: 'judges-version-header.mjs',
    code: 0,
    stdout: ['revision 2025-06-18 (legacy era)', 'Tools (1)'],
    not: noRemark,
  },
  { file: 'draft-error-codes.mjs', code: 0, stdout: ['(legacy era)', 'Tools (1)'], not: noRemark },
  { file: 'html-502.mjs', words: echo, code: 2, stdout: '', stderr: ['HTTP 502 Bad Gateway'] },
  { file: 'asks-on-the-other-stream-only.mjs', words: echo, code: 1, stdout: '', stderr: ['-32001 Request timed out'] },
  { file: 'input-required-misused.mjs', code: 1, stdout: ['not whole: tools/list was answered with "input_required"'] },
  {
    file: 'input-required-misused.mjs',
    words: ['--no-validate', 'empty'],
    code: 2,
    stderr: ['says neither which (inputRequests)'],
  },
  {
    file: 'login-page.mjs',
    words: echo,
    code: 2,
    stdout: '',
    stderr: ['begins with "<!doctype html>', 'HTTP 200'],
    not: ['\u001b'],
  },
  { file: 'login-page.mjs', query: '?oauth', words: echo, code: 2, stdout: '', stderr: ['invalid_token', 'HTTP 200'] },
];

describe.concurrent('a server on HTTP', () => {
  const named = cases.map((one) => {
    const { file, query = '', words = [] } = one;
    return { name: [file + query, ...words].join(' '), one };
  });
  test.for(named)('$name', async ({ name, one }, { host }) => {
    const { file, query = '', words = [], ...seen } = one;
    const url = await host.serveFile(file);
    await isSeen(host, { name, peer: new URL(query, url), words, ...seen });
  });

  test('that takes a request for a notification is told of at once', async ({ host }) => {
    const url = await host.serveFile('accepts-requests.mjs');
    await isSeen(host, { name: '', peer: url, code: 2, stderr: ['HTTP 202 Accepted'], not: ['no answer in'] });
  });
});
