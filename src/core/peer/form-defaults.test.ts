import { expect, test } from 'vitest';
import { filledIn } from './form-defaults.ts';

const form = {
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 0 },
      sure: { type: 'boolean', default: false },
      note: { type: 'string' },
      odd: 3,
    },
  },
};
const accept = { action: 'accept' };

test.each([
  ['what has a default', accept, form, { action: 'accept', content: { name: 'Ada', age: 0, sure: false } }],
  [
    'other members stay',
    { ...accept, _meta: { a: 1 } },
    { requestedSchema: {} },
    { ...accept, _meta: { a: 1 }, content: {} },
  ],
  ['not what is answered', { ...accept, content: { note: 'x' } }, form, { ...accept, content: { note: 'x' } }],
  ['not what is declined', { action: 'decline' }, form, { action: 'decline' }],
  ['not a URL', accept, { mode: 'url', url: 'https://host.example/', ...form }, accept],
  ['not without a form', accept, {}, accept],
  ['properties that are none', accept, { requestedSchema: { properties: [] } }, { ...accept, content: {} }],
])('fills in: %s', (_, answer, asked, expected) => {
  expect(filledIn(answer, asked)).toEqual(expected);
});

test('a property by the name of __proto__ is a property', () => {
  const properties = JSON.parse('{"__proto__":{"default":1}}') as object;
  expect(Object.entries(filledIn(accept, { requestedSchema: { properties } })['content'] ?? {})).toEqual([
    ['__proto__', 1],
  ]);
});
