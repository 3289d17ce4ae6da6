/** The longest string that something is remembered for, and about how many bytes all of it may take. */
const longest = 2048;
const budget = 512 * 1024;
/** What an entry takes beside its strings. Bytes. */
const besideStrings = 200;

/** Remembers what was made of two strings, such as the name and the value of a header. What it may hold is bounded. */
export class PairMemory<T> {
  private readonly known = new Map<string, Map<string, T>>();
  private held = 0;

  get(one: string, other: string): T | undefined {
    return this.known.get(one)?.get(other);
  }

  /**
   * @param size of what was made, about. Bytes
   * @returns what was made
   */
  set(one: string, other: string, made: T, size: number): T {
    if (Math.max(one.length, other.length, size) > longest) return made;
    const added = one.length + other.length + size + besideStrings;
    if (this.held + added > budget) this.forget();
    this.held += added;
    let others = this.known.get(one);
    if (!others) this.known.set(copyOf(one), (others = new Map()));
    others.set(copyOf(other), made);
    return made;
  }

  forget(): void {
    this.known.clear();
    this.held = 0;
  }
}

/** A string that is cut out of another, as header lines are, keeps all of that in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
