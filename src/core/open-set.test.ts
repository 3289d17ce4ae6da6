import { describe, expect, it } from 'vitest';
import { OpenSet, type Placed } from './open-set.ts';

const one = (name: string): Placed & { name: string } => ({ name, place: undefined });
const names = (open: OpenSet<Placed & { name: string }>): string[] => [...open].map(({ name }) => name).toSorted();

describe('OpenSet', () => {
  it('holds what was added and not deleted, each once', () => {
    const open = new OpenSet<Placed & { name: string }>();
    const [a, b, c] = [one('a'), one('b'), one('c')];
    for (const item of [a, b, c, a]) open.add(item);
    expect(names(open)).toEqual(['a', 'b', 'c']);
    open.delete(a);
    open.delete(a);
    expect(names(open)).toEqual(['b', 'c']);
    open.delete(c);
    open.add(a);
    open.delete(b);
    expect([names(open), open.size]).toEqual([['a'], 1]);
  });

  it('deletes nothing for what it does not hold', () => {
    const open = new OpenSet<Placed & { name: string }>();
    open.add(one('a'));
    open.delete(one('b'));
    expect(names(open)).toEqual(['a']);
  });

  it('goes through all, whatever is deleted on the way', () => {
    const open = new OpenSet<Placed & { name: string }>();
    for (const name of ['a', 'b', 'c', 'd']) open.add(one(name));
    const seen: string[] = [];
    for (const item of open) {
      seen.push(item.name);
      open.delete(item);
    }
    expect([seen.toSorted(), open.size]).toEqual([['a', 'b', 'c', 'd'], 0]);
  });
});
