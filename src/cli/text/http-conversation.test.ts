import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpConversation } from '../../../test/http-conversation.ts';
import { plainInk } from '../../../test/plain-ink.ts';
import { showRecord, showUnits } from '../../commands/show.ts';
import { unitJson } from '../../core/trace/unit-json.ts';
import type { Terminal } from '../terminal.ts';
import { recordText } from './record-text.ts';
import { printConversation } from './show-conversation.ts';

const golden = (name: string): string =>
  fileURLToPath(new URL(`../../../test/golden/show/http-${name}.txt`, import.meta.url));

let folder = '';
let path = '';
const made = httpConversation();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wireproof-'));
  path = join(folder, 'trace.jsonl');
  writeFileSync(path, made.bytes);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a terminal of so many columns, or a file, gets to see. */
async function seen({ filter = '', width = 150, isTerminal = true } = {}): Promise<string> {
  let text = '';
  const print = async (more: string): Promise<void> => void (text += more);
  const terminal: Terminal = {
    print,
    ink: plainInk(isTerminal),
    isTerminal,
    showsUnicode: isTerminal,
    width: isTerminal ? width : undefined,
  };
  const { signal } = new AbortController();
  await printConversation({ path, follow: false, isFull: false, show: 'wireproof show', filter, signal }, terminal);
  return text;
}

test.each([
  ['conversation', {}],
  ['conversation-narrow', { width: 60 }],
  ['conversation-in-a-file', { isTerminal: false }],
  ['conversation-streams', { filter: 'kind:http' }],
])('%s', async (name, how) => {
  await expect(await seen(how)).toMatchFileSnapshot(golden(name));
});

/** The record that holds a text, and stands behind all that is left out. */
function numberOf(text: string): number {
  const line = made.lines.find((one) => one.includes(text));
  if (line === undefined) throw new Error(`No record holds ${text}`);
  return (JSON.parse(line) as { n: number }).n;
}

test.each([
  ['the head of a request', '"leg":"client","head":{"version":"1.1","method":"GET"'],
  ['the head of a response', '"leg":"server","head":{"version":"1.1","status":200'],
  ['a response that wireproof made', '"made":true'],
  ['a body on the way to the client', '"resource":"http://127.0.0.1:7000/mcp"'],
  ['a form with a secret', 'redacted-code'],
  ['the end of a body with a secret', '"passed":'],
  ['an encoded body', '"b64"'],
  ['an event', 'notifications/progress'],
  ['an event on two lines', 'id: e3'],
  ['an event without a message', 'id: e1'],
  ['the end of a stream that broke off', 'the client went away'],
])('one record whole: %s', async (what, text) => {
  const options = { ink: plainInk(true), isFull: false, bytesCommand: () => 'wireproof bytes' };
  const lines = [...recordText(await showRecord(path, numberOf(text)), options)];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden(`record-${what.replaceAll(' ', '-')}`));
});

test('as JSON lines', async () => {
  const lines: string[] = [];
  const { signal } = new AbortController();
  await showUnits(
    { path, follow: false, filter: '', signal },
    { header: () => undefined, units: (units) => void lines.push(...units.map(unitJson)), fault: () => undefined },
  );
  for (const line of lines) JSON.parse(line);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('units'));
});
