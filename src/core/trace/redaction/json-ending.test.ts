import { expect, test } from 'vitest';
import { jsonEnding } from './json-ending.ts';

test.each<[string, string | undefined]>([
  ['{"id":7,"result":{"t":"ab', '{"id":7,"result":{"t":"abX"}}'],
  ['{"a":["b"', '{"a":["b","X"]}'],
  ['{"a":[', '{"a":["X"]}'],
  ['{"a":[1,{}', '{"a":[1,{},"X"]}'],
  ['{"a":', '{"a":"X"}'],
  ['{"a', '{"aX":null}'],
  ['{', '{"X":null}'],
  ['{"a":1', '{"a":1,"X":null}'],
  ['{"a":"\\"{', '{"a":"\\"{X"}'],
  ['id: 1\nevent: message\ndata: {"a":"b', 'id: 1\nevent: message\ndata: {"a":"bX"}\n\n'],
  ['{"a":1,', undefined],
  ['{"a":tr', undefined],
  ['{"a"', undefined],
  ['{"a":"\\', undefined],
  ['{"a":1}', undefined],
  ['a=b', undefined],
  ['', undefined],
])('%j', (text, expected) => {
  const ending = jsonEnding(text);
  expect(ending && `${text}${ending.before}X${ending.behind}`).toBe(expected);
});
