import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { call, type Case, isSeen, noRemark, type Seen } from './support/call-seen.ts';
import { test } from './support/host.ts';

const peer = ['odd-results.mjs'] as const;

describe.concurrent('a result', () => {
  test.for<[tool: string, seen: Seen]>([
    ['missing', { code: 0, stdout: '21\n', stderr: ['has an outputSchema, and its result no structuredContent'] }],
    [
      'failed',
      {
        code: 1,
        stdout: ['sensor offline', '"error": "offline"'],
        stderr: ['isError'],
        not: ['wrongly', 'does not fit'],
      },
    ],
    [
      'list',
      { code: 0, stdout: '[1,2]\n', stderr: ['structuredContent is a list, and has to be an object in 2025-11-25'] },
    ],
    ['no-content', { code: 0, stdout: ['"toolResult": "from long ago"'], stderr: ['the result has no content'] }],
    ['text-content', { code: 0, stdout: ['just text'], stderr: ['content is "just text", and has to be a list'] }],
    [
      'mixed-content',
      {
        code: 0,
        stdout: ['loose', '"url": "https://video.example/1"', 'last'],
        stderr: ['content[0] is "loose"', 'content[1] is of a kind that nobody knows: its type is "video"'],
      },
    ],
    ['data-url', { code: 0, stdout: ['characters that are no base64'], stderr: ['content[0].data is no base64'] }],
    ['text-is-error', { code: 0, stdout: ['no'], stderr: ['isError is "true"'] }],
    ['finished', { code: 0, stdout: 'x\n', not: noRemark }],
  ])('that is odd: %s', ([tool, seen], { host }) => isSeen(host, { name: tool, peer, words: [tool], ...seen }));

  test.for<[tool: string, seen: Seen]>([
    ['missing', { code: 0, stdout: '21\n', stderr: ['no structuredContent'] }],
    ['list', { code: 0, stdout: '[1,2]\n', not: noRemark }],
    ['finished', { code: 2, stdout: '', stderr: ['resultType is "finished"'] }],
  ])('of 2026-07-28: %s', ([tool, seen], { host }) =>
    isSeen(host, { name: tool, peer: [...peer, 'modern'], words: [tool], ...seen }),
  );

  test('hints for caches that are wrong lose no tool', ({ host }) =>
    isSeen(host, {
      name: '',
      peer: [...peer, 'modern'],
      code: 0,
      stdout: ['(modern era)', 'Tools (9)'],
      not: ['not whole'],
    }));

  test.for<Case>([
    {
      name: 'of a resource shows all that can be shown',
      peer,
      words: ['--read', 'a:b'],
      code: 0,
      stdout: ['loose', 'no base64', 'last'],
      stderr: ['contents[0] is "loose"', 'contents[1].blob is no base64: it begins with "no base64!"'],
    },
    {
      name: 'of a prompt shows all that can be shown',
      peer,
      words: ['--prompt', 'p'],
      code: 0,
      stdout: ['system:', 'just text', 'user:', 'last'],
      stderr: ['messages[0] has the role "system"', 'content that is "just text"'],
    },
  ])('$name', (one, { host }) => isSeen(host, one));

  test('that is no base64 is kept as no file', async ({ host }) => {
    const { stdout } = await call(host, { name: '', peer, words: ['data-url'], code: 0 });
    expect(stdout).not.toContain(host.home);
  });
});

describe.concurrent('a result that asks for input', () => {
  const rounds = ['odd-rounds.mjs'] as const;
  test.for<[tool: string, seen: Seen]>([
    ['state', { code: 0, stdout: 'finished\n', not: noRemark }],
    ['empty', { code: 2, stderr: ['says neither which (inputRequests) nor where it stands (requestState)'] }],
    ['loose', { code: 2, stderr: ['"who" of its inputRequests is no request'] }],
    ['ask', { code: 2, stderr: ['the server asks', 'declined', 'once more for what was declined'] }],
    ['moves', { code: 2, stderr: ['asked for input more than 20 times'] }],
    ['unknown', { code: 2, stderr: ['the server asks for vendor/own'] }],
  ])('%s', ([tool, seen], { host }) => isSeen(host, { name: tool, peer: rounds, words: [tool], ...seen }));

  test('what is declined is declined once', async ({ host }) => {
    const { stderr } = await call(host, { name: '', peer: rounds, words: ['ask'], code: 2 });
    expect(stderr.match(/It was declined/g)).toHaveLength(1);
  });

  test('is answered from a file', ({ host }) => {
    writeFileSync(host.path('answers.json'), '{"elicitation/create":{"action":"accept","content":{}}}');
    const words = ['--answer', host.path('answers.json'), 'ask'];
    return isSeen(host, { name: '', peer: rounds, words, code: 0, stdout: 'thanks\n', not: ['declined'] });
  });

  test('is none to a list', ({ host }) =>
    isSeen(host, {
      name: '',
      peer: rounds,
      code: 1,
      stdout: ['Tools (6)', 'Prompts (0)', 'not whole: prompts/list was answered with "input_required"'],
    }));
});
