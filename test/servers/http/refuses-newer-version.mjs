// Refuses a version that it does not speak, without an id, and offers none.
import { answer, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  const version = message?.method === 'initialize' ? message.params.protocolVersion : '';
  if (version <= '2025-06-18') return answer(request, response, message);
  json(response, 400, {
    jsonrpc: '2.0',
    error: { code: -32000, message: 'Bad Request: Unsupported protocol version' },
  });
});
