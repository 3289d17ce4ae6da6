// Has an issuer with a path, and its metadata only where RFC 8414 puts it then.
import { own, serverMetadata, serveProtected } from './protected.mjs';

serveProtected(
  (request) => ({
    '/.well-known/oauth-protected-resource/mcp': {
      resource: `${own(request)}/mcp`,
      authorization_servers: [`${own(request)}/tenant1`],
    },
    '/.well-known/oauth-authorization-server/tenant1': serverMetadata(`${own(request)}/tenant1`),
  }),
  (request) => `Bearer resource_metadata="${own(request)}/.well-known/oauth-protected-resource/mcp"`,
);
