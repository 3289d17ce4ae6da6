import { readFileSync } from 'node:fs';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { stateless } from '../servers/http/stateless.ts';
import type { Handler } from '../servers/http/handler.ts';
import { server, shell, wireproof } from './support/host.ts';
import { type HttpHost, test } from './support/http-host.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(`../servers/http/${file}`, import.meta.url));
const certificate = pathOf('certificate.pem');

async function run(host: HttpHost, words: readonly string[]) {
  const started = host.start([process.execPath, wireproof, ...words]);
  started.endInput();
  const { code } = await started.ended;
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

/** All that stands in the recordings. */
const recorded = (host: HttpHost): string =>
  host
    .recordings()
    .map((path) => readFileSync(path, 'utf8'))
    .join('');

/** Sends back, in a header and in an error, what came in `X-Api-Key`: what debugging pages do. */
const tellsSecrets =
  (handler: Handler): Handler =>
  (request, response) => {
    const secret = String(request.headers['x-api-key']);
    response.setHeader('X-Seen', `key=${encodeURIComponent(secret)} ${secret}`);
    if (request.headers['x-mode'] !== 'fails') return handler(request, response);
    response.writeHead(500, { 'Content-Type': 'application/json' });
    return response.end(JSON.stringify({ error: `no such key: ${secret}`, deep: [{ key: secret }] }));
  };

const secret = 'q7"Zr/+ 9hW\\x-end';

describe.concurrent('what the user gives in --header', () => {
  test.for([
    { name: 'a server that answers', words: [] },
    { name: 'a server that tells it in an error', words: ['--header', 'X-Mode: fails'] },
  ])('stands in no recording: $name', async ({ words }, { host }) => {
    const { url } = await host.serve(tellsSecrets(stateless()));
    const header = [
      '--header',
      `X-Api-Key: ${secret}`,
      '--header',
      'X-Pin: 4711',
      '--header',
      'X-Owner: Jürgen-9',
      ...words,
    ];
    const { code } = await run(host, ['call', ...header, url.href]);
    expect(code).toBe(words.length === 0 ? 0 : 2);
    const text = recorded(host);
    expect(text).toContain('"header:X-Api-Key"');
    expect(text).toContain('"header:X-Pin"');
    expect(text).not.toContain('["X-Pin","4711"]');
    for (const part of ['q7', '9hW', 'rgen-9']) expect(text).not.toContain(part);
    const verified = await run(host, ['verify']);
    expect(verified).toMatchObject({ code: 0 });
  });

  test('stands in it where that is asked for', async ({ host }) => {
    const { url } = await host.serve(stateless());
    await run(host, ['call', '--ping', '--no-redact-secrets', '--header', 'X-Api-Key: abc-def-ghi', url.href]);
    expect(recorded(host)).toContain('["X-Api-Key","abc-def-ghi"]');
  });

  test('is not said again where it is no header line', async ({ host }) => {
    const { code, stderr } = await run(host, ['call', '--header', 'X-Api-Key abc-def', 'http://127.0.0.1:1/mcp']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--header 'Name: value'") });
    expect(stderr).not.toContain('abc-def');
  });
});

test('the recording of a call replaces what the user names', async ({ host }) => {
  const { url } = await host.serve(stateless());
  const words = ['--redact-value', 'rea[a-z]+', '--redact-key', 'title'];
  expect(await run(host, ['call', ...words, url.href])).toMatchObject({ code: 0 });
  expect(recorded(host)).not.toContain('readme');
  expect(await run(host, ['call', '--redact-value', '(', url.href])).toMatchObject({ code: 2 });
});

async function serveSecurely(host: HttpHost): Promise<string> {
  const handler = stateless();
  const secure = { cert: readFileSync(certificate), key: readFileSync(pathOf('certificate-key.pem')) };
  const listening = https.createServer(secure, (request, response) => void handler(request, response));
  const { url } = await host.listen(listening);
  return `https://127.0.0.1:${url.port}/mcp`;
}

describe.concurrent.for(['call', 'login'])('a server with a certificate, and %s', (verb) => {
  const isReached = verb === 'call' ? { code: 0 } : { code: 1, stderr: expect.stringContaining('no sign-in') };

  test('is refused where nobody vouches for it', async ({ host }) => {
    const { code, stderr } = await run(host, [verb, await serveSecurely(host)]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/certificate/i) });
  });

  test('is reached with --ca', async ({ host }) => {
    const said = await run(host, [verb, '--ca', certificate, await serveSecurely(host)]);
    expect(said).toMatchObject(isReached);
    expect(said.stderr).not.toContain('NOT CHECKED');
  });

  test('is reached with --insecure, which is said, whatever else is not', async ({ host }) => {
    const said = await run(host, [verb, '--insecure', '--quiet', await serveSecurely(host)]);
    expect(said).toMatchObject(isReached);
    expect(said.stderr).toContain('CERTIFICATES ARE NOT CHECKED');
  });
});

describe.concurrent('how much is said', () => {
  test('--quiet: the result alone', async ({ host }) => {
    const { url } = await host.serve(stateless());
    const { code, stdout, stderr } = await run(host, ['call', '--quiet', url.href]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Tools (');
  });

  test('--verbose: what passes, beside the result', async ({ host }) => {
    const { url } = await host.serve(stateless());
    const { code, stdout, stderr } = await run(host, ['call', '--verbose', '--ping', url.href]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/server\/discover/);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^wireproof: recorded: /);
    expect(stdout).not.toContain('POST');
  });

  test('--verbose: what passed before it failed', async ({ host }) => {
    const words = ['call', '--verbose', '--era', 'legacy', '--timeout', '300ms', '--', ...shell('cat >/dev/null')];
    const { code, stderr } = await run(host, words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/initialize/);
    expect(stderr).toMatch(/wireproof: recorded: /);
  });

  test.for(['call', 'login', 'servers'])('%s: both contradict each other', async (verb, { host }) => {
    const { code, stderr } = await run(host, [verb, '--quiet', '--verbose', 'http://127.0.0.1:1/mcp']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('contradict') });
  });
});

test.for([
  ['--ca', certificate],
  ['--insecure'],
  ['--header', 'A: b'],
  ['--redact-key', 'name'],
  ['--no-redact-secrets'],
])('%s is for a URL: it is said where a command is started', async (words, { host }) => {
  const { code, stderr } = await run(host, ['call', ...words, '--', ...server('behaves.mjs')]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`${words[0]} is for a URL`) });
  await host.nothingLeft();
});
