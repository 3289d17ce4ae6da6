// A Node.js process that only passes HTTP on: it streams, keeps its connections, and records nothing.
import http from 'node:http';

const target = new URL(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });

const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 120_000 }, (request, response) => {
  const { method, url: path, headers } = request;
  const { hostname: host, port } = target;
  const onward = http.request({ agent, host, port, method, path, headers: { ...headers, host: target.host } });
  onward.on('response', (incoming) => {
    response.writeHead(incoming.statusCode, incoming.rawHeaders);
    incoming.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => response.writableFinished || onward.destroy());
  request.pipe(onward);
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
);
