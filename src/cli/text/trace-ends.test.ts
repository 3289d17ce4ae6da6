import { expect, test } from 'vitest';
import { someHeader } from '../../../test/trace-maker.ts';
import { plainInk } from '../../../test/plain-ink.ts';
import { type ConnectionFacts, noFacts } from '../../core/trace/connection-facts.ts';
import { layoutFor } from './row-line.ts';
import { headLines } from './trace-ends.ts';

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
