import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import { inflate } from '../../io/http/inflate.ts';
import type { HeaderLine, TraceEvent } from './format.ts';
import { Frames } from './frames.ts';
import { longestReadLine } from './pieces.ts';
import type { FrameUnit } from './unit.ts';

function framesOf(events: readonly TraceEvent[], decode: typeof inflate | undefined = inflate): FrameUnit[] {
  const machine = new Frames({ decode });
  const units = [...events.flatMap((event) => machine.feed(event)), ...machine.end()];
  return units.filter((unit) => unit.unit === 'frame');
}

/** What the frames of the server hold: the methods and ids of their messages, or why they are stray. */
const told = (frames: readonly FrameUnit[]): unknown[] =>
  frames
    .filter(({ from }) => from === 'server')
    .map(({ messages, stray }) =>
      stray ? stray.why : messages.map(({ message, id }) => (message.kind === 'response' ? id : message.method)),
    );

const json: HeaderLine = ['Content-Type', 'application/json'];
const events: HeaderLine = ['Content-Type', 'text/event-stream; charset=utf-8'];
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';
const news = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}';

function answered(body: string | Uint8Array, lines: readonly HeaderLine[] = [json]): FrameUnit[] {
  const maker = new HttpTraceMaker();
  maker.stream().ask().answer({ lines, body });
  return framesOf(maker.close().events);
}

/** An event stream whose bytes come in these pieces. */
function streamed(...pieces: (string | Uint8Array)[]): FrameUnit[] {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().ask().open();
  for (const piece of pieces) stream.pass('server', piece);
  stream.end('server');
  return framesOf(maker.close().events);
}

describe('a body is a frame', () => {
  test.each<[string, string | Uint8Array, unknown]>([
    ['a message', answer, ['1']],
    ['a message on several lines', JSON.stringify(JSON.parse(answer), undefined, 2), ['1']],
    ['a message with a byte-order mark', `\ufeff${answer}`, ['1']],
    ['a batch', `[${answer},${news}]`, ['1', 'notifications/message']],
    ['a page', '<!doctype html><title>Not found</title>', []],
    ['metadata', '{"issuer":"https://host"}', []],
    ['a form', 'grant_type=client_credentials', []],
    ['bytes', Uint8Array.from([0, 255, 3]), []],
    ['a message that is no UTF-8', Buffer.from(answer.replace('{}', '"\u00e9"'), 'latin1'), 'not UTF-8'],
  ])('%s', (_, body, expected) => {
    expect(told(answered(body))).toEqual([expected]);
    expect(answered(body)[0]).toMatchObject({ s: 1, eol: '', size: Buffer.from(body).length });
  });

  test('an empty body is none', () => {
    expect(answered('')).toEqual([]);
  });

  test('one that is longer than a record is put together', () => {
    const long = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(9_000_000)}"}}`;
    const maker = new HttpTraceMaker();
    const stream = maker
      .stream()
      .ask()
      .head('server', { version: '1.1', status: 200, lines: [json] })
      .begin('server');
    for (let from = 0; from < long.length; from += 60_000) stream.pass('server', long.slice(from, from + 60_000));
    stream.end('server');
    const [frame] = framesOf(maker.events);
    expect(frame?.records.length).toBeGreaterThan(1);
    expect(Buffer.from((frame as FrameUnit).bytes).equals(Buffer.from(long))).toBe(true);
    expect(told([frame as FrameUnit])).toEqual([['1']]);
  });

  test('what is too long to keep tells of its messages, and of a page it is nothing odd', () => {
    const inPieces = (head: string, tail: string): FrameUnit[] => {
      const bytes = Buffer.alloc(longestReadLine / 4, 'x');
      const pieces = [Buffer.from(head), bytes, bytes, bytes, bytes, Buffer.from(tail)];
      return framesOf(
        pieces.map((piece, index) => ({
          kind: 'frame',
          at: 1,
          c: 1,
          s: 1,
          from: 'server',
          eol: '',
          form: 'text',
          n: index + 1,
          part: index + 1,
          bytes: piece,
          last: index === 5,
        })),
      );
    };
    expect(told(inPieces('{"jsonrpc":"2.0","id":1,"result":"', '"}'))).toEqual([['1']]);
    expect(inPieces('<p>', '</p>')).toMatchObject([{ messages: [], size: longestReadLine + 7 }]);
    expect(inPieces('<p>', '</p>')[0]?.stray).toBeUndefined();
  });
});

