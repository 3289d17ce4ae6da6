// The smallest useful MCP server: one tool, over stdio, with the official SDK.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function createServer() {
  const server = new McpServer({ name: 'demo-server', version: '1.0.0' });

  server.registerTool(
    'add',
    {
      title: 'Addition Tool',
      description: 'Add two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );

  return server;
}

// The first message decides which era of the protocol is spoken; both are served.
serveStdio(createServer);

// stdout carries the protocol and nothing else, so a greeting goes to stderr.
console.error('demo-server: listening on stdio');
