// A server of 2026-07-28 that asks for input where it may not, without saying which, again and again; and in a legal way.
import { reply, send, serve, text } from './behaves.mjs';

const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const ask = { method: 'elicitation/create', params };
const names = ['state', 'empty', 'loose', 'ask', 'moves', 'unknown'];
let round = 0;

function called({ name, requestState, inputResponses }) {
  if (name === 'state') return requestState === 'opaque-\u00e9' ? text('finished') : { requestState: 'opaque-\u00e9' };
  if (name === 'empty') return {};
  if (name === 'loose') return { inputRequests: { who: 'Who?' } };
  if (name === 'moves') return { requestState: `${++round}` };
  if (name === 'unknown') return { inputRequests: { own: { method: 'vendor/own', params: {} } } };
  const { action } = inputResponses?.who ?? {};
  return action === 'accept' ? text('thanks') : { inputRequests: { who: ask } };
}

const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, prompts: {} },
  ttlMs: 0,
  cacheScope: 'private',
};

serve((message) => {
  const { id, method } = message;
  const answer = (result) => send({ id, result });
  if (method === 'server/discover') return answer({ resultType: 'complete', ...discovered });
  if (method === 'prompts/list') return answer({ resultType: 'input_required', requestState: 's' });
  if (method === 'tools/list') {
    return answer({ resultType: 'complete', tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  }
  if (method !== 'tools/call') return reply(message);
  const result = called(message.params);
  answer({ resultType: 'content' in result ? 'complete' : 'input_required', ...result });
});
