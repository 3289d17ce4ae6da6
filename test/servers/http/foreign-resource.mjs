// Says that its resource is one of another origin.
import { own, serverMetadata, serveProtected } from './protected.mjs';

const path = '/.well-known/oauth-protected-resource/mcp';

serveProtected(
  (request) => ({
    [path]: { resource: 'https://other.example/api', authorization_servers: [own(request)] },
    '/.well-known/oauth-authorization-server': serverMetadata(own(request)),
  }),
  (request) => `Bearer resource_metadata="${own(request)}${path}"`,
);
