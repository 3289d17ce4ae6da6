// Gives cache hints that are not allowed, or differ between the pages of one list.
import { echo } from '../behaves.mjs';
import { answer, json, result, serve } from './behaves.mjs';

serve((request, response, message) => {
  const pages = {
    'tools/list': message?.params?.cursor
      ? { tools: [], ttlMs: 10, cacheScope: 'public' }
      : { tools: [echo], nextCursor: 'n', ttlMs: 10, cacheScope: 'private' },
    'prompts/list': { prompts: [], ttlMs: -1, cacheScope: 'shared' },
    'resources/list': { resources: [], ttlMs: 1.5 },
  };
  const page = pages[message?.method];
  if (!page) return answer(request, response, message);
  json(response, 200, result(message.id, { resultType: 'complete', ...page }));
});
