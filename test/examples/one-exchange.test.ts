import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { error, exchangeSuite, printed, TOOL } from './exchange-suite.ts';
import { answersTo, line, messagesIn, pathOf, run } from './program.ts';

const EXAMPLE = pathOf('../../examples/one-exchange.mjs');
const SERVER = {
  command: process.execPath,
  args: [EXAMPLE, '--server'],
  stderr: 'ignore' as const,
};
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'one-exchange-server', version: '1.0.0' },
};
const says = (text: string) => ({ content: [{ type: 'text', text }] });
const initialize = (params: object) => line({ id: 1, method: 'initialize', params });
const offer = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };

exchangeSuite({
  example: 'one-exchange.mjs',
  params: (params) => params,
  result: (result) => result,
  opening: initialize({ protocolVersion: '2025-11-25', ...offer }) + line({ method: 'notifications/initialized' }),
  always: { method: 'ping' },
  first: 'initialize',
});

test('the whole conversation', async () => {
  const { stdout } = await run([EXAMPLE]);
  const clientInfo = { name: 'one-exchange-client', version: '1.0.0' };
  expect(messagesIn(printed(stdout, '→'))).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ...['Tools return evidence', '', 42].map((text, index) => ({
      jsonrpc: '2.0',
      id: index + 3,
      method: 'tools/call',
      params: { name: 'count_words', arguments: { text } },
    })),
  ]);
  expect(messagesIn(printed(stdout, '←'))).toEqual([
    { jsonrpc: '2.0', id: 1, result: HELLO },
    { jsonrpc: '2.0', id: 2, result: { tools: [TOOL] } },
    { jsonrpc: '2.0', id: 3, result: says('3') },
    { jsonrpc: '2.0', id: 4, result: says('0') },
    { jsonrpc: '2.0', id: 5, result: { ...says(expect.any(String)), isError: true } },
  ]);
});

test('before initialize only ping is answered', async () => {
  const refused = [error(-32600, 1)];
  const inputs: [string, unknown[]][] = [
    [line({ id: 1, method: 'tools/list' }), refused],
    [line({ id: 1, method: 'tools/call', params: { name: 'count_words' } }), refused],
    [line({ id: 1, method: 'no/such' }), refused],
    [line({ id: 1, method: 'ping' }), [{ jsonrpc: '2.0', id: 1, result: {} }]],
    [line({ method: 'notifications/initialized' }), []],
    [initialize({ protocolVersion: '2025-11-25' }), [error(-32602, 1)]],
    [initialize(offer), [error(-32602, 1)]],
    [line({ id: 1, method: 'tools/list' }), refused],
    // A version that is not spoken here is answered with the one that is.
    [initialize({ protocolVersion: '1999-12-31', ...offer }), [{ jsonrpc: '2.0', id: 1, result: HELLO }]],
    [line({ id: 1, method: 'tools/list' }), [{ jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } }]],
  ];
  const answers = await answersTo(
    SERVER.args,
    inputs.map(([input]) => input),
    { method: 'ping' },
  );
  expect(answers).toEqual(inputs.map(([, expected]) => expected));
});

test('the client does not go on in another version', async () => {
  const alter = ['--import', pathOf('./altered-output.mjs'), ...SERVER.args];
  const { code, stdout, stderr } = await run([EXAMPLE, '--', process.execPath, ...alter], {
    env: { FROM: '2025-11-25', TO: '2024-11-05' },
  });
  expect(stderr).toContain('client: the server speaks 2024-11-05, not 2025-11-25\n');
  expect(messagesIn(printed(stdout, '→'))).toHaveLength(1);
  expect(code).toBe(1);
});

test('the client answers a ping', async () => {
  const alter = ['--import', pathOf('./altered-output.mjs'), ...SERVER.args];
  const { code, stdout } = await run([EXAMPLE, '--', process.execPath, ...alter], {
    env: { FROM: '.*"id":2.*\n', TO: `${line({ id: 'p', method: 'ping' })}$&` },
  });
  expect(messagesIn(printed(stdout, '→'))).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  expect(code).toBe(0);
});

test('the v1 client lists and calls', async () => {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport(SERVER));
  expect(client.getServerVersion()).toEqual(HELLO.serverInfo);
  expect((await client.listTools()).tools).toEqual([TOOL]);
  const count = (text: unknown) => client.callTool({ name: 'count_words', arguments: { text } });
  expect(await count('Tools return evidence')).toEqual(says('3'));
  expect(await count(42)).toMatchObject({ isError: true });
  await expect(client.callTool({ name: 'no-such' })).rejects.toMatchObject({ code: -32602 });
});

test.each(['legacy', 'auto'] as const)('the v2 client lists and calls, mode %s', async (mode) => {
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new ModernStdio(SERVER));
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  expect((await client.listTools()).tools).toEqual([TOOL]);
  const count = (text: unknown) => client.callTool({ name: 'count_words', arguments: { text } });
  expect(await count('Tools return evidence')).toEqual(says('3'));
  expect(await count(42)).toMatchObject({ isError: true });
});

test('the v2 client that wants 2026-07-28 is turned away', async () => {
  const mode = { pin: '2026-07-28' };
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await expect(client.connect(new ModernStdio(SERVER))).rejects.toThrow();
});
