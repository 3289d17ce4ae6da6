// The least that speaks with an MCP server over stdio: the handshake, requests, answers. Nothing is checked or kept.
//   minimal-client -- COMMAND [ARGUMENT…]     lists its tools
import { spawn } from 'node:child_process';

export async function connect([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const waiting = new Map();
  let held = '';
  let lastId = 0;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (held + text).split('\n');
    held = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params = {}) => {
    const id = ++lastId;
    send({ id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const clientInfo = { name: 'minimal', version: '1.0.0' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  const close = () => {
    child.stdin.end();
    return over;
  };
  return { request, callTool: (name, args) => request('tools/call', { name, arguments: args }), close };
}

if (process.argv[2] === '--') {
  const client = await connect(process.argv.slice(3));
  const { tools } = await client.request('tools/list');
  process.stdout.write(`${tools.map(({ name }) => name).join('\n')}\n`);
  await client.close();
}
