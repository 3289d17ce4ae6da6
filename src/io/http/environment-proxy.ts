import type { HeaderLine } from '../../core/trace/format.ts';
import { WireproofError } from '../../core/wireproof-error.ts';

/**
 * The proxy that the environment names for a URL; none where `NO_PROXY` spares it.
 *
 * @throws WireproofError `bad-usage` where it is no URL
 */
export function proxyFor(target: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const named = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = named(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? named('ALL_PROXY');
  if (proxy === undefined || isSpared(target, named('NO_PROXY') ?? '')) return undefined;
  try {
    return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  } catch {
    throw new WireproofError('bad-usage', `The environment names a proxy that is no URL: "${proxy}".`);
  }
}

function isSpared({ hostname, port }: URL, list: string): boolean {
  const host = hostname.toLowerCase();
  // What runs on this machine is never reached through a proxy.
  if (host === 'localhost' || host === '[::1]' || host.startsWith('127.')) return true;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wanted !== undefined && wanted !== port) return false;
      const bare = name.replace(/^\*?\./, '');
      return host === bare || host.endsWith(`.${bare}`);
    });
}

/** What a proxy wants to know of who uses it, where its URL says it. */
export function credentialLines(proxy: URL | undefined): HeaderLine[] {
  if (!proxy || proxy.username === '') return [];
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return [['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`]];
}
