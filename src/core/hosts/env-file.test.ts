import { expect, test } from 'vitest';
import { readEnvFile } from './env-file.ts';

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['# only\n\nno variable\n', {}],
  ['A=b\r\nexport C = d e # f\r\n', { A: 'b', C: 'd e' }],
  ['A="b # c\\nd" # e\nB=\'f\\n\'\nC=', { A: 'b # c\nd', B: 'f\\n', C: '' }],
  ['A=b=c#d', { A: 'b=c#d' }],
  ['\ufeffA=1\nA=2', { A: '2' }],
])('%j', (text, variables) => {
  expect(readEnvFile(text)).toEqual(variables);
});
