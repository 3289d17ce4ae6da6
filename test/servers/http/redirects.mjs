// Redirects, to a path of its own, to a URL of its own, in a circle, and to another origin.
import { createServer } from 'node:http';
import { answer, serve } from './behaves.mjs';

const other = createServer((_, response) => response.end('elsewhere')).listen(0, '127.0.0.1');

serve((request, response, message) => {
  const locations = {
    '/mcp': [307, '/mcp/'],
    '/moved': [301, '/mcp/'],
    '/whole': [308, `http://${request.headers.host}/mcp/?a=1`],
    '/loop': [307, '/loop'],
    '/away': [307, `http://127.0.0.1:${other.address().port}/mcp`],
    '/named': [302, 'https://elsewhere.example/mcp'],
  };
  const [status, location] = locations[request.url] ?? [];
  if (status) response.writeHead(status, { Location: location }).end();
  else answer(request, response, message);
});
