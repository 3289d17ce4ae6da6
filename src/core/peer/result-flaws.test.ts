import { describe, expect, test } from 'vitest';
import { isBase64, resultFlaws, whyNoResult } from './result-flaws.ts';

const revision = '2025-11-25';
const output = { name: 't', outputSchema: { type: 'object' } };
const content = [{ type: 'text', text: 'x' }];

test.each([
  ['tools/call', { content }],
  ['tools/call', { content: [] }],
  ['tools/call', { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }],
  ['tools/call', { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } }] }],
  ['tools/call', { content: [{ type: 'resource_link', uri: 'a:b', name: 'b' }] }],
  ['tools/call', { content, structuredContent: {} }],
  ['tools/call', { task: { taskId: 'x' } }],
  ['resources/read', { contents: [{ uri: 'a:b', text: '' }] }],
  ['prompts/get', { messages: [{ role: 'user', content: content[0] }] }],
  ['completion/complete', { completion: { values: ['a'] } }],
  ['vendor/own', {}],
])('%s may be answered with %j', (method, result) => {
  expect(resultFlaws(result, { method, revision })).toEqual([]);
});

test.each<[string, object, string]>([
  ['tools/call', {}, 'the result has no content'],
  ['tools/call', { content: 'x' }, 'content is "x", and has to be a list'],
  ['tools/call', { content: ['x'] }, 'content[0] is "x", and has to be an object'],
  [
    'tools/call',
    { content: [{ type: 'video', data: '' }] },
    'content[0] is of a kind that nobody knows: its type is "video"',
  ],
  ['tools/call', { content: [{ text: 'x' }] }, 'content[0] is of a kind that nobody knows: its type is missing'],
  ['tools/call', { content: [{ type: 'text' }] }, 'content[0], of type "text", has no text'],
  ['tools/call', { content: [{ type: 'text', text: 5 }] }, 'has no text that is text'],
  ['tools/call', { content: [{ type: 'audio', data: 'AAAA' }] }, 'has no mimeType'],
  [
    'tools/call',
    { content: [{ type: 'image', data: 'data:image/png;base64,AAAA', mimeType: '' }] },
    'content[0].data is no base64',
  ],
  ['tools/call', { content: [{ type: 'resource' }] }, 'content[0] has no resource'],
  ['tools/call', { content, isError: 'true' }, 'isError is "true"'],
  [
    'tools/call',
    { content, structuredContent: [1] },
    'structuredContent is a list, and has to be an object in 2025-11-25',
  ],
  ['resources/read', { contents: [{ uri: 'a:b' }] }, 'contents[0] has neither a text nor a blob'],
  ['resources/read', { contents: [{ text: '' }] }, 'contents[0] has no uri'],
  ['resources/read', { contents: {} }, 'contents is an object, and has to be a list'],
  ['prompts/get', { messages: [{ role: 'system', content: content[0] }] }, 'messages[0] has the role "system"'],
  ['prompts/get', { messages: [{ role: 'user', content: 'x' }] }, 'messages[0] has content that is "x"'],
  ['completion/complete', {}, 'the result has no completion'],
  ['completion/complete', { completion: { values: [5] } }, 'values[0] is 5, and no text'],
])('%s answered with %j', (method, result, flaw) => {
  expect(resultFlaws(result as never, { method, revision })).toEqual([expect.stringContaining(flaw)]);
});

describe('structured content', () => {
  const of = (result: object, more: object = {}): string[] =>
    resultFlaws(result as never, { method: 'tools/call', revision, tool: output, ...more });

  test('is missed where the tool has an output schema', () => {
    expect(of({ content })).toEqual([expect.stringContaining('no structuredContent')]);
    expect(of({ content }, { tool: { name: 't' } })).toEqual([]);
  });

  test('may be left out, and have any form, where the tool failed', () => {
    expect(of({ content, isError: true })).toEqual([]);
    expect(of({ content, isError: true, structuredContent: [] })).toEqual([]);
  });

  test('may be anything from 2026-07-28 on', () => {
    expect(of({ content, structuredContent: [1] }, { revision: '2026-07-28' })).toEqual([]);
    expect(of({ content, structuredContent: null }, { revision: '2026-07-28' })).toEqual([]);
  });
});

test('of many flaws some are told', () => {
  const flaws = resultFlaws({ content: new Array(100).fill(5) }, { method: 'tools/call', revision });
  expect(flaws).toHaveLength(11);
  expect(flaws.at(-1)).toContain('90 more');
});

test('what cannot be taken as a result', () => {
  expect(whyNoResult(undefined, 'legacy')).toContain('neither a result nor an error');
  expect(whyNoResult([], 'legacy')).toContain('no object: []');
  expect(whyNoResult({ resultType: 'finished' }, 'modern')).toContain('"finished"');
  expect(whyNoResult({ resultType: 'finished' }, 'legacy')).toBeUndefined();
  expect(whyNoResult({}, 'modern')).toBeUndefined();
});

test.each([
  ['', true],
  ['AAAA', true],
  ['AA==', true],
  ['AA', true],
  ['AAAA\r\nAAAA\n', true],
  ['A', false],
  ['AA=A', false],
  ['AAA===', false],
  ['AA AA', false],
  ['data:,x', false],
])('%j is base64: %s', (text, is) => {
  expect(isBase64(text)).toBe(is);
});
