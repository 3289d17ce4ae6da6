import type { RequiredPage } from '../core/peer/url-elicitation.ts';
import type { Host } from './host.ts';

/**
 * Sees to it that pages are visited, which a server wants before it answers: each is asked for as a URL elicitation is,
 * then it is waited for the person, or for `notifications/elicitation/complete` (2025-11-25: client/elicitation).
 *
 * @returns whether the request may be made once more
 */
export async function visitPages(
  host: Host,
  pages: readonly RequiredPage[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const open = new Set(pages.map(({ elicitationId }) => elicitationId));
  let tell: () => void = () => undefined;
  const completed = new Promise<void>((resolve) => (tell = resolve));
  const stop = host.listen((method, params) => {
    if (method !== 'notifications/elicitation/complete') return;
    open.delete(String(params['elicitationId']));
    if (open.size === 0) tell();
  });
  try {
    for (const page of pages) {
      const answer = await host.answer('elicitation/create', page);
      if ('result' in answer && answer.result['action'] === 'accept') continue;
      host.told('the request was not made again: call once more when the page has been visited.');
      return false;
    }
    return await host.visited(completed, signal);
  } finally {
    stop();
  }
}
