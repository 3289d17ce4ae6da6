import { expect, test } from 'vitest';
import { answeredParams, inputRequired } from './rounds.ts';

const ask = { method: 'elicitation/create', params: { message: 'Who?' } };

test.each([[{}], [{ resultType: 'complete' }], [{ content: [] }], [undefined], [[]]])(
  '%j is a final result',
  (result) => {
    expect(inputRequired(result, 'tools/call')).toBeUndefined();
  },
);

test('a result may ask for something, and what is given goes with the same request', () => {
  const required = inputRequired(
    { resultType: 'input_required', inputRequests: { a: ask }, requestState: 's' },
    'tools/call',
  );
  expect([...(required?.requests ?? [])]).toEqual([['a', ask]]);
  const answers = { a: { action: 'accept', content: { name: 'x' } } };
  expect(required && answeredParams({ name: 'greet' }, required, answers)).toEqual({
    name: 'greet',
    inputResponses: answers,
    requestState: 's',
  });
});

test('a state alone is given back alone', () => {
  const required = inputRequired({ resultType: 'input_required', requestState: 's' }, 'resources/read');
  expect(required && answeredParams({ uri: 'a:b' }, required, {})).toEqual({ uri: 'a:b', requestState: 's' });
});

test.each<[object, string, string]>([
  [{}, 'tools/call', 'says neither which (inputRequests) nor where it stands (requestState)'],
  [{ inputRequests: {} }, 'tools/call', 'says neither'],
  [{ inputRequests: [ask] }, 'tools/call', 'inputRequests is no object'],
  [{ inputRequests: { a: ask, b: 5 } }, 'tools/call', '"b" of its inputRequests is no request'],
  [{ requestState: { a: 1 } }, 'tools/call', 'requestState is no text'],
  [{ requestState: 's' }, 'tools/list', 'where it may not, as the answer to tools/list'],
])('%j cannot be answered for %s', (result, method, trouble) => {
  expect(inputRequired({ resultType: 'input_required', ...result }, method)?.trouble).toContain(trouble);
});

test('what can be answered has no trouble', () => {
  const result = { resultType: 'input_required', inputRequests: { a: ask } };
  expect(inputRequired(result, 'prompts/get')).toMatchObject({ trouble: undefined });
  expect(inputRequired({ resultType: 'input_required', requestState: '' }, 'tools/call')).toMatchObject({
    trouble: undefined,
    state: '',
  });
});
