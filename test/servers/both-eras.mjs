// A server made with the official SDK: it speaks both eras, and has one tool that answers at once and one that takes its time.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { pause, text } from './behaves.mjs';

function createServer() {
  const server = new McpServer({ name: 'both-eras', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => text(message));
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= to && !mcpReq.signal.aborted; progress++) {
      await pause(20);
      const params = { progressToken, progress, total: to };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return text(`counted to ${to}`);
  });
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }));
  server.registerResource('readme', 'test://readme', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'Read me.' }],
  }));
  return server;
}

serveStdio(createServer);
