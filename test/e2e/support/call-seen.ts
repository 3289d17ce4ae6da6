import { expect } from 'vitest';
import { type Host, server, wireproof } from './host.ts';

/** What a person gets to see of one `wireproof call`. */
export interface Seen {
  code: number;
  /** What stands on stdout, in this order; nothing else where it is a whole text. */
  stdout?: string | readonly string[];
  stderr?: readonly string[];
  /** What must not be on either. */
  not?: readonly string[];
}

export interface Case extends Seen {
  name: string;
  /** A program in test/servers, or what stands for one on HTTP: its URL. */
  peer: readonly [file: string, ...args: string[]] | URL;
  words?: readonly string[];
}

/** Runs `wireproof call` to its end. */
export async function call(host: Host, { peer, words = [] }: Case) {
  const target = peer instanceof URL ? [peer.href, ...words] : [...words, '--', ...server(...peer)];
  const started = host.start([process.execPath, wireproof, 'call', ...target]);
  started.endInput();
  const { code } = await started.ended;
  if (!(peer instanceof URL)) await host.nothingLeft();
  return { code, stdout: started.stdout.text, stderr: started.stderr.text };
}

/** What is said more than once is found more than once. */
function inOrder(text: string, parts: readonly string[]): void {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    expect(found, `${part} in\n${text}`).toBeGreaterThanOrEqual(0);
    at = found + part.length;
  }
}

/** Is that what a person sees? */
export async function isSeen(host: Host, one: Case): Promise<void> {
  const { code, stdout, stderr } = await call(host, one);
  const { stdout: wanted, stderr: told = [], not = [] } = one;
  expect({ code, stderr }).toMatchObject({ code: one.code });
  if (typeof wanted === 'string') expect(stdout).toBe(wanted);
  else inOrder(stdout, wanted ?? []);
  inOrder(stderr, told);
  for (const text of not) expect(stdout + stderr).not.toContain(text);
}

/** What is said where something is wrong. */
export const noRemark = ['Mind:', 'not whole', 'wrongly', 'nothing: '];
