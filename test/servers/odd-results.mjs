// Answers each tool in another way than it should, or in an odd way that is legal. Speaks 2026-07-28 where it is told so.
import { reply, send, serve, text } from './behaves.mjs';

const isModern = process.argv[2] === 'modern';
const temperature = { type: 'object', properties: { temp: { type: 'number' } }, required: ['temp'] };
const list = { type: 'array', items: { type: 'integer' } };

const results = {
  missing: [text('21'), temperature],
  failed: [{ ...text('sensor offline'), isError: true, structuredContent: { error: 'offline' } }, temperature],
  list: [{ ...text('[1,2]'), structuredContent: [1, 2] }, list],
  'no-content': [{ toolResult: 'from long ago' }],
  'text-content': [{ content: 'just text' }],
  'mixed-content': [{ content: ['loose', { type: 'video', url: 'https://video.example/1' }, ...text('last').content] }],
  'data-url': [{ content: [{ type: 'image', data: 'data:image/png;base64,AAAA', mimeType: 'image/png' }] }],
  'text-is-error': [{ ...text('no'), isError: 'true' }],
  finished: [{ ...text('x'), resultType: 'finished' }],
};

const hints = { ttlMs: -1, cacheScope: 'shared' };
const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test-server', version: '1.0.0' } },
};

serve((message) => {
  const { id, method, params } = message;
  const answer = (result) => send({ id, result: isModern ? { resultType: 'complete', ...result } : result });
  if (isModern && method === 'server/discover') return answer({ ...discovered, ...hints });
  if (method === 'tools/list') {
    const tools = Object.entries(results).map(([name, [, outputSchema]]) => ({
      name,
      inputSchema: { type: 'object' },
      outputSchema,
    }));
    return answer({ tools, ...(isModern ? { ttlMs: 1.5 } : {}) });
  }
  if (method === 'tools/call' && results[params.name]) return answer(results[params.name][0]);
  if (method === 'resources/read') {
    return answer({ contents: ['loose', { uri: params.uri, blob: 'no base64!' }, { uri: params.uri, text: 'last' }] });
  }
  if (method === 'prompts/get') {
    return answer({
      messages: [
        { role: 'system', content: 'just text' },
        { role: 'user', content: text('last').content[0] },
      ],
    });
  }
  reply(message);
});
