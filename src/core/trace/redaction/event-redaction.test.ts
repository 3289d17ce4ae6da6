import { describe, expect, test } from 'vitest';
import { redactEvents } from './event-redaction.ts';

/** Makes of each `s3` three dots, and of each `gone` nothing with all line ends around it. */
function redacted(text: string): [string, readonly string[]] | undefined {
  const replaced = (bytes: Uint8Array, place: string) => {
    const before = Buffer.from(bytes).toString();
    const after = before.replaceAll(/s3|endpoint/g, '...').replaceAll(/\n?gone\n?/g, '');
    return after === before ? undefined : { bytes: Buffer.from(after), redacted: [place] };
  };
  const found = redactEvents(Buffer.from(text), {
    data: (data, type) => replaced(data, `/${type ?? ''}`),
    other: (value) => replaced(value, 'text'),
  });
  return found && [Buffer.from(found.bytes).toString(), found.redacted];
}

describe('events', () => {
  test.each<[string, string, string | undefined, string[]]>([
    ['one line of data', 'data: s3\n\n', 'data: ...\n\n', ['/']],
    ['without the space', 'data:s3\r\n\r\n', 'data:...\r\n\r\n', ['/']],
    ['of a type', 'event: endpoint\ndata: s3\n\n', 'event: endpoint\ndata: ...\n\n', ['/endpoint']],
    [
      'several lines of data',
      'data: a s3\rid: 1\rdata: b\rdata:  s3\r\r',
      'data: a ...\rid: 1\rdata: b\rdata:  ...\r\r',
      ['/'],
    ],
    ['a match over two lines', 'data: a\ndata: gone\ndata: b\n\n', 'data: ab\n\n', ['/']],
    ['an id', 'id: s3\ndata: x\n\n', 'id: ...\ndata: x\n\n', ['event:id']],
    ['a type', 'event:s3\n\n', 'event:...\n\n', ['event:event']],
    ['a time', 'retry: s3\n\n', 'retry: ...\n\n', ['event:retry']],
    ['a comment', ': s3\n\n', ': ...\n\n', ['event:']],
    ['a field that nobody knows', 'my s3: s3\n\n', 'my ...: ...\n\n', ['event:']],
    ['a line without a colon', 'the s3\n\n', 'the ...\n\n', ['event:']],
    ['data without a colon', 'data\n\n', undefined, []],
    ['nothing to replace', ': a\nid: 7\ndata: {"a":1}\n\n', undefined, []],
    [
      'several events',
      'data: s3\n\n: x\n\nid: s3\n\ndata: s3',
      'data: ...\n\n: x\n\nid: ...\n\ndata: ...',
      ['/', 'event:id'],
    ],
    ['a byte-order mark', '\ufeffdata: s3\n\n', '\ufeffdata: ...\n\n', ['/']],
    ['nothing at all', '', undefined, []],
  ])('%s', (_, text, expected, places) => {
    expect(redacted(text)).toEqual(expected === undefined ? undefined : [expected, places]);
  });
});
