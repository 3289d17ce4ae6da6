import { describe, expect, test } from 'vitest';
import { fieldHint, readField } from './form-field.ts';

const colours = { type: 'string', enum: ['red', 'green', '1'] };
const sizes = {
  type: 'string',
  oneOf: [
    { const: 's', title: 'Small' },
    { const: 'l', title: 'Large' },
  ],
};
const several = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } };

describe('what is typed is read as the field wants it', () => {
  test.each([
    { typed: ' Ada ', field: { type: 'string' }, value: 'Ada' },
    { typed: 'anything', field: {}, value: 'anything' },
    { typed: 'Yes', field: { type: 'boolean' }, value: true },
    { typed: 'n', field: { type: 'boolean' }, value: false },
    { typed: '-3', field: { type: 'integer' }, value: -3 },
    { typed: '2.0', field: { type: 'integer' }, value: 2 },
    { typed: '1e3', field: { type: 'number', maximum: 1000 }, value: 1000 },
    { typed: 'red', field: colours, value: 'red' },
    { typed: 'GREEN', field: colours, value: 'green' },
    // A value comes before a place in the list.
    { typed: '1', field: colours, value: '1' },
    { typed: '2', field: colours, value: 'green' },
    { typed: 'Large', field: sizes, value: 'l' },
    { typed: 'small', field: sizes, value: 's' },
    { typed: 'Zwei', field: { type: 'string', enum: ['x', 'y'], enumNames: ['Eins', 'Zwei'] }, value: 'y' },
    { typed: 'a, c', field: several, value: ['a', 'c'] },
    { typed: '3,a,a', field: several, value: ['c', 'a'] },
    {
      typed: 'Small',
      field: { type: 'array', items: { anyOf: sizes.oneOf } },
      value: ['s'],
    },
    { typed: 'ada@host.example', field: { type: 'string', format: 'email' }, value: 'ada@host.example' },
    {
      typed: 'https://host.example/?a=b',
      field: { type: 'string', format: 'uri' },
      value: 'https://host.example/?a=b',
    },
    { typed: '2028-02-29', field: { type: 'string', format: 'date' }, value: '2028-02-29' },
    {
      typed: '2026-07-28T09:30:00.5+02:00',
      field: { type: 'string', format: 'date-time' },
      value: '2026-07-28T09:30:00.5+02:00',
    },
    { typed: 'abc', field: { type: 'string', format: 'constructor' }, value: 'abc' },
    // It is not run here.
    {
      typed: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
      field: { type: 'string', pattern: '^(a+)+$' },
      value: `${'a'.repeat(36)}!`,
    },
  ])('$typed of $field', ({ typed, field, value }) => {
    expect(readField(typed, field)).toEqual({ value });
  });
});

describe('what does not fit is told', () => {
  test.each([
    { typed: 'perhaps', field: { type: 'boolean' }, wrong: 'yes or no' },
    { typed: '0x10', field: { type: 'number' }, wrong: 'a number' },
    { typed: 'Infinity', field: { type: 'number' }, wrong: 'a number' },
    { typed: '1e999', field: { type: 'number' }, wrong: 'too large' },
    { typed: '1.5', field: { type: 'integer' }, wrong: 'whole' },
    { typed: '9007199254740993', field: { type: 'integer' }, wrong: 'too large' },
    { typed: '0', field: { type: 'integer', minimum: 1 }, wrong: '1 or more' },
    { typed: '9', field: { type: 'number', maximum: 8 }, wrong: '8 or less' },
    { typed: 'blue', field: colours, wrong: 'red, green, 1' },
    { typed: '9', field: sizes, wrong: 's, l' },
    { typed: 'a,x', field: several, wrong: '"x" is none of: a, b, c' },
    { typed: ',', field: several, wrong: '1 or more' },
    { typed: 'a,b,c', field: several, wrong: '2 at most' },
    // What a person sees as one character is one.
    { typed: '😀', field: { type: 'string', minLength: 2 }, wrong: 'too short' },
    { typed: 'abcd', field: { type: 'string', maxLength: 3 }, wrong: 'too long' },
    { typed: 'ada', field: { type: 'string', format: 'email' }, wrong: 'e-mail' },
    { typed: 'ada@b@c', field: { type: 'string', format: 'email' }, wrong: 'e-mail' },
    { typed: 'host.example', field: { type: 'string', format: 'uri' }, wrong: 'scheme' },
    { typed: '2027-02-29', field: { type: 'string', format: 'date' }, wrong: 'a date' },
    { typed: '2026-07-28T24:30:00Z', field: { type: 'string', format: 'date-time' }, wrong: 'a time' },
    { typed: '2026-07-28T09:30:00', field: { type: 'string', format: 'date-time' }, wrong: 'zone' },
  ])('$typed of $field', ({ typed, field, wrong }) => {
    expect(readField(typed, field)).toEqual({ wrong: expect.stringContaining(wrong) });
  });

  test('without what would change the terminal', () => {
    const field = { type: 'string', enum: ['\u001b[2Ja'] };
    expect(readField('x', field)).toEqual({ wrong: 'Type one of: \\e[2Ja.' });
  });
});

test.each([
  { field: { type: 'string' }, required: true, hint: ['text', 'required'] },
  { field: { type: 'integer', minimum: 0, maximum: 9 }, required: false, hint: ['integer', '0 to 9', 'optional'] },
  { field: { type: 'boolean', default: false }, required: true, hint: ['yes | no', 'Enter for no'] },
  {
    field: { type: 'string', format: 'date', minLength: 1 },
    required: false,
    hint: ['date', '1 characters or more', 'optional'],
  },
  { field: { ...sizes, default: 's' }, required: false, hint: ['one of the above, by name or number', 'Enter for s'] },
  {
    field: { ...several, default: ['a', 'b'] },
    required: false,
    hint: ['a | b | c', 'several, with commas between', '1 to 2', 'Enter for a, b'],
  },
])('what is to be typed: $hint', ({ field, required, hint }) => {
  expect(fieldHint(field, required)).toEqual(hint);
});
