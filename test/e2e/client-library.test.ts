import { describe, expect } from 'vitest';
import { fileURLToPath } from 'node:url';
import type { connect as Connect } from '../../src/client.ts';
import { sessions } from '../servers/http/sessions.ts';
import { server, wireproof } from './support/host.ts';
import { test } from './support/http-host.ts';

const built = fileURLToPath(new URL('../../dist/client.js', import.meta.url));
const { connect } = (await import(built)) as { connect: typeof Connect };

describe('the library, as it is built', () => {
  test('speaks with a server that it starts', async ({ host }) => {
    const trace = host.path('mine.jsonl');
    const client = await connect(server('both-eras.mjs'), { trace });
    expect([client.era, client.revision, client.server?.['name'], client.trace]).toEqual([
      'modern',
      '2026-07-28',
      'both-eras',
      trace,
    ]);
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['echo', 'count']);
    expect(await client.callTool('echo', { message: 'hi' })).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    await expect(client.request('no/such')).rejects.toMatchObject({
      name: 'RequestFailed',
      outcome: { kind: 'error', error: { code: -32_601 } },
    });
    await client.close();
    const verified = host.start([process.execPath, wireproof, 'verify', trace]);
    expect((await verified.ended).code).toBe(0);
  });

  test('reads an answer that comes in many pieces as it was written', async ({ host }) => {
    const client = await connect(server('both-eras.mjs'), { trace: host.path('long.jsonl') });
    const message = Array.from({ length: 60_000 }, (_, index) => index).join(' ');
    const { content } = await client.callTool('echo', { message });
    await client.close();
    expect(content).toEqual([{ type: 'text', text: message }]);
  });

  test('speaks with a server on HTTP, and answers what it asks', async ({ host }) => {
    const { url } = await host.serve(sessions());
    const answer = async () => ({ result: { action: 'accept', content: { name: 'Ada' } } });
    const client = await connect(url, { trace: host.path('http.jsonl'), answer });
    expect(JSON.stringify(await client.callTool('ask'))).toContain('Ada');
    await client.close();
  });

  test('says why there is nobody', async ({ host }) => {
    const trace = host.path('none.jsonl');
    await expect(connect(['no-such-program'], { trace })).rejects.toMatchObject({ code: 'server-not-started' });
    await expect(connect(await host.nowhere(), { trace })).rejects.toThrow(/nobody listens there/);
  });
});
