import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { call, type Case, isSeen, noRemark, type Seen } from './support/call-seen.ts';
import { test } from './support/host.ts';

describe.concurrent('an answer', () => {
  const peer = ['misfit-answers.mjs'] as const;
  test.for<Case>([
    {
      name: 'with a result and an error: the error counts, and both are told',
      words: ['both'],
      peer,
      code: 1,
      stderr: ['"result":{"content"', 'answered with an error: -32603 also an error'],
    },
    { name: 'with neither', words: ['neither'], peer, code: 2, stdout: '', stderr: ['neither a result nor an error'] },
    {
      name: 'with null for the error that there is not',
      words: ['null-error'],
      peer,
      code: 0,
      stdout: 'done\n',
      not: ['refused'],
    },
    { name: 'whose result is null', words: ['null-result'], peer, code: 2, stderr: ['the result is no object: null'] },
    {
      name: 'whose result is a list',
      words: ['list-result'],
      peer,
      code: 2,
      stderr: ['the result is no object: ["done"]'],
    },
    {
      name: 'whose error is text',
      words: ['text-error'],
      peer,
      code: 1,
      stderr: ['answered with an error: "it broke"'],
    },
    { name: 'whose error is empty', words: ['bare-error'], peer, code: 1, stderr: ['answered with an error:'] },
    {
      name: 'under an id of another type is none',
      words: ['--timeout', '500ms', 'text-id'],
      peer,
      code: 2,
      stdout: '',
      stderr: ['"id":"', 'no answer in 500 ms'],
    },
    { name: 'given twice counts once', words: ['twice'], peer, code: 0, stdout: 'done\n', stderr: ['again'] },
    {
      name: 'that never comes',
      words: ['--timeout', '500ms', 'echo', 'text=a'],
      peer: ['drops-calls.mjs'],
      code: 2,
      stderr: ['no answer in 500 ms'],
    },
    {
      name: 'that the tool is not known, as a result',
      words: ['--no-validate', 'nope'],
      peer: ['drops-calls.mjs'],
      code: 1,
      stdout: 'Unknown tool: nope\n',
      stderr: ['isError'],
    },
    {
      name: 'that the tool is not known, as an error',
      words: ['--no-validate', 'protocol'],
      peer: ['drops-calls.mjs'],
      code: 1,
      stdout: '',
      stderr: ['-32602 Unknown tool: protocol'],
    },
  ])('$name', (one, { host }) => isSeen(host, one));

  test('to a request of the server, under the same id as a call', async ({ host }) => {
    writeFileSync(host.path('answers.json'), '{"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}');
    const words = ['--answer', host.path('answers.json'), 'echo', 'text=a'];
    await isSeen(host, {
      name: '',
      peer: ['asks-under-the-same-id.mjs'],
      words,
      code: 0,
      stdout: 'hello Ada\n',
      not: noRemark,
    });
  });
});

describe.concurrent('the opening', () => {
  test.for(['-32602', '-32600', '-32000'])('whatever discover is refused with: %s', (code, { host }) =>
    isSeen(host, {
      name: '',
      peer: ['initialize-first.mjs', code],
      code: 0,
      stdout: ['(legacy era)', 'Tools (1)'],
      not: noRemark,
    }),
  );

  test.for<Case>([
    {
      name: 'what a server says that it has, and does not know, is told of',
      peer: ['knows-less-than-it-says.mjs'],
      code: 1,
      stdout: [
        'echo(text: string)',
        'Resources (0)',
        'not whole: the server says that it has resources, and does not know resources/list (-32601',
        'does not know resources/templates/list',
        'Prompts (0)',
        'not whole',
      ],
    },
    {
      name: 'a server without templates is well',
      peer: ['has-no-templates.mjs'],
      code: 0,
      stdout: ['note:1', 'Mind: the server does not know resources/templates/list'],
    },
    {
      name: 'what a server does not say that it has is not asked for',
      peer: ['behaves.mjs'],
      code: 0,
      stdout: ['it says it has tools', 'Tools (1)'],
      not: [...noRemark, '-32601'],
    },
    {
      name: 'a server that does not know ping is told of',
      peer: ['knows-less-than-it-says.mjs'],
      words: ['--ping'],
      code: 1,
      stderr: ['the server answered with an error: -32601'],
    },
  ])('$name', (one, { host }) => isSeen(host, one));
});

