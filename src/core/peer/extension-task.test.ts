import { expect, test } from 'vitest';
import { ExtensionTask } from './extension-task.ts';
import { readTask, type TaskState } from './tasks.ts';

const task = (status: string, more = {}) => ({ taskId: 't', status, pollIntervalMs: 500, ...more });
const begun = (status = 'working') => {
  const course = new ExtensionTask(readTask(task(status), 'pollIntervalMs') as TaskState);
  return { course, first: course.begin() };
};
const get = { ask: 'tasks/get', params: { taskId: 't' } };
const wait = { wait: 500 };
const request = { method: 'elicitation/create', params: { message: 'Who?' } };
const needs = (...keys: string[]) => ({
  result: task('input_required', { inputRequests: Object.fromEntries(keys.map((key) => [key, request])) }),
});
const update = (inputResponses: object) => ({ ask: 'tasks/update', params: { taskId: 't', inputResponses } });

test('it is polled until the answer holds its result', () => {
  const { course, first } = begun();
  expect(first).toEqual(wait);
  expect(course.feed({ waited: true })).toEqual(get);
  expect(course.feed({ result: task('working', { pollIntervalMs: 700 }) })).toEqual({ wait: 700 });
  expect(course.feed({ waited: true })).toEqual(get);
  const result = { content: [], isError: true };
  expect(course.feed({ result: task('completed', { result }) })).toEqual({ done: { result } });
});

test('a handle that does not work any more is asked for at once', () => {
  expect(begun('completed').first).toEqual(get);
  expect(begun('input_required').first).toEqual(get);
});

test('each key is answered once, however long it is asked for', () => {
  const { course } = begun('input_required');
  expect(course.feed(needs('a'))).toEqual({ answer: new Map([['a', request]]) });
  expect(course.feed({ responses: { a: {} } })).toEqual(update({ a: {} }));
  expect(course.feed({ result: {} })).toEqual(wait);
  course.feed({ waited: true });
  expect(course.feed(needs('a'))).toEqual(wait);
  course.feed({ waited: true });
  expect(course.feed(needs('a', 'b'))).toEqual({ answer: new Map([['b', request]]) });
});

test('answers that were not acknowledged are given again', () => {
  const { course } = begun('input_required');
  course.feed(needs('a'));
  course.feed({ responses: { a: {} } });
  expect(course.feed({ silence: true })).toEqual(wait);
  expect(course.feed({ waited: true })).toEqual(update({ a: {} }));
  course.feed({ result: {} });
  expect(course.feed({ waited: true })).toEqual(get);
});

test('a server that asks without end is not answered without end', () => {
  const { course } = begun('input_required');
  const keys = Array.from({ length: 101 }, (_, at) => String(at));
  expect(course.feed(needs(...keys))).toEqual({ gone: expect.stringContaining('more than 100 times') });
});

test.each([
  ['failed, with an error', task('failed', { error: { code: 1 } }), { done: { error: { code: 1 } } }],
  ['failed, without', task('failed'), { gone: expect.stringContaining('gives no error') }],
  ['completed, without a result', task('completed'), { gone: expect.stringContaining('gives no result') }],
  ['cancelled', task('cancelled', { statusMessage: 'why' }), { gone: expect.stringContaining('cancelled: why') }],
  ['another', { ...task('working'), taskId: 'u' }, { gone: expect.stringContaining('not this task') }],
  ['none', {}, { gone: expect.stringContaining('not this task') }],
])('a task that is %s', (_, result, step) => {
  const { course } = begun('input_required');
  expect(course.feed({ result })).toEqual(step);
});

test('one that is not known any more ends with what the server says', () => {
  const { course } = begun('input_required');
  expect(course.feed({ error: { code: -32_602 } })).toEqual({ done: { error: { code: -32_602 } } });
});
