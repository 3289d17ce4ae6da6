// Wants an argument of many tools said in a header whose name can be none. A client has to leave those tools out.
import { echo } from '../behaves.mjs';
import { answer, isModern, json, result, serve } from './behaves.mjs';

const properties = { text: { type: 'string', 'x-mcp-header': 'My Text\nwireproof: all is well' } };
const wrong = Array.from({ length: 12 }, (_, index) => ({
  name: `wrong-${index + 1}`,
  inputSchema: { type: 'object', properties },
}));

serve((request, response, message) => {
  const value =
    message?.method === 'server/discover'
      ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: { name: 'wrong', version: '1' } }
      : message?.method === 'tools/list' && { tools: [...wrong, echo] };
  if (!value || !isModern(message)) return answer(request, response, message);
  json(response, 200, result(message.id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...value }));
});
