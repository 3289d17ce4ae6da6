// Agrees on 2025-06-18 whatever was asked for, refuses every later request that does not say so in its header, and tells
// which headers it saw.
import { answer, failure, json, result, serve } from './behaves.mjs';

const version = '2025-06-18';
const seen = [];

serve((request, response, message) => {
  const header = request.headers['mcp-protocol-version'] ?? null;
  if (message) seen.push({ method: message.method, header });
  if (message?.method === 'initialize') message.params.protocolVersion = version;
  else if (message?.method === 'vendor/seen') return json(response, 200, result(message.id, { seen }));
  else if (request.method === 'POST' && header !== version) {
    return json(response, 400, failure(null, -32000, `Bad Request: Unsupported protocol version: ${header}`));
  }
  answer(request, response, message);
});
