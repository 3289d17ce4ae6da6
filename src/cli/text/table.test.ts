import { expect, test } from 'vitest';
import { textWidth } from '../../core/wire/text-width.ts';
import { type Column, table } from './table.ts';

const columns: Column[] = [
  { title: 'id', cells: ['a', 'bb'] },
  { title: 'name', cells: ['日本語の名前', 'short'], shrinksTo: 4 },
  { title: 'what', cells: ['x'.repeat(20), ''], shrinksTo: 8 },
  { title: 'size', cells: ['1', '1000'], isNumber: true },
];

test('cells stand under one another, numbers at their ends', () => {
  expect(table(columns, Infinity, '…')).toEqual({
    head: 'id  name          what                  size',
    rows: ['a   日本語の名前  xxxxxxxxxxxxxxxxxxxx     1', 'bb  short                               1000'],
  });
});

test.each([44, 40, 34, 30, 28])('in %i columns the widest give first', (width) => {
  const { head, rows } = table(columns, width, '…');
  for (const line of [head, ...rows]) expect(textWidth(line)).toBeLessThanOrEqual(width);
  expect(rows[0]).toMatch(/^a +.*1$/);
});

test('no column becomes narrower than it may', () => {
  expect(table(columns, 10, '…').rows[0]).toBe('a   日…   xxxxxxx…     1');
});

test('what is painted has its place already', () => {
  const painted = table([{ title: 'a', cells: ['x', 'yy'], paint: (text, row) => `<${text}${row}>` }], Infinity, '…');
  expect(painted.rows).toEqual(['<x 0>', '<yy1>']);
});

test.each([
  [30, 'id  who     size'],
  [14, 'id  who   size'],
  [10, 'id  who'],
  [3, 'id  who'],
])('in %i columns some are left out', (width, head) => {
  const shown = table(
    [
      { title: 'id', cells: ['a'] },
      { title: 'who', cells: ['somebody'.slice(0, 6)], shrinksTo: 3 },
      { title: 'size', cells: ['1'], dropped: 1 },
    ],
    width,
    '~',
  );
  expect(shown.head).toBe(head);
});
