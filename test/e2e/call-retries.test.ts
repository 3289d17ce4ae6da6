import { describe, expect } from 'vitest';
import { smallLegacy } from '../servers/http/small-legacy.ts';
import { wireproof } from './support/host.ts';
import { test } from './support/http-host.ts';

const callOf = (url: URL): string[] => [process.execPath, wireproof, 'call', '--era', 'legacy', url.href, 'do'];

describe.concurrent('a call whose answer does not come', () => {
  test('since the session was lost is made again in a new one', async ({ host }) => {
    const server = smallLegacy(({ method }) => {
      if (method === 'tools/call' && server.times('initialize') === 1) server.sessions.clear();
      return false;
    });
    const started = host.start(callOf((await host.serve(server.handler)).url));
    started.endInput();
    expect((await started.ended).code).toBe(0);
    expect(started.stdout.text).toBe('done\n');
    expect(started.stderr.text).toContain(
      'wireproof: the server does not know the session any more; opened a new one\n',
    );
    const verified = host.start([process.execPath, wireproof, 'verify']);
    expect((await verified.ended).code).toBe(0);
  });

  test('since the server wants to be left alone is given up by Ctrl-C', async ({ host }) => {
    const busy = { 'Retry-After': '50' };
    const server = smallLegacy(
      ({ method }, response) => method === 'tools/call' && response.writeHead(503, busy).end(),
    );
    const started = host.start(callOf((await host.serve(server.handler)).url));
    await started.line('It is asked again in 50 s, as the server wants', 'stderr');
    const before = performance.now();
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    expect(performance.now() - before).toBeLessThan(20_000);
    expect(server.times('tools/call')).toBe(1);
  });
});
