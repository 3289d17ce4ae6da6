import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { httpConversation } from '../http-conversation.ts';
import { HttpTraceMaker, someHttpHeader } from '../http-trace-maker.ts';
import { type Host, test, wireproof } from './support/host.ts';

interface Ran {
  code: number | null;
  out: string;
  said: string;
}

async function run(host: Host, ...words: string[]): Promise<Ran> {
  const started = host.start([process.execPath, wireproof, ...words]);
  const { code } = await started.ended;
  return { code, out: started.stdout.text, said: started.stderr.text };
}

/** A host whose store holds one recording of HTTP. */
function keep(host: Host): string {
  const folder = join(host.home, 'traces');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${someHttpHeader.id}.jsonl`);
  writeFileSync(path, httpConversation().bytes);
  return path;
}

test('two modern clients with the same ids have their own answers, and one that closes its request has cancelled it', async ({
  host,
}) => {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
  const call = (name: string): string =>
    `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"${name}",${meta}}}`;
  const answer = (text: string): string =>
    `{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"${text}"}]}}`;
  const maker = new HttpTraceMaker();
  const [one, other, last] = ['one', 'other', 'last'].map((name) =>
    maker
      .stream()
      .ask({ body: call(name) })
      .open(),
  );
  last?.event('').end('server', 'the client went away');
  other?.event(answer('of the other')).end('server');
  one?.event(answer('of the one')).end('server');
  const path = host.path('trace.jsonl');
  writeFileSync(path, maker.close().bytes);
  const { out } = await run(host, 'show', path);
  expect(out).toMatch(/call one {2,}#0 .* ok +of the one\n.*call other {2,}#0 .* ok +of the other\n/);
  expect(out).not.toContain('id used twice');
  const told = /^ *(\d+) .*call last +#0 +cancelled (after [\d.]+ ms: the client closed the request)$/m.exec(out);
  const [, n, when] = told as unknown as [string, string, string];
  expect((await run(host, 'show', path, n)).out).toContain(`cancelled ${when} (record `);
  const found = (await run(host, 'show', path, '--filter', 'status:cancelled')).out;
  expect(found).toContain(told?.[0]);
  expect(found).not.toContain('call one');
});

test('a recording of HTTP is listed, shown, proven and given back', async ({ host }) => {
  const path = keep(host);
  const listed = await run(host, 'ls');
  expect(listed.out).toMatch(/notes +notes-server 2\.1\.0 +12 +1 +.*finished/);

  const shown = await run(host, 'show');
  expect(shown).toMatchObject({ code: 0, said: '' });
  expect(shown.out).toContain('http://127.0.0.1:7000/mcp -> https://host/mcp');
  const streams = await run(host, 'show', '--filter', 'http:4xx');
  expect(streams.out).toContain('GET /.well-known/openid-configuration');
  const head = await run(host, 'show', path, '8');
  expect(head.out).toContain('\n- Host: host\n+ Host: 127.0.0.1:7000\n');
  const units = (await run(host, 'show', '--json', '--filter', 'kind:http path:/token')).out
    .trim()
    .split('\n')
    .slice(1);
  expect(units.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { unit: 'frame', redacted: ['form:code'] },
    { unit: 'frame', redacted: ['/access_token'] },
    { unit: 'stream', s: 4, response: { status: 200 }, ends: { client: { passed: { bytes: 45 } } } },
  ]);

  const proven = await run(host, 'verify');
  expect(proven).toMatchObject({ code: 0, said: '' });
  expect(proven.out).toMatch(/^client +(\S+) +\1 +complete$/m);
  expect(proven.out).toMatch(/^Complete: \d+ records, and every byte of every body is as it was written\.$/m);
  expect(proven.out).toContain('In 2 bodies something was replaced before it was written.');
  expect(proven.out).not.toContain('stderr');

  const origin = (url: string): string => `{"resource":"${url}/mcp","authorization_servers":["${url}"]}`;
  const given = (...words: string[]): Promise<Ran> => run(host, 'bytes', '--from', 'server', ...words);
  expect(await given('--stream', '2')).toEqual({ code: 0, out: origin('http://127.0.0.1:7000'), said: '' });
  expect((await given('--stream', '2', '--leg', 'server')).out).toBe(origin('https://host'));
  expect((await given()).out.startsWith(`${origin('http://127.0.0.1:7000')}{"access_token":"redacted-`)).toBe(true);
});

test('what cannot be asked of it is refused', async ({ host }) => {
  keep(host);
  for (const [words, hint] of [
    [['bytes', '--from', 'client', '--stream', '99'], 'its last one is 12'],
    [['bytes', '--from', 'client', '--stream', 'x'], 'no number of a stream'],
    [['show', '--filter', 'http:4444'], 'http:4xx'],
  ] as const) {
    const { code, said } = await run(host, ...words);
    expect(code).toBe(2);
    expect(said).toContain(hint);
  }
});
