// A small MCP server, the same over HTTP and over stdio. It answers at once, and says little.
//   http     listens on a port that is free and says where; beside plain requests to /mcp it takes
//            GET /mcp?events-every=MS    events with the time at which each was written
//            GET /mcp?events=N           events as fast as they are taken
//            POST /mcp?sink              any body
//            GET /mcp?source=N           a body of so many bytes
//   stdio
import http from 'node:http';

const filler = 'y'.repeat(120);

function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'bench', version: '1.0.0' },
    }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: filler }] }),
    ping: () => ({}),
  };
  const made = results[method];
  if (!made) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result: made() };
}

function serveHttp(request, response) {
  const [, what, amount] = /\?([^=]*)=?(\d*)$/.exec(request.url) ?? [];
  const others = { 'events-every': sendEvents, events: flood, source: giveBody, sink: takeBody };
  if (what !== undefined) others[what](response, Number(amount), request);
  else if (request.method === 'POST') answerPost(request, response);
  else response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
}

function answerPost(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks));
    const answered = answer(message);
    if (!answered) {
      response.writeHead(202).end();
      return;
    }
    const body = Buffer.from(JSON.stringify(answered));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...(message.method === 'initialize' ? { 'Mcp-Session-Id': 'bench-1f0e6d2c' } : {}),
    });
    response.end(body);
  });
}

const beginEvents = (response) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });

const event = (n, at) =>
  `event: message\nid: ${n}\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","at":${at},"data":"${filler}"}}\n\n`;

/** The time is that of a clock which all processes of a machine have in common. */
function sendEvents(response, every) {
  beginEvents(response);
  let n = 0;
  const timer = setInterval(() => response.write(event(++n, process.hrtime.bigint())), every);
  response.on('close', () => clearInterval(timer));
}

function flood(response, events) {
  beginEvents(response);
  let n = 0;
  const more = () => {
    while (n < events) if (!response.write(event(++n, 0))) return;
    response.off('drain', more).end();
  };
  response.on('drain', more);
  more();
}

const takeBody = (response, _, request) => request.resume().on('end', () => response.writeHead(202).end());

/** One JSON-RPC message, its text as long as it has to be. */
function giveBody(response, length) {
  const before = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"';
  const after = '"}]}}';
  const chunk = Buffer.alloc(64 * 1024, 'y');
  let left = length - before.length - after.length;
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': length });
  response.write(before);
  const more = () => {
    while (left > 0) {
      const bytes = chunk.subarray(0, Math.min(left, chunk.length));
      left -= bytes.length;
      if (!response.write(bytes)) return;
    }
    response.off('drain', more).end(after);
  };
  response.on('drain', more);
  more();
}

function serveStdio() {
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (held + text).split('\n');
    held = lines.pop();
    for (const line of lines) {
      const answered = answer(JSON.parse(line));
      if (answered) process.stdout.write(`${JSON.stringify(answered)}\n`);
    }
  });
}

if (process.argv[2] === 'stdio') serveStdio();
else {
  const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 120_000 }, serveHttp);
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
}
