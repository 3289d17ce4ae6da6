// A server of the 2024-11-05 transport, HTTP+SSE, made with the official SDK, v1.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Handler } from './handler.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

function createServer(): McpServer {
  const server = new McpServer({ name: 'http-plus-sse', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => text(message));
  server.registerTool('ask', {}, async (extra) => {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    const { action, content } = await extra.sendRequest(
      { method: 'elicitation/create', params: { mode: 'form', message: 'Who are you?', requestedSchema } },
      ElicitResultSchema,
    );
    return text(`${action}: ${String(content?.['name'])}`);
  });
  return server;
}

/** How the `endpoint` event names the place to post to. */
export type EndpointForm = 'a path' | 'a URL';

/** Events at /sse, messages to /messages. */
export function httpPlusSse(form: EndpointForm): Handler {
  const open = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/messages') {
      const transport = open.get(searchParams.get('sessionId') ?? '');
      if (transport) await transport.handlePostMessage(request, response);
      else response.writeHead(404).end();
      return;
    }
    if (form === 'a URL') {
      const write = response.write.bind(response) as (chunk: string) => boolean;
      const origin = `http://${request.headers.host}`;
      // The SDK's own transport only ever says a path.
      response.write = ((chunk: string) =>
        write(chunk.replace('data: /messages', `data: ${origin}/messages`))) as never;
    }
    const transport = new SSEServerTransport('/messages', response);
    open.set(transport.sessionId, transport);
    response.on('close', () => open.delete(transport.sessionId));
    await createServer().connect(transport);
  };
}
