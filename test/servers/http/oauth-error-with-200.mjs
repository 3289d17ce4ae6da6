// Says with status 200 that a token is refused.
import { answer, json, serve } from './behaves.mjs';

serve((request, response, message) => {
  if (request.url !== '/token') return answer(request, response, message);
  json(response, 200, { error: 'invalid_grant', error_description: 'refresh token was used before' });
});
