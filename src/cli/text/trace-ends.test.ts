import { describe, expect, test } from 'vitest';
import { someHttpHeader } from '../../../test/http-trace-maker.ts';
import { someHeader } from '../../../test/trace-maker.ts';
import { plainInk } from '../../../test/plain-ink.ts';
import { type ConnectionFacts, noFacts } from '../../core/trace/connection-facts.ts';
import { layoutFor } from './row-line.ts';
import { footLines, headLines } from './trace-ends.ts';

const layout = layoutFor({ ink: plainInk(true), showsUnicode: true, isTerminal: true, width: 120 }, 400);

test.each<[Partial<ConnectionFacts>, string]>([
  [{ eras: ['legacy'], askedRevision: '2025-11-25' }, 'legacy era, revision 2025-11-25 asked for'],
  [{ eras: ['legacy'], askedRevision: '2025-11-25', revisions: ['2025-06-18'] }, 'legacy era, revision 2025-06-18'],
  [
    { eras: ['modern'], askedRevision: '2026-07-28', refusedEra: 'modern' },
    'modern era asked for, revision 2026-07-28, refused',
  ],
  [
    { eras: ['modern', 'legacy'], askedRevision: '2026-07-28', refusedEra: 'modern', revisions: ['2025-11-25'] },
    'legacy era, revision 2025-11-25, modern era refused',
  ],
])('the head says what is spoken: %j', (facts, said) => {
  expect(headLines(someHeader, [{ ...noFacts(1), ...facts }], layout)[1]).toBe(said);
});

describe('of a recording of HTTP', () => {
  const plain = { ...layout, showsUnicode: false };

  test('the head says from where to where, and who called', () => {
    const clients: ConnectionFacts[] = [
      { ...noFacts(1), client: 'a 1.0' },
      noFacts(2),
      { ...noFacts(3), client: 'b', server: 'notes 2.0' },
      { ...noFacts(4), client: 'a 1.0' },
      { ...noFacts(5), client: 'c' },
      { ...noFacts(6), client: 'd' },
      { ...noFacts(7), client: 'e' },
    ];
    expect(headLines(someHttpHeader, clients, plain)).toEqual([
      'notes 2.0  01KBXM2Q9ZC8V4T6W1R0D5F7GH',
      'notes 2.0, called by a 1.0, b, c and 2 others',
      '2026-11-30 10:48:31 UTC  http://127.0.0.1:7000/mcp -> https://host/mcp',
    ]);
    expect(headLines(someHttpHeader, [], layout)[1]).toContain('http://127.0.0.1:7000/mcp → https://host/mcp');
  });

  test('the foot counts all connections together', () => {
    const facts = [
      { ...noFacts(1), requests: 2, stray: 1, errors: 1, refused: 1 },
      { ...noFacts(2), requests: 1, errors: 2, refused: 2 },
    ];
    const result = { header: someHttpHeader, state: 'closed', closed: {}, facts, last: { n: 9, at: 5 } } as const;
    const told = footLines({ ...result, damaged: 0, hidden: 0 }, plain, {
      show: 'show',
      follow: false,
      saidEnding: true,
    });
    expect(told[0]).toBe('3 requests, 3 errors, 1 event or body that is no message, 2 connections; 5.0 ms in all');
  });
});

test.each([
  [undefined, 'One record whole: show 01KBXM2Q9ZC8V4T6W1R0D5F7GH N'],
  ['01KBXM2Q', 'One record whole: show 01KBXM2Q N'],
  ['./copy.jsonl', 'One record whole: show ./copy.jsonl N'],
  ['my copy\u001b.jsonl', 'One record whole: show "my copy\\u001b.jsonl" N'],
])('the foot calls the recording what the user calls it: %s', (name, expected) => {
  const result = { header: someHttpHeader, state: 'closed', closed: {}, last: { n: 0, at: 0 } } as const;
  const how = { show: 'show', name, follow: false, saidEnding: true };
  expect(footLines({ ...result, facts: [], damaged: 0, hidden: 0 }, layout, how).at(-1)).toBe(expected);
});
