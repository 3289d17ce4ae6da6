// Ends in the middle of a call, without a word: whether it did what it was asked for, nobody can know.
import { createInterface } from 'node:readline';

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (rest) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
  if (method === 'tools/call') process.exit(3);
  else if (method === 'initialize') {
    const serverInfo = { name: 'dies-at-a-call', version: '1' };
    answer({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (id !== undefined) answer({ error: { code: -32601, message: 'Method not found' } });
});