describe.concurrent('progress', () => {
  const peer = ['misfit-progress.mjs'] as const;
  test.for<Case>([
    { name: 'that rises', words: ['rises'], peer, code: 0, stdout: 'done\n', not: ['progress'] },
    {
      name: 'that falls is told of',
      words: ['falls'],
      peer,
      code: 0,
      stdout: 'done\n',
      stderr: ['does not rise: 10 after 10'],
      not: ['5 after'],
    },
    {
      name: 'that is no number is told of',
      words: ['words'],
      peer,
      code: 0,
      stdout: 'done\n',
      stderr: ['"half", no number'],
    },
    {
      name: 'after the answer is told of',
      words: ['late'],
      peer,
      code: 0,
      stdout: 'done\n',
      stderr: ['notifications/progress'],
    },
    {
      name: 'of nothing that was asked is told of',
      words: ['strange'],
      peer,
      code: 0,
      stdout: 'done\n',
      stderr: ['"nobody-s"'],
    },
  ])('$name', async (one, { host }) => isSeen(host, one));

  test('after the answer is told of once, however much of it comes', async ({ host }) => {
    const { stderr } = await call(host, { name: '', peer, words: ['late'], code: 0 });
    expect(stderr.split('notifications/progress')).toHaveLength(2);
  });
});

describe.concurrent('a list of tools', () => {
  const once = ['first(text: string)'];
  const both = ['first(text: string)', 'second(text: string)'];
  test.for<[kind: string, seen: Seen]>([
    [
      'empty-for-none',
      { code: 0, stdout: ['Tools (1)', ...once, 'Mind: the server names "" as nextCursor'], not: ['not whole'] },
    ],
    ['empty-refused', { code: 0, stdout: ['Tools (1)', ...once, 'refuses to go on'], not: ['not whole'] }],
    ['empty-for-second', { code: 0, stdout: ['Tools (2)', ...both], not: noRemark }],
    ['null', { code: 0, stdout: ['Tools (1)', ...once, 'Mind: nextCursor is null'] }],
    ['number', { code: 1, stdout: ['Tools (1)', ...once, 'not whole: nextCursor is 2'] }],
    ['again', { code: 1, stdout: ['Tools (2)', ...both, 'not whole', 'same cursor twice: "a"'] }],
    ['ignored', { code: 1, stdout: ['Tools (1)', ...once, 'not whole', 'the same page again'] }],
    ['without-end', { code: 1, stdout: ['Tools (0)', 'not whole', '50 empty pages'] }],
    ['not-all-objects', { code: 0, stdout: ['Tools (1)', ...once, 'Mind: 2 of the tools are no objects'] }],
    ['object', { code: 1, stdout: ['Tools (0)', 'not whole', 'no tools that are a list'] }],
  ])('whose cursors are %s', ([kind, seen], { host }) =>
    isSeen(host, { name: kind, peer: ['odd-cursors.mjs', kind], ...seen }),
  );

  test.for<[kind: string, seen: Seen]>([
    ['legal', { code: 0, stdout: ['none()', 'closed()', 'inside(a?: string|null)'], not: noRemark }],
    ['twice', { code: 0, stdout: ['first', 'second', 'Search()', 'Mind: 2 tools have the name "search"'] }],
    [
      'foreign',
      { code: 0, stdout: ['remote(a?: any)', 'Mind: ', '/schema.json": that is not fetched'], not: ['FETCHED'] },
    ],
    [
      'broken',
      {
        code: 0,
        stdout: [
          'no-schema',
          'null-schema',
          'Mind: tool 1 has no name',
          '"no-schema" has no inputSchema',
          'null, no object',
          'inputSchema without "type": "object"',
          'outputSchema without "type": "object"',
        ],
      },
    ],
  ])('whose definitions are %s', ([kind, seen], { host }) =>
    isSeen(host, { name: kind, peer: ['odd-definitions.mjs', kind], ...seen }),
  );

  test('a call of one of two tools of a name says so', ({ host }) =>
    isSeen(host, {
      name: '',
      peer: ['odd-definitions.mjs', 'twice'],
      words: ['search'],
      code: 0,
      stderr: ['2 tools of the name "search"'],
    }));

  test('a call whose schema is elsewhere is not checked, says so, and fetches nothing', ({ host }) =>
    isSeen(host, {
      name: '',
      peer: ['odd-definitions.mjs', 'foreign'],
      words: ['remote', 'a=x'],
      code: 0,
      stdout: ['"fetched": 0'],
      stderr: ['were not checked'],
      not: ['FETCHED'],
    }));
});
