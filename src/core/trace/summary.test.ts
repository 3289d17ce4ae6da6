import { describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import { TraceMaker } from '../../../test/trace-maker.ts';
import type { HeaderLine } from './format.ts';
import { summarizeHead, summarizeTail } from './summary.ts';

const initialized =
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"files","version":"1.2"}}}\n';
const discovered =
  '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"files","version":"1.2"}}}}\n';

describe('the beginning of a trace', () => {
  test.each<[string, string[], string | undefined]>([
    ['the answer to initialize', [initialized], 'files 1.2'],
    ['the metadata of a result', [discovered], 'files 1.2'],
    ['a server without a version', ['{"id":1,"result":{"serverInfo":{"name":"files"}}}\n'], 'files'],
    ['an answer that comes later', ['Listening…\n', '{"id":0,"result":{}}\n', initialized], 'files 1.2'],
    ['an answer in a batch', [`[{"id":7,"result":{}},${initialized.trim()}]\n`], 'files 1.2'],
    ['a server that does not say', ['{"id":1,"result":{"serverInfo":"files"}}\n'], undefined],
    ['somebody else who does', ['{"method":"x","params":{"serverInfo":{"name":"files"}}}\n'], undefined],
  ])('names the server: %s', (_, lines, expected) => {
    const maker = new TraceMaker({ header: { label: 'x' } }).pass('client', '{"id":1,"method":"initialize"}\n');
    for (const line of lines) maker.pass('server', line);
    const head = summarizeHead(maker.close().bytes, true);
    expect(head?.server).toBe(expected);
    expect(head?.header.label).toBe('x');
  });

  test('the client does not name the server', () => {
    expect(summarizeHead(new TraceMaker().pass('client', initialized).close().bytes, true)?.server).toBeUndefined();
  });

  const trace = new TraceMaker()
    .pass('client', '{"id":1,"method":"initialize"}\n')
    .pass('server', initialized)
    .close().bytes;

  test('wherever it is cut, it says what it can', () => {
    const firstLine = trace.indexOf(0x0a);
    const answer = trace.indexOf('serverInfo');
    const endOfAnswer = trace.indexOf(0x0a, answer);
    for (let to = 1; to <= trace.length; to++) {
      const head = summarizeHead(trace.subarray(0, to), false);
      expect([to, head?.header.by]).toEqual([to, to > firstLine ? 'wireproof 0.1.0' : undefined]);
      expect([to, head?.server]).toEqual([to, to > endOfAnswer ? 'files 1.2' : undefined]);
    }
  });

  test('wants more where it is cut in what may be the answer', () => {
    const answer = trace.indexOf('"serverInfo"');
    expect(summarizeHead(trace.subarray(0, answer), false)?.needsMore).toBe(true);
    expect(summarizeHead(trace.subarray(0, answer), true)?.needsMore).toBe(false);
    expect(summarizeHead(trace, false)?.needsMore).toBe(false);
    const asked = trace.indexOf('initialize');
    expect(summarizeHead(trace.subarray(0, asked), false)?.needsMore).toBe(false);
  });

  test('is no trace', () => {
    expect(() => summarizeHead(Buffer.from('hello\n'), false)).toThrow(
      expect.objectContaining({ code: 'trace-unreadable' }),
    );
    expect(() => summarizeHead(Buffer.from('hello'), true)).toThrow(
      expect.objectContaining({ code: 'trace-unreadable' }),
    );
    expect(summarizeHead(Buffer.from('{"wireproof":1,'), false)).toBeUndefined();
  });
});

