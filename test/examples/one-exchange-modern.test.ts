import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { error, exchangeSuite, printed, TOOL } from './exchange-suite.ts';
import { answersTo, line, messagesIn, pathOf, run } from './program.ts';

const EXAMPLE = pathOf('../../examples/one-exchange-modern.mjs');
const SERVER = {
  command: process.execPath,
  args: [EXAMPLE, '--server'],
  stderr: 'ignore' as const,
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const IDENTITY = { name: 'one-exchange-server', version: '1.0.0' };
const complete = (result: object) => ({
  resultType: 'complete',
  ...result,
  _meta: { 'io.modelcontextprotocol/serverInfo': IDENTITY },
});
const says = (text: string) => ({ content: [{ type: 'text', text }] });
const cached = { ttlMs: 3_600_000, cacheScope: 'public' };
const DISCOVERY = complete({
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ...cached,
});
const LIST = complete({ tools: [TOOL], ...cached });
const discover = { method: 'server/discover', params: { _meta: META } };

exchangeSuite({
  example: 'one-exchange-modern.mjs',
  params: (params) => ({ ...params, _meta: META }),
  result: complete,
  opening: '',
  always: discover,
  first: 'server/discover',
});

test('the whole conversation', async () => {
  const { stdout } = await run([EXAMPLE]);
  const clientInfo = { name: 'one-exchange-client', version: '1.0.0' };
  const _meta = { ...META, 'io.modelcontextprotocol/clientInfo': clientInfo };
  expect(messagesIn(printed(stdout, '→'))).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } },
    ...['Tools return evidence', '', 42].map((text, index) => ({
      jsonrpc: '2.0',
      id: index + 3,
      method: 'tools/call',
      params: { name: 'count_words', arguments: { text }, _meta },
    })),
  ]);
  expect(messagesIn(printed(stdout, '←'))).toEqual([
    { jsonrpc: '2.0', id: 1, result: DISCOVERY },
    { jsonrpc: '2.0', id: 2, result: LIST },
    { jsonrpc: '2.0', id: 3, result: complete(says('3')) },
    { jsonrpc: '2.0', id: 4, result: complete(says('0')) },
    { jsonrpc: '2.0', id: 5, result: complete({ ...says(expect.any(String)), isError: true }) },
  ]);
});

test('each request is judged by its own _meta', async () => {
  const list = (_meta?: object) => line({ id: 1, method: 'tools/list', ...(_meta && { params: { _meta } }) });
  const { 'io.modelcontextprotocol/clientCapabilities': capabilities, ...onlyVersion } = META;
  const unsupported = (requested: string) => [
    {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32022,
        message: expect.stringContaining('2026-07-28'),
        data: { supported: ['2026-07-28'], requested },
      },
    },
  ];
  const version = (text: unknown) => ({ ...META, 'io.modelcontextprotocol/protocolVersion': text });
  const clientInfo = { name: 'test', version: '1' };
  const inputs: [string, unknown[]][] = [
    [list(META), [{ jsonrpc: '2.0', id: 1, result: LIST }]],
    [list(), [error(-32602, 1)]],
    [line({ id: 1, method: 'server/discover' }), [error(-32602, 1)]],
    [line({ id: 1, method: 'tools/list', params: { _meta: null } }), [error(-32602, 1)]],
    [list({}), [error(-32602, 1)]],
    [list(onlyVersion), [error(-32602, 1)]],
    [list({ 'io.modelcontextprotocol/clientCapabilities': capabilities }), [error(-32602, 1)]],
    [list(version(20260728)), [error(-32602, 1)]],
    [list({ ...META, 'io.modelcontextprotocol/clientCapabilities': [] }), [error(-32602, 1)]],
    [list(version('2025-11-25')), unsupported('2025-11-25')],
    [list(version('1999-12-31')), unsupported('1999-12-31')],
    [
      line({
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
      }),
      unsupported('2025-11-25'),
    ],
    [line({ id: 1, method: 'initialize' }), unsupported('unknown')],
    [line({ id: 1, method: 'ping', params: { _meta: META } }), [error(-32601, 1)]],
    [list(META), [{ jsonrpc: '2.0', id: 1, result: LIST }]],
  ];
  const answers = await answersTo(
    SERVER.args,
    inputs.map(([input]) => input),
    discover,
  );
  expect(answers).toEqual(inputs.map(([, expected]) => expected));
});

test.each([
  ['another version only', '\\["2026-07-28"\\]', '["2027-01-01"]', 'does not speak 2026-07-28'],
  ['a result that is not complete', '"complete"', '"input_required"', 'server/discover is not complete'],
  ['a request of its own', '^', line({ id: 's', method: 'roots/list' }), 'sent a request of its own'],
])('the client is not content with %s', async (_, FROM, TO, complaint) => {
  const alter = ['--import', pathOf('./altered-output.mjs'), ...SERVER.args];
  const { code, stderr } = await run([EXAMPLE, '--', process.execPath, ...alter], {
    env: { FROM, TO },
  });
  expect(stderr).toContain(complaint);
  expect(code).toBe(1);
});

test.each(['auto', { pin: '2026-07-28' }] as const)('the v2 client lists and calls, mode %j', async (mode) => {
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new ModernStdio(SERVER));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect((await client.listTools()).tools).toEqual([TOOL]);
  const count = (text: unknown) => client.callTool({ name: 'count_words', arguments: { text } });
  expect(await count('Tools return evidence')).toMatchObject(says('3'));
  expect(await count(42)).toMatchObject({ isError: true });
  await expect(client.callTool({ name: 'no-such' })).rejects.toMatchObject({ code: -32602 });
});

test('a v1 client is told which version is spoken', async () => {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await expect(client.connect(new StdioClientTransport(SERVER))).rejects.toMatchObject({
    code: -32022,
    message: expect.stringContaining('2026-07-28'),
    data: { supported: ['2026-07-28'] },
  });
});

test('a v2 client in legacy mode is turned away', async () => {
  const client = new ModernClient({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await expect(client.connect(new ModernStdio(SERVER))).rejects.toMatchObject({ code: -32022 });
});
