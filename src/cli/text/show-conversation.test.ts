import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plainInk } from '../../../test/plain-ink.ts';
import { showRecord } from '../../commands/show.ts';
import type { Terminal } from '../terminal.ts';
import { recordText } from './record-text.ts';
import { printConversation } from './show-conversation.ts';

const trace = (name: string): string => fileURLToPath(new URL(`../../../test/traces/${name}.jsonl`, import.meta.url));
const golden = (name: string): string =>
  fileURLToPath(new URL(`../../../test/golden/show/${name}.txt`, import.meta.url));

/** What a terminal of 120 columns, or a file, gets to see of a recording. */
async function seen(name: string, { filter = '', isTerminal = true } = {}): Promise<string> {
  let text = '';
  const terminal: Terminal = {
    print: async (more) => void (text += more),
    ink: plainInk(isTerminal),
    isTerminal,
    showsUnicode: isTerminal,
    width: isTerminal ? 120 : undefined,
  };
  const { signal } = new AbortController();
  const options = { path: trace(name), follow: false, isFull: false, show: 'wireproof show', filter, signal };
  await printConversation(options, terminal);
  return text;
}

test.each([
  'wild-client',
  'escapes-everywhere',
  'pretty-printed-message',
  'dies-mid-message',
  'asks-back',
  'answers-last-first',
])('the view of %s', async (name) => {
  await expect(await seen(name)).toMatchFileSnapshot(golden(name));
});

test('the same in a file, and what a filter leaves of it', async () => {
  await expect(await seen('wild-client', { isTerminal: false })).toMatchFileSnapshot(golden('wild-client-in-a-file'));
  const filtered = await seen('wild-client', { filter: 'kind:stray' });
  await expect(filtered).toMatchFileSnapshot(golden('wild-client-stray'));
  expect(await seen('wild-client', { filter: 'tool:nothing' })).toContain('Nothing fits the filter.');
});

test.each([
  ['a request', 'wild-client', 9],
  ['an answer', 'wild-client', 22],
  ['a batch', 'wild-client', 17],
  ['bytes that are no UTF-8', 'wild-client', 13],
  ['an unterminated line', 'wild-client', 27],
  ['a value spread over lines', 'pretty-printed-message', 8],
  ['a result with escapes', 'escapes-everywhere', 9],
  ['the end', 'wild-client', 32],
])('one record whole: %s', async (what, name, number) => {
  const options = { ink: plainInk(true), isFull: false, bytesCommand: () => 'wireproof bytes' };
  const lines = [...recordText(await showRecord(trace(name), number), options)];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden(`record-${what.replaceAll(' ', '-')}`));
});

test('of a line that is too long to be read, its beginning is shown, and how to get all of it', () => {
  const bytes = Buffer.from('x'.repeat(65_536));
  const line = {
    c: 1,
    n: 9,
    at: 1,
    since: 1,
    from: 'server',
    bytes,
    eol: '\n',
    records: [7, 8, 9],
    size: 30_000_001,
  } as const;
  const frame = {
    unit: 'frame',
    ...line,
    records: [...line.records],
    messages: [],
    stray: { why: 'too long' },
  } as const;
  const event = { kind: 'frame', c: 1, n: 9, at: 1, from: 'server', bytes, eol: '\n', form: 'text' } as const;
  const options = { ink: plainInk(true), bytesCommand: (from: string) => `wireproof bytes T --from ${from}` };
  const text = (isFull: boolean): string =>
    [...recordText({ event, frame, exchanges: [] }, { ...options, isFull })].join('\n');
  expect(text(true)).toContain(`${'x'.repeat(65_536)}\n(all of it, in its stream: wireproof bytes T --from server)`);
  expect(text(true)).toContain(
    'On the wire, 30,000,001 bytes, ending in \\n; too long to be shown beyond the first 65,536:',
  );
  expect(text(true)).not.toMatch(/all of it is shown|--full/);
  expect(text(false)).toContain('(61,536 more bytes; --full shows the first 65,536)');
});
