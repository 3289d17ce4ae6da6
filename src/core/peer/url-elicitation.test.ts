import { expect, test } from 'vitest';
import { requiredPages } from './url-elicitation.ts';

const page = { mode: 'url', elicitationId: 'e', url: 'https://pages.example/e', message: 'Sign' };
const error = (elicitations: unknown, code = -32_042) => ({ code, message: 'x', data: { elicitations } });

test('the pages that an error asks for', () => {
  expect(requiredPages(error([page]))).toEqual([page]);
});

test.each([
  ['another error', error([page], -32_602)],
  ['nothing', undefined],
  ['no data', { code: -32_042, message: 'x' }],
  ['no list', error({})],
  ['an empty list', error([])],
  ['more than anyone would visit', error(Array.from({ length: 11 }, () => page))],
  ['a form', error([page, { ...page, mode: 'form' }])],
  ['no id', error([{ ...page, elicitationId: 5 }])],
  ['no URL', error([{ ...page, url: 'pages' }])],
])('%s asks for none', (_, one) => {
  expect(requiredPages(one)).toBeUndefined();
});
