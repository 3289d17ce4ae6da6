// What servers that want a token are made of. They know themselves by the Host that they are asked under.
import { answer, json, serve } from './behaves.mjs';

export const own = ({ headers }) => `http://${headers.host}`;

export const serverMetadata = (issuer) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});

/** Serves documents by their path, and the rest to whom has a token; the others are told to get one. */
export function serveProtected(documents, challenge) {
  serve((request, response, message) => {
    const document = documents(request)[request.url];
    if (document) return json(response, 200, document);
    if (request.url.includes('.well-known')) return json(response, 404, {});
    if (request.headers.authorization) return answer(request, response, message);
    response.writeHead(401, { 'WWW-Authenticate': challenge(request) }).end();
  });
}
