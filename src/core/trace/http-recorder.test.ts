import { describe, expect, test } from 'vitest';
import { HttpTraceMaker } from '../../../test/http-trace-maker.ts';
import type { Leg } from './format.ts';

const mebibyte = 1024 * 1024;

/** What is recorded of a body that passes in these chunks, but for the times. */
function recorded(chunks: readonly Uint8Array[], { leg, why }: { leg?: Leg; why?: string } = {}): string[] {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().begin('server', {}, leg);
  for (const chunk of chunks) stream.pass('server', chunk, leg);
  stream.end('server', why, leg);
  return maker.close().lines.map((line) => line.replace(/"at":[\d.]+,("since":[\d.]+,)?/, ''));
}

const answer = '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}';

describe('a body in one chunk stands as it does in several', () => {
  test.each<[string, string | Uint8Array]>([
    ['a message', answer],
    ['a batch', `[${answer},{"jsonrpc":"2.0","method":"x"}]`],
    ['JSON on two lines', '{"jsonrpc":"2.0",\n"id":1,"result":{}}'],
    ['JSON that ends with a carriage return', '{"jsonrpc":"2.0","id":1,"result":{}}\r'],
    ['JSON that is cut off', answer.slice(0, 20)],
    ['other text', '<p>"\u0007\u0085 é</p>'],
    ['bytes that are no text', Uint8Array.of(0x22, 0xff, 0xc2, 0x80)],
    ['as long as a chunk that is kept', `"${'x'.repeat(65_534)}"`],
    ['longer than that', `"${'x'.repeat(65_535)}"`],
  ])('%s', (_, body) => {
    const bytes = Buffer.from(body);
    const [middle, end] = [bytes.length >> 1, bytes.length];
    for (const about of [{}, { why: 'it broke "off"' }, { leg: 'server' as const }]) {
      const whole = recorded([bytes], about);
      expect(recorded([bytes.subarray(0, middle), bytes.subarray(middle)], about)).toEqual(whole);
      expect(recorded([bytes.subarray(0, end - 1), bytes.subarray(end - 1), bytes.subarray(end)], about)).toEqual(
        whole,
      );
    }
  });
});

test('a message that passes in two forms is counted once', () => {
  const maker = new HttpTraceMaker();
  const stream = maker.stream().begin('server', {}, 'server').begin('server', {}, 'client');
  for (const leg of ['server', 'client'] as const) stream.pass('server', answer, leg).end('server', undefined, leg);
  maker.close();
  expect(maker.recorder.counts).toEqual({ messages: 1, errors: 1 });
});

test('of a long body it is said which part is looked through', () => {
  const parts: (number | undefined)[] = [];
  const redact = (_: Uint8Array, part?: number) => void parts.push(part);
  const maker = new HttpTraceMaker();
  const stream = maker.stream().begin('client', { redact }).begin('server', { redact, isEventStream: true });
  stream
    .pass('client', 'x'.repeat(8 * mebibyte + 1))
    .pass('client', 'y')
    .end('client');
  expect(parts).toEqual(parts.map((_, index) => index + 1));
  expect(parts.length).toBeGreaterThan(100);
  parts.length = 0;
  stream.pass('server', 'data: x\n\n').pass('server', 'data: y').end('server');
  expect(parts).toEqual([undefined, undefined]);
});

test('a body that could not be searched is told of before its end', () => {
  const maker = new HttpTraceMaker();
  const unsearched = (): string => 'it was not';
  maker
    .stream()
    .begin('client', { redact: () => undefined, unsearched })
    .pass('client', 'x')
    .end('client');
  expect(maker.lines.slice(-2)).toEqual([
    expect.stringContaining('"s":1,"note":{"kind":"not-searched","text":"it was not"}}'),
    expect.stringContaining('"s":1,"ended":"client"'),
  ]);
});

/** The `held` and whole records of bodies. */
const told = (maker: HttpTraceMaker): string[] =>
  maker.lines.flatMap((line) => /(?:"held":\d+,)?"(?:msg|text|b64)":.*/.exec(line)?.[0] ?? []);

