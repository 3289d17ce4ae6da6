// Acknowledges a subscription with nothing in it, and keeps the stream open with comments for ever.
import { answer, events, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (message?.method !== 'subscriptions/listen') return answer(request, response, message);
  const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': message.id }, notifications: {} };
  const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
  events(response).write(`data: ${JSON.stringify(acknowledged)}\n\n`);
  const comments = setInterval(() => response.write(':\r\n\r\n'), 50);
  response.on('close', () => clearInterval(comments));
});