describe('the end of a trace', () => {
  const busy = (): TraceMaker =>
    new TraceMaker()
      .pass('client', '{"id":1,"method":"a"}\n{"id":2,"method":"b"}\n')
      .pass('server', '{"id":1,"result":{"isError":true}}\n')
      .wait(1500);

  test('of a finished one', () => {
    const trace = busy().pass('server', '{"id":2,"error":{}}\nno message\n').close({ exit: 3 }).bytes;
    const finished = { length: 1504, counts: { messages: 4, errors: 2 }, closed: { exit: 3 } };
    expect(summarizeTail(trace, true)).toEqual(finished);
    expect(summarizeTail(trace.subarray(trace.lastIndexOf('"ended"')), false)).toEqual(finished);
  });

  test('of one that goes on: what came after the last sums is counted too', () => {
    const trace = busy()
      .pass('server', '{"id":2,"error":{}}\nno message\n')
      .pass('client', '[{"method":"c"},{"method":"d"}]\n').bytes;
    expect(summarizeTail(trace, true)).toEqual({ length: 1504, counts: { messages: 6, errors: 2 }, closed: undefined });
  });

  test('of one that has no sums yet', () => {
    const trace = new TraceMaker().pass('client', '{"id":1,"method":"a"}\n').bytes;
    expect(summarizeTail(trace, true)).toEqual({ length: 1, counts: { messages: 1, errors: 0 }, closed: undefined });
    expect(summarizeTail(trace, false).counts).toBeUndefined();
    const header = trace.subarray(0, trace.indexOf(0x0a) + 1);
    expect(summarizeTail(header, true)).toEqual({
      length: undefined,
      counts: { messages: 0, errors: 0 },
      closed: undefined,
    });
  });

  test('where the last record is longer than what is read', () => {
    const trace = busy().pass('server', `{"id":2,"result":"${'x'.repeat(100_000)}"}\n`).bytes;
    expect(summarizeTail(trace.subarray(-65_536), false)).toEqual({
      length: undefined,
      counts: undefined,
      closed: undefined,
    });
    expect(summarizeTail(trace, true)).toEqual({ length: 1503, counts: { messages: 4, errors: 1 }, closed: undefined });
  });

  test('where the last line is torn or damaged', () => {
    const trace = busy().bytes;
    const whole = summarizeTail(trace, true);
    expect(whole).toEqual({ length: 1502, counts: { messages: 3, errors: 1 }, closed: undefined });
    expect(summarizeTail(Buffer.concat([trace, Buffer.from('{"n":9,"at":99')]), true)).toEqual(whole);
    expect(summarizeTail(Buffer.concat([trace, Buffer.from('rubbish\n\n')]), true)).toEqual(whole);
  });

  test('wherever the bytes begin, it says what is right or nothing', () => {
    const trace = busy().close().bytes;
    const whole = summarizeTail(trace, true);
    for (let from = 0; from < trace.length; from++) {
      const { length, counts, closed } = summarizeTail(trace.subarray(from), from === 0);
      for (const [said, right] of [
        [length, whole.length],
        [counts, whole.counts],
        [closed, whole.closed],
      ]) {
        if (said !== undefined) expect(said).toEqual(right);
      }
    }
  });
});

describe('a trace of HTTP', () => {
  const json: HeaderLine = ['Content-Type', 'application/json'];
  const asked = '{"jsonrpc":"2.0","id":1,"method":"initialize"}';

  test.each<[string, (maker: HttpTraceMaker) => void]>([
    [
      'a body',
      (maker) =>
        maker
          .stream()
          .ask({ body: asked })
          .answer({ lines: [json], body: initialized.trim() }),
    ],
    [
      'a body on several lines',
      (maker) =>
        maker
          .stream()
          .ask({ body: asked })
          .answer({ body: JSON.stringify(JSON.parse(initialized), undefined, 2) }),
    ],
    ['an event', (maker) => maker.stream().ask({ body: asked }).open().event(initialized.trim(), 'e1').end('server')],
    [
      'an event on two lines',
      (maker) =>
        maker
          .stream()
          .ask({ body: asked })
          .open()
          .pass('server', `data: ${initialized.trim().replace(',', ',\ndata: ')}\n\n`)
          .end('server'),
    ],
  ])('names the server: %s', (_, make) => {
    const maker = new HttpTraceMaker();
    make(maker);
    expect(summarizeHead(maker.close().bytes, true)?.server).toBe('files 1.2');
  });

  const maker = new HttpTraceMaker();
  maker.post('{"jsonrpc":"2.0","id":1,"method":"x"}', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}');
  maker.wait(1100);
  maker.post('{"jsonrpc":"2.0","method":"y"}');
  maker.stream().ask({ target: '/token' }).answer({ status: 400, body: '{"error":"invalid_grant"}' });
  maker.stream().ask({ method: 'GET' }).open().event('{"jsonrpc":"2.0","method":"z"}');
  const cut = maker.bytes;
  const trace = maker.close().bytes;

  test('counts from the closing record', () => {
    expect(summarizeTail(trace, true)).toMatchObject({
      counts: { messages: 4, errors: 1 },
      closed: { why: 'told to stop' },
    });
    const last = trace.subarray(trace.lastIndexOf('\n', trace.length - 2));
    expect(summarizeTail(last, false).counts).toEqual({ messages: 4, errors: 1 });
  });

  test('or from the last counts and what came after them', () => {
    expect(cut.includes('"counts":{"messages":2,"errors":1}')).toBe(true);
    expect(summarizeTail(cut, true).counts).toEqual({ messages: 4, errors: 1 });
    const behind = cut.subarray(cut.indexOf('"counts"'));
    expect(summarizeTail(behind, false).counts).toBeUndefined();
  });

  test('what passed in two forms is told once', () => {
    const mapped = new HttpTraceMaker();
    const stream = mapped.stream().head('client', { version: '1.1', method: 'POST', target: '/', lines: [] });
    for (const leg of ['client', 'server'] as const) {
      stream.begin('client', {}, leg).pass('client', asked, leg).end('client', undefined, leg);
    }
    expect(summarizeTail(mapped.bytes, true).counts).toEqual({ messages: 1, errors: 0 });
    expect(summarizeTail(mapped.close().bytes, true).counts).toEqual({ messages: 1, errors: 0 });
  });
});
