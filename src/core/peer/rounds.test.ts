import { expect, test } from 'vitest';
import { answeredParams, inputRequired } from './rounds.ts';

const ask = { method: 'elicitation/create', params: { message: 'Who?' } };

test.each([[{}], [{ resultType: 'complete' }], [{ content: [] }], [undefined], [[]]])(
  '%j is a final result',
  (result) => {
    expect(inputRequired(result)).toBeUndefined();
  },
);

test('a result may ask for something, and what is given goes with the same request', () => {
  const required = inputRequired({ resultType: 'input_required', inputRequests: { a: ask, b: 5 }, requestState: 's' });
  expect([...(required?.requests ?? [])]).toEqual([['a', ask]]);
  const answers = { a: { action: 'accept', content: { name: 'x' } } };
  expect(required && answeredParams({ name: 'greet' }, required, answers)).toEqual({
    name: 'greet',
    inputResponses: answers,
    requestState: 's',
  });
});

test('a state alone is given back alone', () => {
  const required = inputRequired({ resultType: 'input_required', requestState: 's' });
  expect(required && answeredParams({ uri: 'a:b' }, required, {})).toEqual({ uri: 'a:b', requestState: 's' });
});
