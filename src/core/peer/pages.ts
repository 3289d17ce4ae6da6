import { isObject, type JsonObject } from '../protocol/message.ts';
import type { Era } from '../protocol/revision.ts';
import { shownJson } from './shown-json.ts';

/** What is followed of a list at most. */
const most = { pages: 1000, emptyPages: 50 } as const;

/**
 * The pages of a list (server/utilities/pagination). It says which page is to be asked for next, and knows the servers that
 * never come to an end: those that name a cursor again, give a page again, or only empty ones.
 */
export class Pages {
  readonly items: JsonObject[] = [];
  /** What the server does wrong, where the list is whole all the same. */
  readonly flaws: string[] = [];
  /** Why the list is not whole, where it is not. */
  trouble: string | undefined;
  private readonly method: string;
  private readonly member: string;
  private readonly era: Era;
  private readonly cursors = new Set<string>();
  private readonly pages: { first?: string; last?: string } = {};
  /** Of the page that was asked for last. */
  private cursor: string | undefined;
  private count = 0;
  private empty = 0;

  /** @param member of the result, which holds the items */
  constructor(method: string, member: string, era: Era) {
    this.method = method;
    this.member = member;
    this.era = era;
  }

  /** Takes a page. @returns the parameters of the request for the next one, where there is one to be asked for */
  feed(result: unknown): { cursor: string } | undefined {
    const given = isObject(result) ? result[this.member] : undefined;
    if (!isObject(result) || !Array.isArray(given)) {
      this.trouble = this.notGiven(result);
      return undefined;
    }
    if (this.isRepeated(given)) return undefined;
    this.take(given);
    return this.next(result['nextCursor']);
  }

  /** The server refused the page that was asked for. @returns whether the list is whole all the same */
  refused(): boolean {
    if (this.era !== 'legacy' || this.cursor !== '') return false;
    this.flaws.push(`${emptyCursor}, and refuses to go on from there: taken as the end of the list`);
    return true;
  }

  private notGiven(result: unknown): string {
    if (!isObject(result)) return `the result of ${this.method} is no object`;
    const { resultType } = result;
    const instead = typeof resultType === 'string' && resultType !== 'complete' ? resultType : undefined;
    if (instead !== undefined)
      return `${this.method} was answered with ${JSON.stringify(instead)}, and no ${this.member}`;
    return `the result of ${this.method} has no ${this.member}${this.member in result ? ' that are a list' : ''}`;
  }

  /** The same page again is nothing new, whatever the cursor. */
  private isRepeated(given: readonly unknown[]): boolean {
    const { pages } = this;
    const text = given.length === 0 ? undefined : JSON.stringify(given);
    const isRepeated = text !== undefined && (text === pages.first || text === pages.last);
    if (text !== undefined) {
      pages.first ??= text;
      pages.last = text;
    }
    if (!isRepeated) return false;
    if (this.cursor === '' && this.era === 'legacy') {
      this.flaws.push(`${emptyCursor}, and gives the same page again there: taken as the end of the list`);
    } else {
      this.trouble = `the server gave the same page again for the cursor ${shownJson(this.cursor)}`;
    }
    return true;
  }

  private take(given: readonly unknown[]): void {
    const objects = given.filter(isObject);
    const others = given.length - objects.length;
    if (others > 0)
      this.flaws.push(
        `${others} of the ${this.member} ${others === 1 ? 'is no object' : 'are no objects'}, and left out`,
      );
    for (const one of objects) this.items.push(one);
    this.count++;
    this.empty = given.length === 0 ? this.empty + 1 : 0;
  }

  private next(cursor: unknown): { cursor: string } | undefined {
    if (cursor === undefined) return undefined;
    if (cursor === null) {
      this.flaws.push('nextCursor is null, where it should be left out: taken as the end of the list');
      return undefined;
    }
    this.trouble = this.whyNotFollowed(cursor);
    if (this.trouble !== undefined || typeof cursor !== 'string') return undefined;
    this.cursors.add(cursor);
    this.cursor = cursor;
    return { cursor };
  }

  private whyNotFollowed(cursor: unknown): string | undefined {
    if (typeof cursor !== 'string') return `nextCursor is ${shownJson(cursor)}, and only text can be followed`;
    if (this.cursors.has(cursor)) return `the server gave the same cursor twice: ${shownJson(cursor)}`;
    if (this.count >= most.pages) return `the server gives more than ${most.pages} pages`;
    if (this.empty >= most.emptyPages) return `the server gave ${most.emptyPages} empty pages one after the other`;
    return undefined;
  }
}

const emptyCursor = 'the server names "" as nextCursor';
