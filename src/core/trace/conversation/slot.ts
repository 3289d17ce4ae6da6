import type { FramedMessage, FrameUnit } from '../unit.ts';
import type { Row } from './row.ts';

/** Where a line stands among the others: by its time, then by its record. */
export interface Place {
  at: number;
  n: number;
}

/** A place for a line. */
export interface Slot extends Place {
  row?: Row | undefined;
  /** A request whose exchange has not come. */
  asked?: Asked | undefined;
  /** Lines of this key, one behind the other, are one. */
  key?: string | undefined;
  /** The connection. */
  c?: number | undefined;
  /** It has been handed out. */
  isOut?: boolean;
}

/** A request that waits for its exchange. */
export interface Asked {
  frame: FrameUnit;
  framed: FramedMessage;
  isCancelled: boolean;
  /** Its line is out: as a question, or not at all. */
  shown?: 'asked' | 'hidden';
  lastProgressAt: number;
  /** Notes on its stream, which is over. */
  notes?: readonly Noted[];
}

/** A line that says what wireproof noted. */
export type Noted = Slot & { row: Row; isWanted: boolean };

export const isLater = (one: Place, other: Place): boolean =>
  one.at > other.at || (one.at === other.at && one.n > other.n);
