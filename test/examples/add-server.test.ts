import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { line, messagesIn, pathOf, run } from './program.ts';

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wireproof-add-server-'));
  program = join(folder, 'add-server.mjs');
  const bundle = await rolldown({
    input: pathOf('../../examples/add-server.ts'),
    platform: 'node',
  });
  await bundle.write({ file: program, format: 'esm' });
  await bundle.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const ADD = {
  name: 'add',
  title: 'Addition Tool',
  description: 'Add two numbers',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};
const LIST = '{"jsonrpc":"2.0","method":"tools/list","id":1}\n';
const SUM = { content: [{ type: 'text', text: '3' }] };
const call = (id: number, input: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add","arguments":${input}}}\n`;

test('a tools/list sent first is answered with the manifest and nothing more', async () => {
  const { code, stdout, stderr } = await run([program], { input: LIST });
  expect(messagesIn(stdout)).toEqual([{ jsonrpc: '2.0', id: 1, result: { tools: [ADD] } }]);
  expect(code).toBe(0);
  expect(stderr).toBe('demo-server: listening on stdio\n');
});

test('a tools/call sent first is answered', async () => {
  const { code, stdout } = await run([program], { input: call(7, '{"a":1, "b": 2}') });
  expect(messagesIn(stdout)).toEqual([{ jsonrpc: '2.0', id: 7, result: SUM }]);
  expect(code).toBe(0);
});

test('a string for a is an error that names a', async () => {
  const { stdout } = await run([program], { input: call(1, '{"a":"1", "b": 2}') });
  expect(messagesIn(stdout)).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(/\ba\b(?=: )/) }],
      },
    },
  ]);
});

test('every answer comes out although the input ends at once', async () => {
  const ids = Array.from({ length: 1000 }, (_, index) => index + 2);
  const input = LIST + ids.map((id) => call(id, `{"a":1,"b":${id}}`)).join('');
  const { code, stdout } = await run([program], { input });
  const answers = messagesIn(stdout).toSorted((one, other) => Number(one.id) - Number(other.id));
  expect(answers.map(({ id }) => id)).toEqual([1, ...ids]);
  expect(answers.at(-1)?.result).toEqual({ content: [{ type: 'text', text: '1002' }] });
  expect(code).toBe(0);
});

test('no input at all is a clean end too', async () => {
  expect(await run([program])).toMatchObject({ code: 0, stdout: '' });
});

test('modern messages typed by hand are answered in their own era', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const input =
    line({ id: 1, method: 'server/discover', params: { _meta } }) +
    line({ id: 2, method: 'tools/list', params: { _meta } });
  const { code, stdout } = await run([program], { input });
  expect(messagesIn(stdout)).toMatchObject([
    { id: 1, result: { resultType: 'complete', supportedVersions: ['2026-07-28'] } },
    { id: 2, result: { resultType: 'complete', tools: [ADD] } },
  ]);
  expect(code).toBe(0);
});

test('the v1 client lists and calls', async () => {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], stderr: 'ignore' }));
  expect(client.getServerVersion()).toEqual({ name: 'demo-server', version: '1.0.0' });
  expect((await client.listTools()).tools).toEqual([ADD]);
  expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toEqual(SUM);
  const refused = await client.callTool({ name: 'add', arguments: { a: '1', b: 2 } });
  expect(refused.isError).toBe(true);
});

test.each([
  { mode: 'legacy', speaks: '2025-11-25' },
  { mode: 'auto', speaks: '2026-07-28' },
  { mode: { pin: '2026-07-28' }, speaks: '2026-07-28' },
] as const)('the v2 client lists and calls, mode $mode', async ({ mode, speaks }) => {
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new ModernStdio({ command: process.execPath, args: [program], stderr: 'ignore' }));
  expect(client.getNegotiatedProtocolVersion()).toBe(speaks);
  expect((await client.listTools()).tools).toEqual([ADD]);
  expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject(SUM);
  const refused = await client.callTool({ name: 'add', arguments: { a: '1', b: 2 } });
  expect(refused.isError).toBe(true);
});
