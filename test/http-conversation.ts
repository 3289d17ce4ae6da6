import type { HeaderLine } from '../src/core/trace/format.ts';
import { HttpTraceMaker } from './http-trace-maker.ts';

const json: HeaderLine = ['Content-Type', 'application/json'];
const session: HeaderLine = ['Mcp-Session-Id', 'redacted-session-6f3c581ed02e2ef0'];
const own = 'http://127.0.0.1:7000';

const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const result = (id: number, value: object): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });
const notification = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });

/** The answer to `tools/list` on several lines, made with gzip. */
const zippedTools =
  'H4sIAAAAAAAAA6vmUlBQyirOzysqSFayUlAy0jNQ0gGJZaYoWSkYgplFqcWlOSVKVgrVXAoKCgpKJfn5OcVKVgrRYK4CVBgslZeYmwoyJjElRQkqWgumY7lArFoAWOgHbW8AAAA=';

/** A host signs in, works for a while over one session, loses it, and another host comes: one of each thing that happens on HTTP. */
export function httpConversation(): HttpTraceMaker {
  const maker = new HttpTraceMaker({ label: 'notes' });
  const initialize = request(0, 'initialize', {
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'example-host', version: '1.0.0' },
  });
  maker
    .stream()
    .ask({ body: initialize, lines: [json] })
    .answer({
      status: 401,
      reason: 'Unauthorized',
      lines: [
        [
          'WWW-Authenticate',
          `Bearer error="invalid_token", resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`,
        ],
      ],
    });
  metadata(maker);
  maker
    .stream()
    .ask({ method: 'GET', target: '/.well-known/openid-configuration' })
    .answer({ status: 404, reason: 'Not Found' });
  token(maker);
  const initialized = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'notes-server', version: '2.1.0' },
  };
  maker
    .stream()
    .ask({ body: initialize, lines: [json] })
    .answer({ lines: [json, session], body: result(0, initialized) });
  maker.post(notification('notifications/initialized'), undefined, { lines: [session] });
  const events = maker
    .stream()
    .ask({ method: 'GET', lines: [session] })
    .open();
  const gzip: HeaderLine = ['Content-Encoding', 'gzip'];
  maker
    .stream()
    .ask({ body: request(1, 'tools/list'), lines: [session] })
    .answer({ lines: [json, gzip], body: Buffer.from(zippedTools, 'base64') });
  call(maker);
  events.event(notification('notifications/tools/list_changed'), 'g1');
  const unreachable = maker.stream().ask({ body: request(3, 'tools/call', { name: 'add' }), lines: [session] });
  unreachable.note('upstream-failed', 'nobody listens there (ECONNREFUSED)');
  const error = { code: -32603, message: 'wireproof could not get an answer from https://host: nobody listens there.' };
  unreachable.answer({
    status: 502,
    made: true,
    lines: [json],
    body: JSON.stringify({ jsonrpc: '2.0', id: 3, error }),
  });
  maker.wait(61_000);
  events.end('server', 'the client went away');
  maker
    .stream()
    .ask({ method: 'DELETE', lines: [session] })
    .answer();
  const other = initialize.replace('example-host', 'other-host');
  maker
    .stream(2, '127.0.0.1')
    .ask({ body: other })
    .answer({ lines: [json], body: result(0, initialized) });
  return maker.close();
}

/** A document whose URLs are mapped. */
function metadata(maker: HttpTraceMaker): void {
  const stream = maker.stream();
  const target = '/.well-known/oauth-protected-resource/mcp';
  for (const [leg, host] of [
    ['client', '127.0.0.1:7000'],
    ['server', 'host'],
  ] as const) {
    stream.head(
      'client',
      {
        version: '1.1',
        method: 'GET',
        target,
        lines: [
          ['Host', host],
          ['Accept', '*/*'],
        ],
      },
      [],
      { leg },
    );
  }
  stream.begin('client').end('client');
  for (const [leg, origin] of [
    ['server', 'https://host'],
    ['client', own],
  ] as const) {
    const body = JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    const lines: HeaderLine[] = [json, ['Content-Length', String(body.length)], ['X-Odd', 'a\u001b[2J\u0085b']];
    stream.head('server', { version: '1.1', status: 200, reason: 'OK', lines }, [], { leg });
    stream.begin('server', {}, leg).pass('server', body, leg).end('server', undefined, leg);
  }
}

/** A form and an answer that hold secrets. */
function token(maker: HttpTraceMaker): void {
  const replaced = (text: string, ...redacted: string[]) => ({ bytes: Buffer.from(text), redacted });
  maker
    .stream()
    .ask({
      target: '/token',
      body: 'grant_type=authorization_code&code=0123456789',
      redact: () => replaced('grant_type=authorization_code&code=redacted-code-0ede8f89', 'form:code'),
    })
    .answer({
      lines: [json],
      body: '{"access_token":"abcdefgh"}',
      redact: () => replaced('{"access_token":"redacted-token-19d25b03"}', '/access_token'),
    });
}

/** A call whose answer comes on an event stream. */
function call(maker: HttpTraceMaker): void {
  const params = { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: 'p' } };
  const stream = maker
    .stream()
    .ask({ body: request(2, 'tools/call', params), lines: [session] })
    .open();
  stream.pass('server', 'id: e1\nretry: 3000\ndata:\n\n');
  stream.pass('server', ': still here\n\n');
  stream.event(notification('notifications/progress', { progressToken: 'p', progress: 1, total: 2 }), 'e2');
  const answer = result(2, { content: [{ type: 'text', text: 'three' }] });
  stream
    .pass('server', `event: message\nid: e3\ndata: ${answer.slice(0, 17)}\ndata: ${answer.slice(17)}\n\n`)
    .end('server');
}
