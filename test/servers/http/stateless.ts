// A Streamable HTTP server for both eras made with the official SDK, v2: it has no sessions.
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { pause, until } from '../../e2e/support/until.ts';
import { fetchListener } from './fetch-listener.ts';
import type { Handler } from './handler.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const answer = z.object({ name: z.string() });

/** Serves it at every path. */
export function stateless(): Handler {
  let givenUp = 0;

  function createServer(): McpServer {
    const server = new McpServer({ name: 'stateless', version: '1.0.0' });
    server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => text(message));
    server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      mcpReq.signal.addEventListener('abort', () => givenUp++);
      for (let progress = 1; progress <= to && !mcpReq.signal.aborted; progress++) {
        const params = { progressToken: progressToken ?? '', progress, total: to };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
        await pause(20);
      }
      return text(`counted to ${to}`);
    });
    server.registerTool('given-up', {}, async () => {
      await until('a call is given up', () => givenUp > 0);
      return text('given up');
    });
    server.registerTool('ask', {}, ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, 'who', answer);
      if (given) return text(`accept: ${given.name}`);
      const who = inputRequired.elicit({ message: 'Who are you?', requestedSchema: answer });
      return inputRequired({ inputRequests: { who }, requestState: 'asked' });
    });
    server.registerTool('announce', {}, () => {
      handler.notify.toolsChanged();
      return text('announced');
    });
    return server;
  }

  const handler = createMcpHandler(createServer);
  return fetchListener(handler.fetch);
}
