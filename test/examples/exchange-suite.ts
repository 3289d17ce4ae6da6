import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answersTo, line, type Message, messagesIn, pathOf, run } from './program.ts';

/** In what the two exchanges differ. */
export interface Dialect {
  /** The name of the file in `examples/`. */
  example: string;
  /** The params of a request, with whatever each request has to say. */
  params: (params: object) => object;
  /** A result, with whatever each result has to say. */
  result: (result: object) => object;
  /** What is typed before the rows, and a request that is always answered. */
  opening: string;
  always: { method: string; params?: object };
  /** The first request of the client. */
  first: string;
}

export const TOOL = {
  name: 'count_words',
  description: expect.stringContaining('not a language-aware word count') as string,
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 1000 } },
    required: ['text'],
    additionalProperties: false,
  },
};

/** What the client printed in one direction, each line without its arrow. */
export const printed = (stdout: string, arrow: '→' | '←') =>
  stdout
    .split('\n')
    .filter((text) => text.startsWith(`${arrow} `))
    .map((text) => `${text.slice(2)}\n`)
    .join('');

export const error = (code: number, id?: string | number) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message: expect.any(String) as string },
});

/** All that holds for an exchange of either era. */
export function exchangeSuite({ example, params, result, opening, always, first }: Dialect) {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wireproof-exchange-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const EXAMPLE = pathOf(`../../examples/${example}`);
  const SERVER = [EXAMPLE, '--server'];
  const NODE = process.execPath;

  test.concurrent('is read in five minutes and needs no packages', async () => {
    const text = await readFile(EXAMPLE, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
    const imported = [...text.matchAll(/from '(.*)'/g)].map(([, name]) => name);
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
  });

  test.concurrent('prints messages with their direction and nothing else', async () => {
    const { code, stdout, stderr } = await run([EXAMPLE]);
    expect(stderr).toBe('server: ready\nserver: input closed\n');
    expect(stdout.split('\n').filter((text) => !/^[→←] \{"jsonrpc"/.test(text))).toEqual(['']);
    expect(code).toBe(0);
  });

  test.concurrent('a command in between sees what is printed', async () => {
    const between = [NODE, pathOf('./pass-through.mjs'), NODE, ...SERVER];
    const { code, stdout } = await run([EXAMPLE, '--', ...between], { env: { KEEP_IN: folder } });
    expect(code).toBe(0);
    expect(await readFile(join(folder, 'client'), 'utf8')).toBe(printed(stdout, '→'));
    expect(await readFile(join(folder, 'server'), 'utf8')).toBe(printed(stdout, '←'));
  });

  // The server, with messages typed by hand: all rows into one process.
  const request = (method: string, more: object = {}) => line({ id: 1, method, params: params(more) });
  const call = (input: unknown) => request('tools/call', { name: 'count_words', arguments: input });
  const outcome = (text: unknown, more: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    result: result({ content: [{ type: 'text', text }], ...more }),
  });
  const counts = (count: number) => [outcome(String(count))];
  const fails = (word: string) => [outcome(expect.stringContaining(word), { isError: true })];
  const refused = (code: number, id?: string | number) => [error(code, id)];
  const alive = (id: string | number) => [expect.objectContaining({ jsonrpc: '2.0', id, result: expect.anything() })];
  const euros = '€'.repeat(30_000);

  const rows: { name: string; input: string | Uint8Array; answers: unknown[] }[] = [
    { name: 'three words', input: call({ text: 'Tools return evidence' }), answers: counts(3) },
    { name: 'an empty text', input: call({ text: '' }), answers: counts(0) },
    { name: 'only white space', input: call({ text: ' \t\n\u3000 ' }), answers: counts(0) },
    {
      name: 'tokens of any kind',
      input: call({ text: " it's\na-b\u00a0— 三語 " }),
      answers: counts(4),
    },
    {
      name: 'U+2028 in a text',
      input: call({ text: 'a' }).replace('a"}', 'a\u2028b"}'),
      answers: counts(2),
    },
    { name: 'a number', input: call({ text: 42 }), answers: fails('text') },
    { name: 'null', input: call({ text: null }), answers: fails('text') },
    { name: 'no text', input: call({}), answers: fails('text') },
    { name: 'no arguments', input: call(undefined), answers: fails('text') },
    { name: 'an extra member', input: call({ text: 'a', unit: 'b' }), answers: fails('unit') },
    { name: '1,000 characters', input: call({ text: 'x'.repeat(1000) }), answers: counts(1) },
    { name: '1,001 characters', input: call({ text: 'x'.repeat(1001) }), answers: fails('1000') },
    { name: '1,000 emoji', input: call({ text: '😀'.repeat(1000) }), answers: counts(1) },
    { name: '1,001 emoji', input: call({ text: '😀'.repeat(1001) }), answers: fails('1000') },
    {
      name: 'the tools',
      input: request('tools/list'),
      answers: [expect.objectContaining({ id: 1, result: expect.objectContaining({ tools: [TOOL] }) })],
    },
    {
      name: 'an unknown tool',
      input: request('tools/call', { name: 'x' }),
      answers: refused(-32602, 1),
    },
    { name: 'a call without a name', input: request('tools/call'), answers: refused(-32602, 1) },
    { name: 'arguments in a list', input: call(['a']), answers: refused(-32602, 1) },
    {
      name: 'params in a list',
      input: line({ id: 1, method: 'tools/list', params: [] }),
      answers: refused(-32602, 1),
    },
    {
      name: 'params null',
      input: line({ id: 1, method: 'tools/list', params: null }),
      answers: refused(-32602, 1),
    },
    { name: 'an unknown method', input: request('no/such'), answers: refused(-32601, 1) },
    {
      name: 'a method that any object has',
      input: request('toString'),
      answers: refused(-32601, 1),
    },
    { name: 'no JSON', input: 'hello\n', answers: refused(-32700) },
    { name: 'half a message', input: '{"jsonrpc":"2.0","id":1,\n', answers: refused(-32700) },
    {
      name: 'no UTF-8',
      input: Buffer.from('7b2261223a22ff227d0a', 'hex'),
      answers: refused(-32700),
    },
    { name: 'a number on its own', input: '42\n', answers: refused(-32600) },
    { name: 'null on its own', input: 'null\n', answers: refused(-32600) },
    { name: 'a batch', input: `[${call({ text: '' }).trim()}]\n`, answers: refused(-32600) },
    { name: 'an id and no method', input: line({ id: 1 }), answers: refused(-32600, 1) },
    {
      name: 'a method that is no string',
      input: line({ id: 1, method: 5 }),
      answers: refused(-32600, 1),
    },
    {
      name: 'no jsonrpc',
      input: '{"id":"x","method":"tools/list"}\n',
      answers: refused(-32600, 'x'),
    },
    { name: 'the id null', input: line({ id: null, ...always }), answers: refused(-32600) },
    { name: 'a broken id', input: line({ id: 1.5, ...always }), answers: refused(-32600) },
    {
      name: 'an id beyond 2^53',
      input: line({ ...always, id: 0 }).replace('"id":0', '"id":9007199254740993'),
      answers: refused(-32600),
    },
    { name: 'the id 0', input: line({ ...always, id: 0 }), answers: alive(0) },
    { name: 'an empty id', input: line({ ...always, id: '' }), answers: alive('') },
    {
      name: 'a notification',
      input: line({ method: 'notifications/cancelled', params: {} }),
      answers: [],
    },
    {
      name: 'an unknown notification',
      input: line({ method: 'no/such', params: [] }),
      answers: [],
    },
    { name: 'a response', input: line({ id: 1, result: {} }), answers: [] },
    { name: 'blank lines', input: '\n\r\n  \n', answers: [] },
    { name: 'CRLF', input: call({ text: '' }).replace('\n', '\r\n'), answers: counts(0) },
    // Each is longer than one read, and they are one byte apart: some read ends inside a character.
    ...['', '_', '__'].map((shift) => ({
      name: `cut characters ${shift}`,
      input: request(shift + euros),
      answers: [
        {
          ...error(-32601, 1),
          error: { code: -32601, message: expect.stringContaining(shift + euros) },
        },
      ],
    })),
  ];
  let typed: Promise<Message[][]> | undefined;
  test.concurrent.each(rows.map((row, index) => ({ ...row, index })))(
    'the server, typed to: $name',
    async ({ index, answers }) => {
      typed ??= answersTo(SERVER, [opening, ...rows.map(({ input }) => input)], always);
      expect((await typed)[index + 1]).toEqual(answers);
    },
  );

  test.concurrent('a last line without its end is answered too', async () => {
    const { code, stdout } = await run(SERVER, { input: `${opening}${call({ text: '' }).trim()}` });
    expect(messagesIn(stdout).at(-1)).toEqual(counts(0)[0]);
    expect(code).toBe(0);
  });

  test.concurrent('no input at all is a clean end of the server', async () => {
    expect(await run(SERVER)).toMatchObject({ code: 0, stdout: '' });
  });

  // The client, in front of servers that are wrong in one place.
  const altered = (FROM: string, TO: string, more: readonly string[] = []) =>
    run([...more, EXAMPLE, '--', NODE, '--import', pathOf('./altered-output.mjs'), ...SERVER], {
      env: { FROM, TO },
    });

  test.concurrent.each([
    ['a line that is no message', '^', 'Listening\n', 'the server wrote a line that is no message'],
    ['another id', '"id":2', '"id":"2"', 'not the answer to tools/list: its id is not 2'],
    ['an error', '"id":2,"result":', '"id":2,"error":', 'tools/list was refused: {'],
    ['neither result nor error', '"id":2,"result":', '"id":2,"answer":', /tools\/list (has no result|is not complete)/],
    ['no such tool', '"name":"count_words"', '"name":"count"', 'the server has no tool count_words'],
    ['a wrong count', '"text":"3"', '"text":"4"', 'three words were not counted as 3'],
    ['a wrong count of nothing', '"text":"0"', '"text":"1"', 'an empty text was not counted as 0'],
    ['a success that should fail', '"isError":true', '"isError":false', 'a number was not refused with isError'],
    ['a failure that should succeed', '"text":"3"\\}\\]', '$&,"isError":true', 'three words were not counted as 3'],
    ['an answer too many', '.*"id":5.*\n', '$&$&', 'the server sent an answer to nothing'],
  ])('the client is not content with %s', async (_, from, to, complaint) => {
    const { code, stderr } = await altered(from, to);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^server: ready\n(server: input closed\n)?client: .*\n(server: input closed\n)?$/);
    expect(stderr).toMatch(complaint);
  });

  test.concurrent.each([
    ['CRLF and blank lines', '\n', '\r\n\r\n \n'],
    ['notifications', '^', line({ method: 'notifications/message', params: {} })],
    ['a result that says it is no error', '"text":"3"\\}\\]', '$&,"isError":false'],
  ])('the client takes %s', async (_, from, to) => {
    const { code, stderr } = await altered(from, to);
    expect(stderr).toBe('server: ready\nserver: input closed\n');
    expect(code).toBe(0);
  });

  test.concurrent('the client prints exactly what came, however it was cut', async () => {
    const title = '😀'.repeat(30_000);
    const { code, stdout } = await altered('"version"', `"title":"${title}","version"`);
    expect(code).toBe(0);
    expect(printed(stdout, '←')).toContain(`"title":"${title}","version"`);
  });

  test.concurrent.each([
    ['a program that is not there', ['no-such-program'], 'cannot start no-such-program'],
    ['a folder', [pathOf('.')], 'cannot start'],
    ['a server that ends at once', [NODE, '-e', ''], `without answering ${first}`],
    [
      'a server that dies when asked',
      [NODE, '-e', 'process.stdin.once("data", () => process.kill(process.pid, "SIGKILL"))'],
      `without answering ${first}`,
    ],
    [
      'a server that hangs up after its first answer',
      [
        NODE,
        '-e',
        `process.stdin.once("data", (data) => {
          const result = {
            protocolVersion: "2025-11-25",
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
          };
          const answer = JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(data).id, result });
          process.stdin.destroy().once("close", () => {
            require("node:fs").closeSync(0);
            console.log(answer);
          });
        })`,
      ],
      'without answering tools/list',
    ],
  ])('the client says what is wrong with %s', async (_, command, complaint) => {
    const { code, stderr } = await run([EXAMPLE, '--', ...command]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^client: .*\n$/);
    expect(stderr).toContain(complaint);
  });

  test.concurrent('the client is not content with a server that ends badly', async () => {
    const fail = 'data:text/javascript,process.on("exit", () => { process.exitCode = 3; })';
    const { code, stderr } = await run([EXAMPLE, '--', NODE, '--import', fail, ...SERVER]);
    expect(code).toBe(1);
    expect(stderr).toContain('client: the server ended with exit code 3\n');
  });

  const lent = ['--import', pathOf('./lent-clock.mjs'), EXAMPLE, '--'];
  const stay = 'setTimeout(() => console.error("still here"), 50_000);';
  const timeIsUp = 'require("node:fs").writeFileSync(process.env.TIME_IS_UP, "")';

  test.concurrent('the client gives a silent server 10 seconds', async () => {
    const TIME_IS_UP = join(folder, 'answering-time-is-up');
    const silent = `process.stdin.once("data", () => ${timeIsUp}); ${stay}`;
    const { code, stderr } = await run([...lent, NODE, '-e', silent], { env: { TIME_IS_UP } });
    expect(stderr).toBe(`client: no answer to ${first} within 10 seconds\n`);
    expect(code).toBe(1);
  });

  test.concurrent('the client gives a server 10 seconds to end', async () => {
    const TIME_IS_UP = join(folder, 'ending-time-is-up');
    const staying = `data:text/javascript,import { createRequire } from "node:module";
      const require = createRequire("file:///"); ${stay}
      process.stdin.once("end", () => ${timeIsUp});`;
    const { code, stderr } = await run([...lent, NODE, '--import', staying, ...SERVER], {
      env: { TIME_IS_UP },
    });
    expect(existsSync(TIME_IS_UP)).toBe(true);
    expect(stderr).toContain('client: the server did not end its output within 10 seconds\n');
    expect(code).toBe(1);
  });

  test.concurrent.each([[['--help']], [['--']]])('%j is answered with the usage', async (args) => {
    const { code, stdout, stderr } = await run([EXAMPLE, ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`usage: node ${example} [--server | -- COMMAND...]\n`);
  });
}
