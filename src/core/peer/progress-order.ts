import type { JsonObject } from '../protocol/message.ts';

/** Hears the progress of one request, and says once what is wrong with it (basic/utilities/progress). */
export class ProgressOrder {
  private last: number | undefined;
  private wasTold = false;

  /** @returns what is wrong, where something is and nothing was yet */
  feed({ progress }: JsonObject): string | undefined {
    const wrong = this.wrongWith(progress);
    if (typeof progress === 'number') this.last = progress;
    if (wrong === undefined || this.wasTold) return undefined;
    this.wasTold = true;
    return wrong;
  }

  private wrongWith(progress: unknown): string | undefined {
    if (typeof progress !== 'number')
      return `the server tells of progress that is ${JSON.stringify(progress) ?? 'missing'}, no number`;
    if (this.last === undefined || progress > this.last) return undefined;
    return `the progress that the server tells does not rise: ${progress} after ${this.last}`;
  }
}
