import { spawn } from 'node:child_process';
import { isSecureUrl } from '../../core/peer/auth/well-known.ts';

/** What opens a URL, and no shell: on Windows, `start` would take some of its characters as commands. */
function opener(): [program: string, ...args: string[]] {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** Opens a URL in the browser of the person, where there is one. Whether it did is not known. */
export function openBrowser(url: string): void {
  if (!isSecureUrl(url)) return;
  const [program, ...args] = opener();
  spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
