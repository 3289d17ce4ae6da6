import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Handler } from '../servers/http/handler.ts';
import { httpPlusSse } from '../servers/http/http-plus-sse.ts';
import { sessions } from '../servers/http/sessions.ts';
import { stateless } from '../servers/http/stateless.ts';
import { wireproof } from './support/host.ts';
import { type HttpHost, test } from './support/http-host.ts';

/** Runs `wireproof call` to its end, against a server on HTTP. */
async function call(host: HttpHost, words: readonly string[]) {
  const started = host.start([process.execPath, wireproof, 'call', ...words]);
  started.endInput();
  const { code } = await started.ended;
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

const kinds: { name: string; serve: () => Handler; says: string }[] = [
  { name: 'of 2025-11-25, with sessions', serve: () => sessions(), says: 'revision 2025-11-25 (legacy era)' },
  {
    name: 'of 2025-11-25, that answers in JSON',
    serve: () => sessions({ enableJsonResponse: true }),
    says: '2025-11-25',
  },
  { name: 'of 2026-07-28', serve: () => stateless(), says: 'revision 2026-07-28 (modern era)' },
  { name: 'of 2024-11-05', serve: () => takingNoPosts(httpPlusSse('a path')), says: '(legacy era)' },
];

/** As those servers do where they give their event stream. */
const takingNoPosts =
  (handler: Handler): Handler =>
  (request, response) =>
    request.method === 'POST' && !request.url?.startsWith('/messages')
      ? response.writeHead(405).end()
      : handler(request, response);

describe.concurrent('a server on HTTP', () => {
  test.for(kinds)('$name says what it offers', async ({ serve, says }, { host }) => {
    const { url } = await host.serve(serve());
    const { code, stdout, stderr } = await call(host, [url.href]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('recorded: ') });
    expect(stdout).toContain(says);
    expect(stdout).toMatch(/Tools \(\d/);
    const verified = host.start([process.execPath, wireproof, 'verify']);
    expect((await verified.ended).code).toBe(0);
  });

  test('asks back, and is answered from a file', async ({ host }) => {
    const { url } = await host.serve(sessions());
    writeFileSync(host.path('answers.json'), '{"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}');
    const { code, stdout } = await call(host, ['--answer', 'answers.json', url.href, 'ask']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada') });
  });

  test('asks back in rounds, and is answered from a file', async ({ host }) => {
    const { url } = await host.serve(stateless());
    writeFileSync(host.path('answers.json'), '{"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}');
    const { code, stdout } = await call(host, ['--answer', 'answers.json', url.href, 'ask']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada') });
  });

  test('gets the header lines that the user wants', async ({ host }) => {
    const seen: unknown[] = [];
    const handler = stateless();
    const { url } = await host.serve((request, response) => {
      seen.push(request.headers['x-team']);
      return handler(request, response);
    });
    await call(host, ['--ping', '--header', 'X-Team: a: b', url.href]);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((value) => value === 'a: b')).toBe(true);
  });

  test('that is not there is told, after a few tries', async ({ host }) => {
    const { code, stderr } = await call(host, [(await host.nowhere()).href]);
    expect(code).toBe(2);
    const tried = stderr.match(/^wireproof: server\/discover: nobody listens there .* It is tried again in/gm);
    expect(tried).toHaveLength(3);
    expect(stderr).toMatch(/^wireproof: The server cannot be asked: nobody listens there/m);
  });

  test('that wants to know who asks is told, with the way to say it', async ({ host }) => {
    const { url } = await host.serve((_, response) => response.writeHead(401).end());
    const { code, stderr } = await call(host, [url.href]);
    expect(code).toBe(2);
    expect(stderr).toContain("--header 'Authorization: Bearer TOKEN'");
  });

  test('that annotates tools wrongly is asked for the others alone', async ({ host }) => {
    const url = await host.serveFile('annotates-wrongly.mjs');
    const why = 'is left out: x-mcp-header of text is no name of a header: "My Text\\nwireproof: all is well"';
    const told = [
      ...Array.from({ length: 10 }, (_, index) => `wireproof: the tool "wrong-${index + 1}" ${why}\n`),
      'wireproof: 2 more tools are left out for the like\n',
    ].join('');
    const listed = await call(host, [url.href]);
    expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining(told) });
    expect(listed.stdout).toContain('Tools (1)');
    expect(listed.stdout).toMatch(
      /This list is not whole: left out for their x-mcp-header: "wrong-1", .+, "wrong-10" and 2 more\./,
    );
    const refused = await call(host, [url.href, 'wrong-12', 'text=hi']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(told) });
    expect(refused.stderr).toContain('The server has no tool "wrong-12". It has: echo.');
    const answered = { code: 0, stdout: 'echo: hi\n' };
    expect(await call(host, [url.href, 'echo', 'text=hi'])).toMatchObject(answered);
    expect(await call(host, ['--no-validate', url.href, 'wrong-12', 'text=hi'])).toMatchObject(answered);
  });
});
