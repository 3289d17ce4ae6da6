import type { RequiredPage } from '../core/peer/url-elicitation.ts';
import type { Host } from './host.ts';

/** So many pages are remembered as visited. */
const mostRemembered = 100;

/** Hears which pages have been visited, from the start: a server may tell so right behind the error that wants it. */
export class VisitEars {
  private readonly completed = new Set<string>();
  private heard: () => void = () => undefined;
  private readonly stop: () => void;

  constructor(host: Host) {
    this.stop = host.listen((method, { elicitationId }) => {
      if (method !== 'notifications/elicitation/complete' || typeof elicitationId !== 'string') return;
      if (this.completed.size < mostRemembered) this.completed.add(elicitationId);
      this.heard();
    });
  }

  /** When all of these have been visited. */
  all(pages: readonly RequiredPage[]): Promise<void> {
    return new Promise((resolve) => {
      this.heard = () => {
        if (pages.every(({ elicitationId }) => this.completed.has(elicitationId))) resolve();
      };
      this.heard();
    });
  }

  close(): void {
    this.stop();
  }
}

/**
 * Sees to it that pages are visited, which a server wants before it answers: each is asked for as a URL elicitation is,
 * then it is waited for the person, or for `notifications/elicitation/complete` (2025-11-25: client/elicitation).
 *
 * @returns whether the request may be made once more
 */
export async function visitPages(
  host: Host,
  pages: readonly RequiredPage[],
  ears: VisitEars,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const page of pages) {
    const answer = await host.answer('elicitation/create', page);
    if ('result' in answer && answer.result['action'] === 'accept') continue;
    return notAgain(host);
  }
  return (await host.visited(ears.all(pages), signal)) || notAgain(host);
}

function notAgain(host: Host): false {
  host.told('the request was not made again: call once more when the page has been visited.');
  return false;
}
