// Refuses requests of the modern era with the error codes of its drafts.
import { answer, failure, isModern, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (!isModern(message)) return answer(request, response, message);
  const errors = {
    'tools/call': [-32001, 'Header mismatch'],
    'prompts/get': [-32003, 'Missing capability', { requiredCapabilities: {} }],
  };
  const versions = { supported: ['2025-11-25'], requested: '2026-07-28' };
  const error = errors[message.method] ?? [-32004, 'Unsupported protocol version', versions];
  json(response, 400, failure(message.id, ...error));
});
