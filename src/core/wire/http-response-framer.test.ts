import { describe, expect, test } from 'vitest';
import { HttpResponseFramer, type ResponsePiece } from './http-response-framer.ts';
import { readLatin1, writeLatin1 } from './latin1.ts';

const longest = 2000;

/** What a response is found to be: heads as text, the body joined. */
function found(pieces: readonly ResponsePiece[]): unknown[] {
  const said: unknown[] = [];
  for (const piece of pieces) {
    const last = said.at(-1);
    if (piece.kind === 'body') {
      const text = readLatin1(piece.bytes);
      if (typeof last === 'string') said[said.length - 1] = last + text;
      else said.push(text);
    } else if (piece.kind === 'fault') said.push({ fault: piece.why });
    else if (piece.kind === 'stray') said.push({ stray: readLatin1(piece.bytes) });
    else if (piece.kind === 'end') said.push({ end: true });
    else if (piece.kind === 'trailers') said.push({ trailers: piece.lines });
    else
      said.push({ [piece.kind]: [piece.head.version, piece.head.status, piece.head.reason], lines: piece.head.lines });
  }
  return said;
}

/** Reads a response in two parts, cut at each byte in turn, and in single bytes: all have to find the same. */
function read(bytes: string, { method = 'GET', closes = false } = {}): unknown[] {
  const readIn = (parts: readonly string[]): unknown[] => {
    const framer = new HttpResponseFramer(longest);
    framer.expect(method);
    const pieces = parts.flatMap((part) => framer.feed(writeLatin1(part)));
    return found(closes ? [...pieces, ...framer.end()] : pieces);
  };
  const whole = readIn([bytes]);
  for (let cut = 1; cut < bytes.length; cut++) {
    const stray = whole.some((piece) => typeof piece === 'object' && piece !== null && 'stray' in piece);
    if (!stray) expect(readIn([bytes.slice(0, cut), bytes.slice(cut)]), `cut at ${cut}`).toEqual(whole);
  }
  if (bytes.length < 5000 && !bytes.includes('stray')) expect(readIn(bytes.split(''))).toEqual(whole);
  return whole;
}

const end = { end: true };
const head = (status: number, reason: string, lines: [string, string][]): unknown => ({
  head: ['1.1', status, reason],
  lines,
});

describe('a response is whole', () => {
  test('at its length', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: \t a  b\t \r\n\r\nhello')).toEqual([
      head(200, 'OK', [
        ['Content-Length', '5'],
        ['X', 'a  b'],
      ]),
      'hello',
      end,
    ]);
  });

  test('at its last chunk, with extensions and trailers', () => {
    const bytes =
      'HTTP/1.1 200 OK\r\ntransfer-Encoding: Chunked\r\n\r\n5;a="b"\r\nhello\r\n00A \r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n';
    expect(read(bytes)).toEqual([
      head(200, 'OK', [['transfer-Encoding', 'Chunked']]),
      'hello0123456789',
      {
        trailers: [
          ['X-Sum', '1'],
          ['X-Sum', '2'],
        ],
      },
      end,
    ]);
  });

  test.each(['', 'Transfer-Encoding: gzip\r\n'])(
    'at the end of the connection where nothing else says so: "%s"',
    (line) => {
      const bytes = `HTTP/1.1 200 OK\r\n${line}\r\nhello`;
      expect(read(bytes, { closes: true }).slice(1)).toEqual(['hello', end]);
    },
  );

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['POST', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
    ['POST', 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'],
  ])('at its head: %s %j', (method, bytes) => {
    expect(read(bytes, { method }).slice(1)).toEqual([end]);
  });

  test('behind others that only inform', () => {
    expect(
      read('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 \r\n\r\n'),
    ).toEqual([
      { information: ['1.1', 100, 'Continue'], lines: [] },
      { information: ['1.1', 103, 'Early Hints'], lines: [['Link', 'a']] },
      head(204, '', []),
      end,
    ]);
  });

  test('with bare line ends, an empty line before it, no reason, and a value over two lines', () => {
    expect(read('\r\n\nHTTP/1.1 200\nA: 1\n  2\nContent-Length: 1\n\nx')).toEqual([
      head(200, '', [
        ['A', '1 2'],
        ['Content-Length', '1'],
      ]),
      'x',
      end,
    ]);
  });

  test('with letters of Latin-1', () => {
    expect(read('HTTP/1.1 200 Gr\xfcn\r\nA: \x80\xff\r\nContent-Length: 0\r\n\r\n')[0]).toEqual(
      head(200, 'Gr\xfcn', [
        ['A', '\x80\xff'],
        ['Content-Length', '0'],
      ]),
    );
  });
});

