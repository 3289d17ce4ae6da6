// Has the metadata of its resource at the root alone, and says nothing of it.
import { own, serverMetadata, serveProtected } from './protected.mjs';

serveProtected(
  (request) => ({
    '/.well-known/oauth-protected-resource': {
      resource: `${own(request)}/mcp`,
      authorization_servers: [own(request)],
    },
    '/.well-known/oauth-authorization-server': serverMetadata(own(request)),
  }),
  () => 'Bearer',
);
