// Signing in as a person does, with a browser that says yes at once.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { OAuthServer, type OAuthOptions } from '../../servers/http/oauth-server.ts';
import { stateless } from '../../servers/http/stateless.ts';
import { type Started, wireproof } from './host.ts';
import type { HttpHost } from './http-host.ts';
import { until } from './until.ts';

const publicClient: OAuthOptions = { clientAuthentication: 'none' };

export async function serve(host: HttpHost, options: Partial<OAuthOptions> = {}) {
  const server = new OAuthServer({ ...publicClient, ...options }, stateless());
  const { url } = await host.serve(server.listener);
  server.listensAt(url);
  return { server, url };
}

/** @param program the wireproof that is meant */
export function run(
  host: HttpHost,
  words: readonly string[],
  { program = wireproof, ...env }: Record<string, string> = {},
): Started {
  const started = host.start([process.execPath, program, ...words], { env });
  started.endInput();
  return started;
}

export async function ended(started: Started) {
  const { code } = await started.ended;
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

/** Waits for the address that is printed the nth time. */
export const address = (started: Started, nth = 1): Promise<URL> =>
  until('an address to sign in at', () => {
    const found = [...started.stderr.text.matchAll(/^wireproof: (https?:\S+authorize\?\S+)$/gm)][nth - 1];
    if (!found && !started.isRunning) throw new Error(started.stderr.text);
    return found && new URL(found[1] as string);
  });

/** Does what a browser does with the address: the server says yes at once. @returns what the page says */
export async function browse(url: URL): Promise<string> {
  const answer = await fetch(url);
  return answer.text();
}

export async function login(host: HttpHost, url: URL, words: readonly string[] = [], env: Record<string, string> = {}) {
  const started = run(host, ['login', '--no-browser', ...words, url.href], env);
  const asked = await address(started);
  const page = await browse(asked);
  return { ...(await ended(started)), asked, page };
}

/** Nothing that is secret stands in what was printed, or in any recording. */
export function nothingTold(host: HttpHost, { secrets }: OAuthServer, ...printed: string[]): void {
  const texts = [...printed, ...host.recordings().map((path) => readFileSync(path, 'utf8'))];
  expect(secrets.size).toBeGreaterThan(0);
  for (const secret of secrets) {
    for (const spelled of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      expect(texts.filter((text) => text.includes(spelled))).toEqual([]);
    }
  }
}

/** The files with sign-ins. */
export function kept(host: HttpHost): string[] {
  const folder = join(host.home, 'tokens');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
