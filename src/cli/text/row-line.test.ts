import { expect, test } from 'vitest';
import { plainInk, taggedInk } from '../../../test/plain-ink.ts';
import type { Row } from '../../core/trace/conversation/row.ts';
import { textWidth } from '../../core/wire/text-width.ts';
import { columnLine, type Layout, layoutFor, rowLine } from './row-line.ts';

const terminal = (width: number): Layout =>
  layoutFor({ ink: plainInk(true), showsUnicode: true, isTerminal: true, width }, 400);
const file = (longest = 400): Layout =>
  layoutFor({ ink: plainInk(false), showsUnicode: false, isTerminal: false, width: undefined }, longest);

const call: Row = {
  n: 12,
  at: 1234.56,
  by: 'client',
  subject: 'tools/call add',
  detail: '{"a":2,"b":3}',
  id: '#7',
  duration: 1.9,
  state: 'ok',
  outcome: 'The sum of 2 and 3 is 5.',
};

test.each<[string, Row, string]>([
  [
    'an exchange',
    call,
    '   12    1234.6 → tools/call add {"a":2,"b":3}         #7      1.9 ms ✓ The sum of 2 and 3 is 5.',
  ],
  [
    'one that failed',
    { ...call, state: 'error', outcome: '-32601 Method not found' },
    '   12    1234.6 → tools/call add {"a":2,"b":3}         #7      1.9 ms ✗ -32601 Method not found',
  ],
  [
    'one without words',
    { ...call, outcome: '' },
    '   12    1234.6 → tools/call add                       #7      1.9 ms ✓ ok',
  ],
  [
    'a subject that is too long takes the room of what follows',
    { ...call, subject: 'tools/call trigger-long-running-operation' },
    '   12    1234.6 → tools/call trigger-long-running-operation #7 1.9 ms ✓ The sum of 2 and 3 is 5.',
  ],
  [
    'a request that is not answered yet',
    { n: 3, at: 5, by: 'server', subject: 'elicitation/create', detail: 'Name?', id: '#1', state: 'asked' },
    '    3       5.0 ← elicitation/create                   #1             … Name?',
  ],
  [
    'a notification',
    { n: 4, at: 5, by: 'server', subject: 'notifications/message', outcome: 'hi' },
    '    4       5.0 ← notifications/message                hi',
  ],
  ['a line on stderr', { n: 4, at: 5, by: 'stderr', subject: 'ready' }, '    4       5.0 ┊ ready'],
  ['something odd in the recording', { at: 5, by: 'trace', subject: 'lost', tone: 'odd' }, '            5.0 ! lost'],
  [
    'many of a kind',
    { n: 4, at: 5, by: 'client', subject: 'a blank line', times: 20_000 },
    '    4       5.0 → a blank line ×20,000',
  ],
  [
    'marks',
    { ...call, marks: ['8 progress'] },
    '   12    1234.6 → tools/call add {"a":2,"b":3}         #7      1.9 ms ✓ The sum of 2 and 3 is 5. · 8 progress',
  ],
])('%s', (_, row, line) => {
  expect(rowLine(row, terminal(120))).toBe(line);
});

test('in a file there is no unicode of ours, states are words, and lines are longer', () => {
  expect(rowLine(call, file())).toBe(
    '   12    1234.6 > tools/call add {"a":2,"b":3}         #7      1.9 ms ok        The sum of 2 and 3 is 5.',
  );
  const long = { ...call, outcome: 'x'.repeat(1000) };
  expect(rowLine(long, file())).toHaveLength(400);
  expect(rowLine(long, file())).toMatch(/x\.\.\.$/);
  expect(rowLine(long, file(Infinity)).length).toBeGreaterThan(1000);
});

const wild: Row[] = [
  { ...call, outcome: 'x'.repeat(500) },
  { ...call, outcome: '漢字'.repeat(100) },
  { ...call, subject: '😀'.repeat(100) },
  { ...call, id: `#"${'i'.repeat(150)}"` },
  { ...call, marks: ['20,000 progress', 'in a batch', 'y'.repeat(100)] },
  { n: 1, at: 123_456_789.1, by: 'stderr', subject: '漢'.repeat(500) },
  { n: 1_234_567, at: 1, by: 'client', subject: 'not JSON', outcome: 'z'.repeat(500), tone: 'odd' },
];

test.each([40, 60, 80, 100, 120, 200])('no line is wider than a terminal of %i columns', (width) => {
  const layout = terminal(width);
  for (const row of [call, ...wild]) expect(textWidth(rowLine(row, layout))).toBeLessThanOrEqual(width);
  expect(textWidth(columnLine(layout))).toBeLessThanOrEqual(width);
});

test.each([40, 60, 79, 80, 100, 120])('what became of it is seen in %i columns', (width) => {
  const long = [
    ...wild.filter(({ state }) => state === 'ok'),
    { ...call, subject: 's'.repeat(200), id: `#"${'i'.repeat(150)}"`, duration: 12_345_678 },
  ];
  for (const row of long) expect(rowLine(row, terminal(width))).toContain('✓');
  const ascii = layoutFor({ ink: plainInk(false), showsUnicode: false, isTerminal: true, width }, 400);
  for (const row of long) expect(rowLine(row, ascii)).toContain(' ok ');
});

test('where there is no room for columns, what became of it comes first', () => {
  expect(columnLine(terminal(40))).toBe('    n   what');
  expect(rowLine(call, terminal(40))).toBe('   12 → ✓ tools/call add The sum of 2 a…');
  expect(rowLine({ ...call, subject: 'tools/call count_words', outcome: '3' }, terminal(40))).toBe(
    '   12 → ✓ tools/call count_words 3',
  );
  expect(rowLine({ n: 4, at: 5, by: 'stderr', subject: 'ready' }, terminal(40))).toBe('    4 ┊ ready');
});

test('where nothing is to be cut, the arguments are there too', () => {
  const detail = `{"text":"${'x'.repeat(500)}"}`;
  expect(rowLine({ ...call, detail }, file(Infinity))).toContain(`tools/call add ${detail} #7 `);
  expect(
    rowLine(
      { ...call, detail },
      layoutFor({ ink: plainInk(true), showsUnicode: true, isTerminal: true, width: 80 }, Infinity),
    ),
  ).toContain(detail);
});

test('a terminal that shows only ASCII gets only ASCII', () => {
  const layout = layoutFor({ ink: plainInk(false), showsUnicode: false, isTerminal: true, width: 120 }, 400);
  for (const row of wild) expect(rowLine(row, layout)).toMatch(/^[\u0020-\u007e]*$/);
});

test('colours: the direction, what went wrong, what is odd; all else is quiet', () => {
  const layout = layoutFor({ ink: taggedInk, showsUnicode: true, isTerminal: true, width: 120 }, 400);
  expect(rowLine({ ...call, state: 'error', outcome: '1 no' }, layout)).toBe(
    '<dim>   12    1234.6 </dim><cyan>→</cyan> tools/call add<dim> {"a":2,"b":3}</dim>         <dim>#7      1.9 ms</dim> <red>✗ </red><red>1 no</red>',
  );
  expect(rowLine({ n: 1, at: 1, by: 'server', subject: 'not JSON', outcome: 'x', tone: 'odd' }, layout)).toContain(
    '<green>←</green> <yellow>not JSON</yellow>',
  );
});
