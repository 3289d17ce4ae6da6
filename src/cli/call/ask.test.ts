import { describe, expect, test } from 'vitest';
import { plainInk } from '../../../test/plain-ink.ts';
import { type Asking, askForm, askUrl } from './ask.ts';

/** A person who types these lines, and then Ctrl-D. */
function person(...typed: string[]): Asking & { seen: () => string } {
  const seen: string[] = [];
  return {
    ink: plainInk(false),
    questions: {
      ask(question) {
        const line = typed.shift();
        seen.push(`${question}${line ?? '^D'}`);
        return Promise.resolve(line);
      },
      say: (text) => void seen.push(text),
    },
    misfit: (_, value) => Promise.resolve(value === 'misfit' ? 'It does not fit.' : undefined),
    seen: () => seen.join('\n'),
  };
}

const schema = {
  type: 'object',
  required: ['name', 'kind'],
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer' },
    kind: { type: 'string', enum: ['a', 'b'], default: 'b' },
  },
};

describe('a form', () => {
  test.each([
    { typed: ['Ada', '36', 'a'], answer: { name: 'Ada', age: 36, kind: 'a' } },
    { typed: ['Ada', '', ''], answer: { name: 'Ada', kind: 'b' } },
    { typed: ['', 'A', 'misfit', 'Ada', 'x', '36', ''], answer: { name: 'Ada', age: 36, kind: 'b' } },
    { typed: ['Ada', '!'], answer: 'decline' },
    { typed: ['Ada'], answer: 'cancel' },
  ])('answered with $typed', async ({ typed, answer }) => {
    expect(await askForm(person(...typed), 'Who?', schema)).toEqual(answer);
  });

  test.each([
    { typed: ['y'], answer: {} },
    { typed: [''], answer: 'decline' },
    { typed: [], answer: 'cancel' },
  ])('without fields is a question of yes or no: $typed', async ({ typed, answer }) => {
    expect(await askForm(person(...typed), 'Sure?', { type: 'object', properties: {} })).toEqual(answer);
  });

  test('says what is wrong, warns of a secret, and shows nothing that changes the terminal', async () => {
    const one = person('', '\u001b', 'x');
    const properties = { apiKey: { type: 'string', description: 'a\u001b[2Jb', maxLength: 9 } };
    await askForm(one, 'm\u0007', { type: 'object', properties, required: ['apiKey'] });
    expect(one.seen()).toContain('It is required');
    expect(one.seen()).toContain('may be a secret');
    expect(one.seen()).toContain('The server asks: m\\x07');
    expect(one.seen()).toContain('a\\e[2Jb');
  });
});

describe('a page to visit', () => {
  test.each([
    { typed: ['yes'], answer: 'accept' },
    { typed: ['no'], answer: 'decline' },
    { typed: [], answer: 'cancel' },
  ])('$typed', async ({ typed, answer }) => {
    expect(await askUrl(person(...typed), 'Pay', 'https://pay.example/1')).toBe(answer);
  });

  test('is told with its true host, and that nobody can be sure of it', async () => {
    const one = person('n');
    await askUrl(one, 'Pay', 'http://bank.example@pаy.example/');
    expect(one.seen()).toContain('it is on xn--py-7kc.example');
    expect(one.seen()).toContain('not HTTPS (http:)');
  });
});