describe('an event is a frame', () => {
  test.each<[string, string[], unknown[]]>([
    ['a message', [`data: ${answer}\n\n`], [['1']]],
    ['one that is called so', [`event: message\ndata: ${answer}\n\n`], [['1']]],
    ['other line ends', [`data: ${answer}\r\n\r\n`, `data: ${news}\r\r`], [['1'], ['notifications/message']]],
    ['data on several lines', ['data: {"jsonrpc":"2.0",\ndata: "id":1,"result":{}}\n\n'], [['1']]],
    ['a byte-order mark before the first', [`\ufeffdata: ${answer}\n\n`], [['1']]],
    ['a comment', [': keep-alive\n\n'], [[]]],
    ['an event without data', ['id: 7\nretry: 10\n\n'], [[]]],
    ['the first event of a resumable stream', ['id: 7\ndata:\n\n'], [[]]],
    ['where to post', ['event: endpoint\ndata: /messages?session=1\n\n'], [[]]],
    [
      'no blank line at the end',
      [`data: ${news}\n\n`, `data: ${answer}\n`],
      [['notifications/message'], 'unterminated'],
    ],
    ['a message of another name', [`event: response\ndata: ${answer}\n\n`], ['named event']],
    ['other data of another name', ['event: ping\ndata: {"at":1}\n\n'], [[]]],
  ])('%s', (_, pieces, expected) => {
    expect(told(streamed(...pieces))).toEqual(expected);
    const whole = Buffer.from(pieces.join(''));
    expect(told(streamed(...Array.from(whole, (byte) => Uint8Array.of(byte))))).toEqual(expected);
  });

  test('its fields, its data and its exact bytes', () => {
    const [event] = streamed(`id: 7\nevent: message\nretry: 3000\n: hi\ndata: ${answer}\n\n`);
    expect(event).toMatchObject({ s: 1, event: { id: '7', event: 'message', retry: 3000 } });
    expect(Buffer.from((event as FrameUnit).content as Uint8Array).toString()).toBe(answer);
    expect((event as FrameUnit).size).toBe(`id: 7\nevent: message\nretry: 3000\n: hi\ndata: ${answer}\n\n`.length);
  });

  test('what clients pass over is told with what it holds', () => {
    expect(streamed(`event: response\ndata: ${answer}\n\n`)[0]?.stray).toMatchObject({
      why: 'named event',
      event: 'response',
      holds: [{ kind: 'response', id: 1 }],
    });
    expect(streamed(`data: ${answer}\n`)[0]?.stray).toMatchObject({
      why: 'unterminated',
      isOpen: false,
      isJson: true,
      holds: [{ kind: 'response' }],
    });
  });

  test('one that stands still is news, and comes whole', () => {
    const maker = new HttpTraceMaker();
    const stream = maker.stream().ask().open().pass('server', 'data: {"json');
    maker.wait(50);
    const machine = new Frames();
    expect(maker.events.flatMap((event) => machine.feed(event))).toMatchObject([
      { unit: 'connection', what: 'held', s: 1, bytes: 12, isEvent: true, isJson: false },
    ]);
    stream.pass('server', 'rpc":"2.0","id":1,"result":{}}\n\n').end('server');
    expect(told(framesOf(maker.events))).toEqual([['1']]);
  });

  test('of one that is still open when the recording breaks off, there is what came', () => {
    const maker = new HttpTraceMaker();
    maker.stream().ask().open().pass('server', `data: ${answer}`);
    maker.wait(50);
    expect(framesOf(maker.events)).toMatchObject([
      { event: {}, messages: [], stray: { why: 'unterminated', isOpen: true, isJson: true } },
    ]);
  });
});

