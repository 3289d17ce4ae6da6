import { expect, test } from 'vitest';
import { plainInk } from '../../../test/plain-ink.ts';
import type { Agreement } from '../../core/peer/opening.ts';
import { offerText } from './offer-text.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
const tool = (name: string, count: number) => ({ name, description: lines(count), inputSchema: { type: 'object' } });
const agreement: Agreement = {
  era: 'legacy',
  revision: '2025-11-25',
  server: { name: 's\u001b[2J', version: '1' },
  capabilities: { tools: {} },
  instructions: lines(20),
  result: {},
};
const none = { items: [], flaws: [] };
const offer = {
  tools: { items: [tool('long', 5), tool('short', 4)], flaws: [] },
  resources: none,
  templates: none,
  prompts: none,
};

test('long texts are cut, and it is said how much is left out', () => {
  const shown = offerText(agreement, offer, plainInk(false));
  expect(shown.filter((line) => line.includes(' line '))).toHaveLength(6 + 3 + 4);
  expect(shown).toContain('  ... 14 more lines: --verbose or --json');
  expect(shown).toContain('      ... 2 more lines: --verbose or --json');
  expect(shown[0]).toBe('s\\e[2J 1');
});

test('or not', () => {
  const shown = offerText(agreement, offer, plainInk(false), true);
  expect(shown.filter((line) => line.includes(' line '))).toHaveLength(20 + 5 + 4);
});