const faults: [why: string, bytes: string][] = [
  ['no status line', 'SSH-2.0-OpenSSH_9.7\r\n\r\n'],
  ['no status line', 'HTTP/2.0 200 OK\r\n\r\n'],
  ['a status line without a status of three digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a header line without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
  ['a header line without a name', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
  ['white space before the colon of a header line', 'HTTP/1.1 200 OK\r\nA : x\r\n\r\n'],
  ['a header line without a name', 'HTTP/1.1 200 OK\r\n A: x\r\n\r\n'],
  ['control characters in its head', 'HTTP/1.1 200 OK\r\nA: \0\r\n\r\n'],
  ['control characters in its head', 'HTTP/1.1 200 OK\r\nA: x\rB: y\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab'],
  ['a length and a transfer coding', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['it changes the protocol, which nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
  ['a chunk is longer than it says', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n'],
  ['its head is too long', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(longest)}`],
  ['its head is too long', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(longest)}\r\nContent-Length: 0\r\n\r\n`],
  [
    'what follows its body is too long',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ${'x'.repeat(longest)}`,
  ],
];

test.each(faults)('%s (case %#)', (why, bytes) => {
  expect(read(bytes).at(-1)).toEqual({ fault: why });
});

test.each([
  'HTTP/1.1 200 OK\r\nContent-Ty',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n',
  '',
])('ends too early: %j', (bytes) => {
  expect(read(bytes, { closes: true }).at(-1)).toEqual({ fault: 'it ends too early' });
});

test.each([
  ['no status line', 'SSH-2.0-OpenSSH_9.7\r\n'],
  ['no status line', 'x'],
  ['a status line without a status of three digits', 'HTTP/1.1 OK\r\n'],
  ['a header line without a name', 'HTTP/1.1 200 OK\r\nA: 1\r\nnonsense\r\n'],
])('%s, seen before the head ends (case %#)', (why, bytes) => {
  expect(read(bytes)).toEqual([{ fault: why }]);
});

test('what came before a fault is handed on, and where the fault begins', () => {
  const framer = new HttpResponseFramer(longest);
  framer.expect('GET');
  const pieces = framer.feed(
    writeLatin1('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n'),
  );
  expect(found(pieces)).toEqual([
    head(200, 'OK', [['Transfer-Encoding', 'chunked']]),
    'ok',
    { fault: 'a chunk without a size' },
  ]);
  expect(pieces.at(-1)).toMatchObject({ begins: writeLatin1('nonsense\r\n') });
});

test('bytes behind a response are nobody’s', () => {
  expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok stray')).toEqual([
    head(200, 'OK', [['Content-Length', '2']]),
    'ok',
    end,
    { stray: ' stray' },
  ]);
});

describe('the connection is used again', () => {
  const rows: [canBe: boolean, bytes: string][] = [
    [true, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    [true, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [true, 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok'],
    [false, 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    [false, 'HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok'],
    [false, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok stray'],
    [false, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no'],
    [false, 'HTTP/1.1 200 OK\r\n\r\nok'],
  ];
  test.each(rows)('%s: %j', (canBe, bytes) => {
    const framer = new HttpResponseFramer(longest);
    framer.expect('GET');
    framer.feed(writeLatin1(bytes));
    expect(framer.canBeUsedAgain).toBe(canBe);
  });

  test('for another response', () => {
    const framer = new HttpResponseFramer(longest);
    for (const text of ['one', 'two']) {
      framer.expect('GET');
      expect(found(framer.feed(writeLatin1(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${text}`)))[1]).toBe(text);
    }
    expect(framer.end()).toEqual([]);
  });
});
