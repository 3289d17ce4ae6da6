import { setTimeout as pause } from 'node:timers/promises';
import { retryAfter } from '../core/peer/retry-after.ts';
import type { Lost } from '../io/channels/channel.ts';
import type { Asked } from '../io/session.ts';
import { fateOf } from './fate.ts';

export interface RetriesCaller {
  told(text: string): void;
  /**
   * A request was refused. @param attempt how often it was told so of this request, from 0 on
   * @returns whether it may be let in now, and is to be made once more
   */
  refused?(lost: Lost, attempt: number): Promise<boolean>;
}

/** What may have passed a moment later. */
const passing: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'EAI_AGAIN', 'ETIMEDOUT']);
/** Waits before the next tries, at most; half of each is by chance, so that many clients do not come at once. Milliseconds. */
const backOff = [500, 1000, 2000];
/** After this nothing is tried again: to make a connection takes its time, too. Milliseconds. */
const longestTry = 10_000;
/** How long servers are obeyed that want to be left alone, all waits of one request together; and how often. */
const longestWait = 60_000;
const mostWaits = 5;
/** A session that is lost so soon is no use. Milliseconds. */
const shortestSession = 10_000;

/** Sends messages again that got nowhere: when, how often, and whether that is of use. It is told to a person. */
export class Retries {
  /** Opens a new session. @returns why it could not be opened */
  reopen: (() => Promise<string | undefined>) | undefined;
  private readonly caller: RetriesCaller;
  private readonly stopped = new AbortController();
  private reopening: Promise<boolean> | undefined;
  private reopenedAt = -Infinity;

  constructor(caller: RetriesCaller) {
    this.caller = caller;
  }

  /** @returns what a session asks for each time that the message got nowhere */
  readonly of = (asked: Asked): ((lost: Lost) => Promise<boolean>) => {
    const tries = new Tries(asked, this.caller, this);
    return (lost) => tries.isToBeMadeAgain(lost);
  };

  /** A stream that was refused by GET. @returns whether it is to be asked for again */
  readonly ofStream = async (lost: Lost, attempt: number): Promise<boolean> => {
    try {
      if (lost.session !== undefined) {
        // The new session has a stream of its own.
        if (performance.now() - this.reopenedAt > shortestSession) await this.renew(lost);
        return false;
      }
      return (await this.caller.refused?.(lost, attempt)) ?? false;
    } catch (error) {
      this.caller.told(error instanceof Error ? error.message : String(error));
      return false;
    }
  };

  /**
   * Opens a new session where the server does not know the one at hand any more (up to 2025-11-25: basic/transports,
   * session management). Of several requests that were refused at once, one is enough.
   */
  async renew({ session }: Lost): Promise<boolean> {
    if (this.reopening) return this.reopening;
    if (session === 'replaced') return true;
    this.reopening = this.openAnew().finally(() => (this.reopening = undefined));
    return this.reopening;
  }

  /** @returns whether the time has passed, and nobody has given it up */
  async wait(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const signals = [this.stopped.signal, ...(signal ? [signal] : [])];
    return pause(milliseconds, true, { signal: AbortSignal.any(signals) }).catch(() => false);
  }

  /** Nothing is tried again any more. */
  stop(): void {
    this.stopped.abort();
  }

  private async openAnew(): Promise<boolean> {
    const trouble = this.reopen ? await this.reopen() : 'there is none to be opened';
    this.reopenedAt = performance.now();
    const how = trouble === undefined ? 'opened a new one' : `a new one could not be opened: ${trouble}`;
    this.caller.told(`the server does not know the session any more; ${how}`);
    return trouble === undefined;
  }
}

/** What was tried for one message. */
class Tries {
  private readonly asked: Asked;
  private readonly caller: RetriesCaller;
  private readonly all: Retries;
  private refusals = 0;
  private failures = 0;
  private failedFirst: number | undefined;
  private waits = 0;
  private waited = 0;
  private isRenewed = false;

  constructor(asked: Asked, caller: RetriesCaller, all: Retries) {
    this.asked = asked;
    this.caller = caller;
    this.all = all;
  }

  async isToBeMadeAgain(lost: Lost): Promise<boolean> {
    if (lost.session !== undefined) return this.inNewSession(lost);
    if (lost.neverLeft) return passing.has(lost.code) && this.later(lost);
    const wanted = retryAfter(lost.headers?.['retry-after'], Date.now());
    if (wanted !== undefined && (lost.status === 429 || lost.status === 503)) return this.whenWanted(lost, wanted);
    return (await this.caller.refused?.(lost, this.refusals++)) ?? false;
  }

  private async inNewSession(lost: Lost): Promise<boolean> {
    if (this.isRenewed) return false;
    this.isRenewed = true;
    return this.all.renew(lost);
  }

  private async later(lost: Lost): Promise<boolean> {
    const longest = backOff[this.failures++];
    this.failedFirst ??= performance.now();
    if (longest === undefined || performance.now() - this.failedFirst > longestTry) return false;
    return this.waitTelling(lost, longest / 2 + (Math.random() * longest) / 2, ['tried', '']);
  }

  private async whenWanted(lost: Lost, wanted: number): Promise<boolean> {
    if (this.waited + wanted > longestWait) {
      const most = `longer than wireproof waits (${longestWait / 1000} s in all)`;
      this.caller.told(`${lost.why}. The server wants to be asked again in ${seconds(wanted)} s: that is ${most}`);
      return false;
    }
    if (this.waits++ >= mostWaits) return false;
    this.waited += wanted;
    return this.waitTelling(lost, wanted, ['asked', ', as the server wants']);
  }

  private waitTelling(lost: Lost, milliseconds: number, [done, why]: readonly [string, string]): Promise<boolean> {
    const { method = 'an answer to the server', signal } = this.asked;
    this.caller.told(`${method}: ${lost.why}. ${fateOf(lost)} It is ${done} again in ${seconds(milliseconds)} s${why}`);
    return this.all.wait(milliseconds, signal);
  }
}

const seconds = (milliseconds: number): string => String(Math.round(milliseconds / 100) / 10);