describe('an encoded body', () => {
  const encoded = (encoding: string, body: Uint8Array, type = json): FrameUnit[] =>
    answered(body, [type, ['Content-Encoding', encoding]]);

  test.each<[string, Uint8Array]>([
    ['gzip', gzipSync(answer)],
    ['x-gzip', gzipSync(answer)],
    ['GZIP', gzipSync(answer)],
    ['deflate', deflateSync(answer)],
    ['deflate', deflateRawSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['gzip, br', brotliCompressSync(gzipSync(answer))],
    ['identity, gzip', gzipSync(answer)],
  ])('%s', (encoding, body) => {
    const [frame] = encoded(encoding, body) as [FrameUnit];
    expect(told([frame])).toEqual([['1']]);
    expect(frame).toMatchObject({ encoding, size: body.length });
    expect(Buffer.from(frame.bytes).equals(body)).toBe(true);
    expect(Buffer.from(frame.content as Uint8Array).toString()).toBe(answer);
  });

  test('one that is cut gives what came', () => {
    const page = `<p>${Array.from({ length: 5000 }, (_, index) => index).join(' ')}`;
    const whole = gzipSync(page);
    const [frame] = encoded('gzip', whole.subarray(0, whole.length / 2)) as [FrameUnit];
    expect(page.startsWith(Buffer.from(frame.content as Uint8Array).toString())).toBe(true);
    expect(frame.content?.length).toBeGreaterThan(1000);
  });

  test.each<[string, string, Uint8Array]>([
    ['an encoding that nobody knows', 'zip', gzipSync(answer)],
    ['something else than is said', 'gzip', Uint8Array.from([1, 2, 255])],
  ])('%s is nothing odd', (_, encoding, body) => {
    const [frame] = encoded(encoding, body) as [FrameUnit];
    expect(frame).toMatchObject({ encoding, messages: [] });
    expect(frame.content).toBeUndefined();
    expect(frame.stray).toBeUndefined();
  });

  test('what was never encoded is read as it stands', () => {
    expect(told(encoded('gzip', Buffer.from(answer)))).toEqual([['1']]);
  });

  test('the events of a stream that came encoded, each a frame', () => {
    const stream = `id: 1\ndata:\n\ndata: ${news}\n\ndata: ${answer}\n\n`;
    const frames = encoded('gzip', gzipSync(stream), events);
    expect(told(frames)).toEqual([[], ['notifications/message'], ['1']]);
    expect(Buffer.concat(frames.map(({ bytes }) => bytes)).toString()).toBe(stream);
    expect(new Set(frames.map(({ n }) => n)).size).toBe(1);
  });

  test('without anyone to undo it, it is a frame without messages', () => {
    const maker = new HttpTraceMaker();
    maker
      .stream()
      .ask()
      .answer({ lines: [events, ['Content-Encoding', 'br']], body: brotliCompressSync(answer) });
    expect(framesOf(maker.events, () => undefined)).toMatchObject([{ encoding: 'br', messages: [] }]);
  });

  test('one that was looked through for secrets stands without its encoding', () => {
    const maker = new HttpTraceMaker();
    const redact = () => ({ bytes: Buffer.from('{"a":"secret-1"}'), redacted: ['/a', 'decoded:gzip'] });
    const lines: HeaderLine[] = [json, ['Content-Encoding', 'gzip']];
    maker
      .stream()
      .ask()
      .answer({ lines, body: gzipSync('{"a":"b"}'), redact });
    const [frame] = framesOf(maker.events) as [FrameUnit];
    expect(frame).toMatchObject({ redacted: ['/a', 'decoded:gzip'], messages: [] });
    expect(frame.encoding).toBeUndefined();
    expect(Buffer.from(frame.bytes).toString()).toBe('{"a":"secret-1"}');
  });
});

test('of what passed in two forms, messages are read on the side of the client', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream();
  stream.head('client', { version: '1.1', method: 'POST', target: '/mcp', lines: [json] });
  for (const leg of ['client', 'server'] as const) {
    stream.begin('client', {}, leg).pass('client', answer, leg).end('client', undefined, leg);
  }
  const frames = framesOf(maker.events);
  expect(frames.map(({ leg, messages }) => [leg, messages.length])).toEqual([
    ['client', 1],
    ['server', 0],
  ]);
});

test('streams that pass at the same time are not mixed up', () => {
  const maker = new HttpTraceMaker();
  const streams = [1, 2, 3].map((id) =>
    maker
      .stream()
      .ask({ body: `{"jsonrpc":"2.0","id":${id},"method":"x"}` })
      .open(),
  );
  for (const piece of ['da', 'ta: {"jsonrpc":"2.0","id":', 'N', ',"result":{}}', '\n', '\n']) {
    for (const [index, stream] of streams.entries()) stream.pass('server', piece.replace('N', String(index + 1)));
    maker.wait(50);
  }
  for (const stream of streams) stream.end('server');
  expect(told(framesOf(maker.events))).toEqual([['1'], ['2'], ['3']]);
  expect(framesOf(maker.events).map(({ s }) => s)).toEqual([1, 2, 3, 1, 2, 3]);
});

test('what found no room in the store is not there', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().ask().open().pass('server', 'data: abc');
  maker.wait(50);
  const held = maker.events;
  const lost: TraceEvent = {
    kind: 'lost',
    n: 99,
    at: 99,
    c: 1,
    s: stream.s,
    lost: { from: 'server', bytes: 11, why: 'store full' },
  };
  expect(framesOf([...held, lost])).toEqual([]);
});