describe('a body that stands still', () => {
  test('is shown, each time with what is new, and then whole', () => {
    const maker = new HttpTraceMaker();
    const stream = maker.stream().begin('client').pass('client', '{"a":');
    maker.wait(39);
    expect(told(maker)).toEqual([]);
    maker.wait(1);
    expect(told(maker)).toEqual(['"held":0,"text":"{\\"a\\":"}']);
    stream.pass('client', '1');
    maker.wait(40);
    stream.pass('client', '}').end('client');
    expect(told(maker).slice(1)).toEqual(['"held":5,"text":"1"}', '"msg":{"a":1}}']);
  });

  test.each([
    ['of one chunk', ['{"a":']],
    ['of two', ['{"a', '":']],
  ])('is not looked at again once it is shown: %s', (_, chunks) => {
    const maker = new HttpTraceMaker();
    const stream = maker.stream().begin('client');
    for (const chunk of chunks) stream.pass('client', chunk);
    expect(maker.recorder.tick(maker.at + 39)).toBe(true);
    expect(maker.recorder.tick(maker.at + 40)).toBe(false);
    stream.pass('client', '1');
    expect(maker.recorder.tick(maker.at)).toBe(true);
  });

  test.each([
    ['of one chunk', ['{"a":']],
    ['of two', ['{"a', '":']],
  ])('is shown later where there is no room: %s', (_, chunks) => {
    const maker = new HttpTraceMaker();
    const events = maker.stream().begin('server', { isEventStream: true });
    for (let count = 0; count < 9; count++) events.pass('server', `data: "${'x'.repeat(mebibyte)}"\n\n`);
    const stream = maker.stream().begin('client');
    for (const chunk of chunks) stream.pass('client', chunk);
    expect(maker.recorder.tick(maker.at + 40)).toBe(true);
    expect(told(maker).filter((record) => record.startsWith('"held"'))).toEqual([]);
    maker.store().wait(40);
    expect(told(maker).filter((record) => record.startsWith('"held"'))).toEqual(['"held":0,"text":"{\\"a\\":"}']);
  });
});

test('a body in one chunk that finds no room is told to be lost', () => {
  const maker = new HttpTraceMaker();
  const events = maker.stream().begin('server', { isEventStream: true });
  for (let count = 0; count < 20; count++) events.pass('server', `data: "${'x'.repeat(mebibyte)}"\n\n`);
  maker
    .stream()
    .begin('client')
    .pass('client', `"${'x'.repeat(60_000)}"`)
    .end('client');
  for (let count = 0; count < 20; count++) maker.stream().ask({ body: `"${'x'.repeat(60_000)}"` });
  const lost = maker.events.flatMap((event) =>
    event.kind === 'lost' && event.lost.from === 'client' ? event.lost : [],
  );
  expect(lost.at(-1)).toMatchObject({ from: 'client', bytes: 60_002 });
  expect(maker.recorder.lostBytes).toBeGreaterThanOrEqual(60_002);
});

test.each<[string, string | Uint8Array, string]>([
  ['as it is', 'id: 7\ndata: {"a":1}\n\n', '"sse":"id: 7\\ndata: ","eol":"\\n\\n","msg":{"a":1}}'],
  [
    'with what cannot stand so escaped',
    ': "\u007f\u0085é\\\r\ndata:[]\r\n\r\n',
    '"sse":": \\"\\u007f\\u0085é\\\\\\r\\ndata:","eol":"\\r\\n\\r\\n","msg":[]}',
  ],
  [
    'as bytes, if it is no text',
    Buffer.from(': \xff\ndata: {}\n\n', 'latin1'),
    '"sse":"","b64":"OiD/CmRhdGE6IHt9Cgo="}',
  ],
])('what stands around the data of an event is told: %s', (_, event, expected) => {
  const maker = new HttpTraceMaker();
  maker.stream().begin('server', { isEventStream: true }).pass('server', event);
  expect(maker.lines.at(-1)).toContain(`"from":"server",${expected}`);
});

describe('records that are made later', () => {
  function asked(): { maker: HttpTraceMaker; made: number[]; ask: (at: number, bytes?: number) => void } {
    const maker = new HttpTraceMaker();
    const made: number[] = [];
    return { maker, made, ask: (at, bytes) => maker.recorder.later(at, (then) => made.push(then), bytes) };
  }

  test('wait for the next tick, and are made in order', () => {
    const { maker, made, ask } = asked();
    for (const at of [1, 2, 3]) ask(at);
    expect(made).toEqual([]);
    maker.recorder.tick(10);
    expect(made).toEqual([1, 2, 3]);
  });

  test('or until there are many', () => {
    const { made, ask } = asked();
    for (let at = 0; at < 1000; at++) ask(at);
    expect(made.length).toBeGreaterThan(800);
    expect(made.length).toBeLessThan(1000);
  });

  test('or until many bytes are kept for them', () => {
    const { made, ask } = asked();
    ask(1, 100_000);
    ask(2, 100_000);
    expect(made).toEqual([1, 2]);
  });

  test('or until the recording is over', () => {
    const { maker, made, ask } = asked();
    ask(1);
    maker.close();
    expect(made).toEqual([1]);
  });
});
