// Calls a tool again and again over one connection, one call after the other. Prints its figures, in microseconds.
//   tool-calls minimal|wireproof|sdk|sdk2 COUNT COMMAND [ARGUMENT…]
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { percentiles } from './percentiles.mjs';

const [which, count, ...command] = process.argv.slice(2);
const clientInfo = { name: 'bench', version: '1.0.0' };

async function withSdk(Client, Transport) {
  const client = new Client(clientInfo);
  await client.connect(new Transport({ command: command[0], args: command.slice(1) }));
  return { callTool: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
}

const connections = {
  minimal: async () => (await import('./minimal-client.mjs')).connect(command),
  wireproof: async () => {
    const { connect } = await import(pathToFileURL(path.resolve('dist/client.js')).href);
    return connect(command);
  },
  sdk: async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return withSdk(Client, StdioClientTransport);
  },
  sdk2: async () => {
    const { Client } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return withSdk(Client, StdioClientTransport);
  },
};

const client = await connections[which]();
const text = 'x'.repeat(100);
const times = [];
for (let turn = 0; turn < Number(count); turn++) {
  const start = performance.now();
  await client.callTool('echo', { text });
  times.push((performance.now() - start) * 1000);
}
await client.close();
process.stdout.write(JSON.stringify({ ...percentiles(times), trace: client.trace }));
