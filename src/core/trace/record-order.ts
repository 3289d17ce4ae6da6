import { counted } from './amounts.ts';
import type { Gap } from './verify.ts';

/** Records that are missing, from one number to another. */
interface Hole {
  from: number;
  to: number;
}

/** So many holes are remembered, to tell a record that is in another place from one that is there twice. */
const mostHoles = 10_000;

/**
 * Looks whether records are numbered from 1 without a gap, and the closing record is the last. What is wrong is told
 * when all has been seen: a record that seemed to be missing may come later, and then it is none.
 */
export class RecordOrder {
  /** The greatest number so far. */
  private highest = 0;
  private last = 0;
  private holes: Hole[] = [];
  private moved: Found | undefined;
  private repeated: Found | undefined;
  private behindEnd: Found | undefined;

  /** @param damaged How many lines that are no records stand before it: they are told, and so are not missing too. */
  feed(n: number, damaged: number, isClosed: boolean): void {
    const missing = n - this.highest - 1;
    if (missing < 0) {
      if (this.fill(n)) this.moved = found(this.moved, n, this.last);
      else this.repeated = found(this.repeated, n, this.last);
    } else {
      if (missing > 0 && missing !== damaged && this.holes.length < mostHoles) {
        this.holes.push({ from: this.highest + 1, to: n - 1 });
      }
      if (isClosed) this.behindEnd = found(this.behindEnd, n, this.last);
    }
    this.highest = Math.max(this.highest, n);
    this.last = n;
  }

  /** Everything that is wrong, by the record where it begins. */
  gaps(): Gap[] {
    const { moved, repeated, behindEnd } = this;
    const gaps = this.holes.map(({ from, to }): Gap => {
      const text = from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`;
      return { kind: 'record-missing', n: from, text };
    });
    if (moved) {
      const text = `records are out of order: record ${moved.n} stands behind record ${moved.behind}${more(moved)}`;
      gaps.push({ kind: 'record-out-of-place', n: moved.n, text });
    }
    if (repeated) {
      const text = `record ${repeated.n} is there twice${more(repeated)}`;
      gaps.push({ kind: 'record-out-of-place', n: repeated.n, text });
    }
    if (behindEnd) {
      const text = `record ${behindEnd.n} stands behind the closing record${more(behindEnd)}`;
      gaps.push({ kind: 'record-out-of-place', n: behindEnd.n, text });
    }
    return gaps.sort((one, other) => (one.n as number) - (other.n as number));
  }

  /** The number before which nothing is wrong; infinite where nothing is. */
  get firstWrong(): number {
    const places = [this.holes[0]?.from, this.moved?.least, this.repeated?.least, this.behindEnd?.least];
    return Math.min(...places.map((place) => place ?? Infinity));
  }

  /** The first hole that does not end before this number; they are in order. */
  private holeAt(n: number): number {
    let low = 0;
    for (let high = this.holes.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((this.holes[middle] as Hole).to < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes a number out of those that are missing, where it is one of them. */
  private fill(n: number): boolean {
    const at = this.holeAt(n);
    const hole = this.holes[at];
    if (!hole || n < hole.from) return false;
    const rest = [
      { from: hole.from, to: n - 1 },
      { from: n + 1, to: hole.to },
    ];
    this.holes.splice(at, 1, ...rest.filter(({ from, to }) => from <= to));
    return true;
  }
}

/** The first of its kind, and how many more there are. */
interface Found {
  n: number;
  behind: number;
  more: number;
  /** The least of their numbers. */
  least: number;
}

const found = (before: Found | undefined, n: number, behind: number): Found =>
  before ? { ...before, more: before.more + 1, least: Math.min(before.least, n) } : { n, behind, more: 0, least: n };

const more = ({ more: count }: Found): string => (count === 0 ? '' : `, and ${counted(count, 'more record')} like it`);
