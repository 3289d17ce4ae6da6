import { expect, test } from 'vitest';
import { LegacyTask } from './legacy-task.ts';
import { readTask, type TaskState } from './tasks.ts';

const task = (status: string, more = {}) => ({ taskId: 't', status, pollInterval: 500, ...more });
const begun = (status = 'working') => {
  const course = new LegacyTask(readTask(task(status), 'pollInterval') as TaskState);
  return { course, first: course.begin() };
};
const ask = (method: string) => ({ ask: method, params: { taskId: 't' } });
const wait = { wait: 500 };
const refusal = { error: { code: -32_600, message: 'not yet' } };

test('it is polled until it is completed, and its result fetched', () => {
  const { course, first } = begun();
  expect(first).toEqual(wait);
  expect(course.feed({ waited: true })).toEqual(ask('tasks/get'));
  expect(course.feed({ result: task('working', { pollInterval: 700 }) })).toEqual({ wait: 700 });
  expect(course.feed({ waited: true })).toEqual(ask('tasks/get'));
  expect(course.feed({ result: task('completed') })).toEqual(ask('tasks/result'));
  expect(course.feed({ result: { content: [] } })).toEqual({ done: { result: { content: [] } } });
});

test('what the server tells of it is as good as a poll', () => {
  const { course } = begun();
  expect(course.feed({ told: task('working') })).toEqual(wait);
  expect(course.feed({ told: { taskId: 't', status: 'strange' } })).toEqual(wait);
  expect(course.feed({ told: task('failed') })).toEqual(ask('tasks/result'));
  expect(course.feed(refusal)).toEqual({ done: refusal });
});

test('where it needs input its result is asked for early, and again after a silence', () => {
  const { course, first } = begun('input_required');
  expect(first).toEqual(ask('tasks/result'));
  expect(course.feed({ silence: true })).toEqual(wait);
  expect(course.feed({ waited: true })).toEqual(ask('tasks/get'));
  expect(course.feed({ result: task('input_required') })).toEqual(ask('tasks/result'));
  expect(course.feed({ result: { content: [] } })).toEqual({ done: { result: { content: [] } } });
});

test('an error to the early question may be no more than a refusal to wait', () => {
  const { course } = begun('input_required');
  expect(course.feed(refusal)).toEqual(ask('tasks/get'));
  expect(course.feed({ result: task('input_required') })).toEqual(wait);
  expect(course.feed({ waited: true })).toEqual(ask('tasks/get'));
  expect(course.feed({ result: task('completed') })).toEqual(ask('tasks/result'));
  expect(course.feed({ result: {} })).toEqual({ done: { result: {} } });
});

test.each([
  ['that is cancelled has none', { result: task('cancelled', { statusMessage: 'why' }) }, 'gone'],
  ['that is another', { result: { ...task('completed'), taskId: 'u' } }, 'gone'],
  ['that is none', { result: {} }, 'gone'],
  ['that is not known', refusal, 'done'],
])('an answer %s', (_, input, end) => {
  const { course } = begun();
  course.feed({ waited: true });
  expect(course.feed(input)).toHaveProperty(end);
});
