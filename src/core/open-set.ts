/** Knows its place in an `OpenSet`: `undefined` while it is in none. */
export interface Placed {
  place: number | undefined;
}

/**
 * What is open at the moment, in no order.
 *
 * Not a `Set`, where thousands come and go each second: V8 replaces the table of a `Set` by the next one as entries
 * come and go, and leaves a link to it in the old one. Of a table that has once been moved to the old space, all later
 * ones and what stood in them live on until that is collected: every collection of new objects has them to copy.
 */
export class OpenSet<T extends Placed> implements Iterable<T> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    item.place ??= this.items.push(item) - 1;
  }

  delete(item: T): void {
    const { place } = item;
    const last = this.items.at(-1);
    if (place === undefined || last === undefined) return;
    item.place = undefined;
    this.items.pop();
    if (last === item) return;
    this.items[place] = last;
    last.place = place;
  }

  /** All that are open now, whatever is deleted meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.items][Symbol.iterator]();
  }
}
