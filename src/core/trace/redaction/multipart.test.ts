import { describe, expect, test } from 'vitest';
import { multipartParts } from './multipart.ts';

/** The names, types and contents of the parts. */
function parts(text: string, type = 'multipart/form-data; boundary=x'): [string, string, string][] {
  const body = Buffer.from(text, 'latin1');
  return multipartParts(body, type).map((part) => [
    part.name,
    part.type,
    body.subarray(part.from, part.to).toString('latin1'),
  ]);
}

const named = (disposition: string, more = ''): string => `--x\r\nContent-Disposition: ${disposition}\r\n${more}\r\n`;

describe('the parts of a multipart body', () => {
  test.each<[string, string, [string, string, string][]]>([
    ['one', `${named('form-data; name="a"')}1\r\n--x--\r\n`, [['a', '', '1']]],
    [
      'two',
      `${named('form-data; name="a"')}1\r\n${named('form-data; name="b"')}2\r\n--x--`,
      [
        ['a', '', '1'],
        ['b', '', '2'],
      ],
    ],
    ['cut off', `${named('form-data; name="a"')}1\r\n--`, [['a', '', '1\r\n--']]],
    ['cut off in a head', '--x\r\nContent-Disposition: form-data; name="a"', [['a', '', '']]],
    ['nothing in it', `${named('form-data; name="a"')}\r\n--x--`, [['a', '', '']]],
    ['no head', '--x\r\n\r\n1\r\n--x--', [['', '', '1']]],
    ['bare line feeds', '--x\ncontent-disposition: form-data; name="a"\n\n1\n2\n--x--', [['a', '', '1\n2']]],
    ['a boundary that only begins so', `${named('form-data; name="a"')}--xy\r\n1\r\n--x--`, [['a', '', '--xy\r\n1']]],
    ['a boundary within a line', `${named('form-data; name="a"')}1--x\r\n--x--`, [['a', '', '1--x']]],
    ['a name without quotes', `${named('form-data; NAME=a ; filename=b')}1`, [['a', '', '1']]],
    [
      'a name behind a file that is called so',
      `${named('form-data; filename="; name=b"; name="a"')}1`,
      [['a', '', '1']],
    ],
    ['marks in a name', `${named('form-data; name="a\\"%22b"')}1`, [['a""b', '', '1']]],
    ['a name on another line', `${named('form-data;\r\n name="a"')}1`, [['a', '', '1']]],
    ['a type', named('form-data; name="a"', 'Content-Type: text/plain\r\n'), [['a', 'text/plain', '']]],
    ['none', 'a=b', []],
  ])('%s', (_, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  test.each(['multipart/form-data', 'multipart/form-data; boundary="redacted"', ''])(
    '%s: the boundary that it begins with',
    (type) => {
      expect(parts(`${named('form-data; name="a"')}1\r\n--x--`, type)).toEqual([['a', '', '1']]);
    },
  );

  test('a boundary in quotes', () => {
    const text = '--a b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--a b--';
    expect(parts(text, 'multipart/form-data; boundary="a b"')).toEqual([['a', '', '1']]);
  });

  test('nobody can make it take long', () => {
    for (const piece of ['--x\r\n', '--x\n\n', ';a="', '--x', ' \n', '--x\r\nContent-Disposition: a;a="\r\n'])
      parts(`--x\r\nContent-Disposition: form-data${piece.repeat(Math.ceil(2 ** 19 / piece.length))}`);
  });
});
