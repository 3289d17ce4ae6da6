import { describe, expect, test } from 'vitest';
import type { Era } from '../protocol/revision.ts';
import { Pages } from './pages.ts';

const one = { name: 'one' };
const two = { name: 'two' };

/** Gives the pages in turn, the last one again and again, as long as more are asked for. */
function walk(given: readonly unknown[], era: Era = 'legacy') {
  const pages = new Pages('tools/list', 'tools', era);
  const asked: string[] = [];
  for (let index = 0; ; index++) {
    const next = pages.feed(given[Math.min(index, given.length - 1)]);
    if (!next) return { asked, items: pages.items, flaws: pages.flaws, trouble: pages.trouble };
    asked.push(next.cursor);
  }
}

describe('a list that is whole', () => {
  test.each<[string, unknown[], string[], unknown[]]>([
    ['of one page', [{ tools: [one] }], [], [one]],
    ['of none', [{ tools: [] }], [], []],
    ['of two', [{ tools: [one], nextCursor: 'a' }, { tools: [two] }], ['a'], [one, two]],
    ['with an empty page', [{ tools: [], nextCursor: 'a' }, { tools: [two] }], ['a'], [two]],
    [
      'whose second page is found by an empty cursor',
      [{ tools: [one], nextCursor: '' }, { tools: [two] }],
      [''],
      [one, two],
    ],
  ])('%s', (_name, given, asked, items) => {
    for (const era of ['legacy', 'modern'] as const) {
      expect(walk(given, era)).toEqual({ asked, items, flaws: [], trouble: undefined });
    }
  });

  test('though its end is written as an empty cursor, before 2026-07-28', () => {
    expect(walk([{ tools: [one], nextCursor: '' }])).toEqual({
      asked: [''],
      items: [one],
      flaws: [expect.stringContaining('names "" as nextCursor')],
      trouble: undefined,
    });
    const pages = new Pages('tools/list', 'tools', 'legacy');
    expect(pages.feed({ tools: [one], nextCursor: '' })).toEqual({ cursor: '' });
    expect(pages.refused()).toBe(true);
    expect(pages.flaws).toEqual([expect.stringContaining('refuses to go on')]);
  });

  test('though its end is written as null', () => {
    expect(walk([{ tools: [one], nextCursor: null }])).toMatchObject({
      items: [one],
      flaws: [expect.stringContaining('null')],
      trouble: undefined,
    });
  });

  test('but for what is no object', () => {
    expect(walk([{ tools: [one, 5, null] }])).toMatchObject({ items: [one], flaws: [expect.stringContaining('2 of')] });
  });
});

describe('a list that is not whole', () => {
  test.each<[string, unknown[], unknown[], RegExp]>([
    [
      'names a cursor again',
      [
        { tools: [one], nextCursor: 'a' },
        { tools: [two], nextCursor: 'a' },
      ],
      [one, two],
      /twice: "a"/,
    ],
    [
      'gives a page again',
      [
        { tools: [one], nextCursor: 'a' },
        { tools: [one], nextCursor: 'b' },
      ],
      [one],
      /same page again.*"a"/,
    ],
    [
      'comes back to its first page',
      [
        { tools: [one], nextCursor: 'a' },
        { tools: [two], nextCursor: 'b' },
        { tools: [one], nextCursor: 'c' },
      ],
      [one, two],
      /same page again/,
    ],
    ['takes an empty cursor for none', [{ tools: [one], nextCursor: '' }], [one], /same page again for the cursor ""/],
    ['names a cursor that is a number', [{ tools: [one], nextCursor: 2 }], [one], /nextCursor is 2/],
    ['has no items', [{ nextCursor: 'a' }], [], /has no tools$/],
    ['has items that are no list', [{ tools: { a: one } }], [], /no tools that are a list/],
    ['is no object', [null], [], /no object/],
    ['asks for input', [{ resultType: 'input_required', requestState: 's' }], [], /"input_required"/],
  ])('%s', (_name, given, items, trouble) => {
    expect(walk(given, 'modern')).toMatchObject({ items, trouble: expect.stringMatching(trouble) });
  });

  test('a page that is refused ends it, whatever the cursor', () => {
    const pages = new Pages('tools/list', 'tools', 'legacy');
    pages.feed({ tools: [one], nextCursor: 'a' });
    expect(pages.refused()).toBe(false);
  });

  test.each([
    ['pages', (index: number) => [{ name: `${index}` }], 1000],
    ['empty pages', () => [], 50],
  ])('%s without end come to one', (_name, itemsOf, most) => {
    const pages = new Pages('tools/list', 'tools', 'legacy');
    let asked = 0;
    while (pages.feed({ tools: itemsOf(asked), nextCursor: `${asked}` })) asked++;
    expect(asked).toBe(most - 1);
    expect(pages.trouble).toContain(`${most}`);
  });
});
