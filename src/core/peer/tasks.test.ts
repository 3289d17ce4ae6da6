import { expect, test } from 'vitest';
import type { Agreement } from './opening.ts';
import {
  canCancelTasks,
  isCalledAsTask,
  markedAsRelated,
  readTask,
  taskWords,
  withoutTasksExtension,
} from './tasks.ts';

const working = { taskId: 't', status: 'working' };

test.each([
  [undefined, 1000],
  [0, 100],
  [-5, 100],
  [2500, 2500],
  [1e12, 300_000],
  ['5', 1000],
  [null, 1000],
])('an interval of %j is %d ms', (pollInterval, pollEvery) => {
  expect(readTask({ ...working, pollInterval }, 'pollInterval')).toEqual({
    id: 't',
    status: 'working',
    message: undefined,
    pollEvery,
  });
});

test('each era has a name of its own for the interval', () => {
  expect(readTask({ ...working, pollIntervalMs: 500 }, 'pollIntervalMs')?.pollEvery).toBe(500);
  expect(readTask({ ...working, pollIntervalMs: 500 }, 'pollInterval')?.pollEvery).toBe(1000);
});

test.each([
  [undefined],
  [[]],
  [{ taskId: 5, status: 'working' }],
  [{ taskId: 't', status: 'done' }],
  [{ taskId: 't' }],
])('%j is no task', (json) => {
  expect(readTask(json, 'pollInterval')).toBeUndefined();
});

test('a task in words is of a length that can be read', () => {
  expect(taskWords({ status: 'input_required', message: undefined })).toBe('waits for input');
  expect(taskWords({ status: 'failed', message: 'x'.repeat(5000) })).toHaveLength('failed: '.length + 1000);
});

const agreed = (more: Partial<Agreement>): Agreement => ({
  era: 'legacy',
  revision: '2025-11-25',
  server: undefined,
  capabilities: {},
  instructions: undefined,
  result: {},
  ...more,
});
const capabilities = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };
const needs = (taskSupport: unknown) => ({ name: 'x', execution: { taskSupport } });

test.each([
  ['required', agreed({ capabilities }), true],
  ['optional', agreed({ capabilities }), false],
  ['forbidden', agreed({ capabilities }), false],
  [undefined, agreed({ capabilities }), false],
  ['required', agreed({}), false],
  ['required', agreed({ capabilities: { tasks: { requests: { tools: {} } } } }), false],
  ['required', agreed({ capabilities, revision: '2025-06-18' }), false],
  ['required', agreed({ capabilities, era: 'modern', revision: '2026-07-28' }), false],
])('a tool that says %j with %o', (support, agreement, isTask) => {
  expect(isCalledAsTask(needs(support), agreement)).toBe(isTask);
});

test('tasks can be cancelled where the server says so, and in the modern era', () => {
  expect(canCancelTasks(agreed({ capabilities }))).toBe(true);
  expect(canCancelTasks(agreed({ capabilities: { tasks: {} } }))).toBe(false);
  expect(canCancelTasks(agreed({ era: 'modern' }))).toBe(true);
});

test('the handshake does not name the extension, and names others', () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  expect(withoutTasksExtension({ roots: {}, extensions })).toEqual({ roots: {} });
  expect(withoutTasksExtension({ extensions: { ...extensions, 'a/b': {} } })).toEqual({ extensions: { 'a/b': {} } });
  expect(withoutTasksExtension({ roots: {} })).toEqual({ roots: {} });
});

test('an answer within a task says of which', () => {
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 't' }, other: 1 };
  const answer = { result: { action: 'accept', _meta: { own: 2 } } };
  expect(markedAsRelated({ _meta }, answer)).toEqual({
    result: { action: 'accept', _meta: { own: 2, 'io.modelcontextprotocol/related-task': { taskId: 't' } } },
  });
  expect(markedAsRelated({}, answer)).toBe(answer);
  const error = { error: { code: 1, message: 'no' } };
  expect(markedAsRelated({ _meta }, error)).toBe(error);
});
