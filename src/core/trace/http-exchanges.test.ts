import { describe, expect, test } from 'vitest';
import { HttpTraceMaker, type MadeStream } from '../../../test/http-trace-maker.ts';
import { Exchanges } from './exchanges.ts';
import type { HeaderLine } from './format.ts';
import type { ConnectionUnit, ExchangeUnit, FrameUnit, StreamUnit, Unit } from './unit.ts';

/** The units of what `make` records. */
function unitsOf(make: (maker: HttpTraceMaker) => void): Unit[] {
  const maker = new HttpTraceMaker();
  make(maker);
  const machine = new Exchanges();
  return [...maker.events.flatMap((event) => machine.feed(event)), ...machine.end()];
}

const of =
  <U extends Unit>(kind: U['unit']) =>
  (units: readonly Unit[]): U[] =>
    units.filter((unit): unit is U => unit.unit === kind);
const exchangesOf = of<ExchangeUnit>('exchange');
const framesOf = of<FrameUnit>('frame');
const streamsOf = of<StreamUnit>('stream');
const newsOf = of<ConnectionUnit>('connection');

const json: HeaderLine = ['Content-Type', 'application/json'];
const call = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add"}}`;
const answer = (id: number | null): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const error = (id: number | null): string => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`;
const get = (maker: HttpTraceMaker, lines: HeaderLine[] = []): MadeStream =>
  maker.stream().ask({ method: 'GET', lines }).open();

const brief = ({ request, answer: said, id, status, httpStatus }: ExchangeUnit): unknown[] => [
  id,
  status,
  httpStatus,
  request.s,
  said?.s,
];
const links = (units: readonly Unit[]): unknown[] =>
  framesOf(units).flatMap(({ messages }) => messages.map(({ link }) => (link?.is === 'unasked' ? link.why : link?.is)));

describe('exchanges', () => {
  test('pair by id within their connection, on one stream or on several', () => {
    const units = unitsOf((maker) => {
      const events = get(maker);
      maker.post(call(1), answer(1));
      maker.post(call(2));
      events.event(answer(2)).end('server');
      maker.close();
    });
    expect(exchangesOf(units).map(brief)).toEqual([
      ['1', 'ok', 200, 2, 2],
      ['2', 'ok', undefined, 3, 1],
    ]);
  });

  test('do not pair across connections', () => {
    const units = unitsOf((maker) => {
      maker.post(call(1), undefined, { c: 1 });
      maker.post(call(1), answer(1), { c: 2 });
      maker.close();
    });
    expect(exchangesOf(units).map(({ c, status, isOver }) => [c, status, isOver])).toEqual([
      [2, 'ok', true],
      [1, 'pending', true],
    ]);
  });

  test('what the server asks on one stream is answered on another', () => {
    const units = unitsOf((maker) => {
      const stream = maker
        .stream()
        .ask({ body: call(1) })
        .open();
      stream.event('{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}');
      maker.post('{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}');
      stream.event(answer(1)).end('server');
    });
    expect(exchangesOf(units).map(({ from, status }) => [from, status])).toEqual([
      ['server', 'ok'],
      ['client', 'ok'],
    ]);
  });

  test.each<[string, number, string, unknown[]]>([
    ['with nothing', 401, '', ['1', 'error', 401, 1, undefined]],
    ['with a page', 500, '<p>Oops', ['1', 'error', 500, 1, undefined]],
    ['elsewhere', 307, '', ['1', 'error', 307, 1, undefined]],
    ['with an error that has its id', 400, error(1), ['1', 'error', 400, 1, 1]],
    ['with an error that has none', 400, error(null), ['1', 'error', 400, 1, 1]],
    ['with an error without the member', 404, error(1).replace('"id":1,', ''), ['1', 'error', 404, 1, 1]],
  ])('a request that is refused is over: %s', (_, status, body, expected) => {
    const units = unitsOf((maker) => {
      maker
        .stream()
        .ask({ body: call(1) })
        .answer({ status, lines: [json], body });
      maker.post(call(1), answer(1));
      maker.close();
    });
    expect(exchangesOf(units).map(brief)).toEqual([expected, ['1', 'ok', 200, 2, 2]]);
    expect(exchangesOf(units).some(({ idReused }) => idReused)).toBe(false);
    const closed = newsOf(units).at(-1);
    expect(closed).toMatchObject({ what: 'closed', facts: { unanswered: 0, unasked: 0 } });
  });

  test('an error without an id that answers several requests, or none, says why they were refused', () => {
    const units = unitsOf((maker) => {
      maker
        .stream()
        .ask({ body: `[${call(1)},${call(2)}]` })
        .answer({ status: 400, lines: [json], body: error(null) });
      maker
        .stream()
        .ask({ body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' })
        .answer({ status: 404, lines: [json], body: error(null) });
      maker.close();
    });
    expect(exchangesOf(units).map(brief)).toEqual([
      ['1', 'error', 400, 1, undefined],
      ['2', 'error', 400, 1, undefined],
    ]);
    expect(links(units)).toEqual([undefined, undefined, 'refusal', undefined, 'refusal']);
    expect(newsOf(units).at(-1)).toMatchObject({ facts: { unasked: 0, errors: 3, refused: 2 } });
  });

  test('a request may be answered on another stream when its own broke off', () => {
    const units = unitsOf((maker) => {
      const first = maker
        .stream()
        .ask({ body: call(1) })
        .open();
      first.event('{"jsonrpc":"2.0","method":"notifications/message"}', 'e1').end('server', 'the server broke off');
      get(maker, [['Last-Event-ID', 'e1']])
        .event(answer(1), 'e2')
        .end('server');
      maker.close();
    });
    expect(exchangesOf(units).map(brief)).toEqual([['1', 'ok', undefined, 1, 2]]);
  });

  test('what is delivered again when a stream is resumed is no second answer', () => {
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}';
    const asks = '{"jsonrpc":"2.0","id":7,"method":"roots/list"}';
    const units = unitsOf((maker) => {
      const first = maker
        .stream()
        .ask({ body: call(1) })
        .open();
      first.event(progress, 'e1').event(asks, 'e2').event(answer(1), 'e3').end('server', 'the client went away');
      const again = get(maker, [['last-event-id', 'e0']]);
      again.event(progress, 'e1').event(asks, 'e2').event(answer(1), 'e3').end('server');
      maker.close();
    });
    expect(links(units)).toEqual([undefined, 'progress', undefined, 'answer', 'again', 'again', 'again']);
    expect(exchangesOf(units).map(({ from, status, idReused }) => [from, status, idReused])).toEqual([
      ['client', 'ok', false],
      ['server', 'pending', false],
    ]);
    expect(newsOf(units).at(-1)).toMatchObject({ facts: { unasked: 0, requests: 2, notifications: 1 } });
  });

  test('but it is one on a stream that resumes nothing, and so is another answer under the same event id', () => {
    const units = unitsOf((maker) => {
      maker
        .stream()
        .ask({ body: call(1) })
        .open()
        .event(answer(1), 'e1')
        .end('server');
      get(maker).event(answer(1), 'e1').end('server');
      get(maker, [['Last-Event-ID', 'e0']])
        .event(error(1), 'e1')
        .end('server');
    });
    expect(links(units)).toEqual([undefined, 'answer', 'second answer', 'second answer']);
  });
});

describe('streams', () => {
  test('a request and its answer', () => {
    const units = unitsOf((maker) => {
      maker.post(call(1), answer(1));
      maker.close();
    });
    const [stream, ...others] = streamsOf(units);
    expect(others).toEqual([]);
    expect(stream).toMatchObject({
      phase: 'ended',
      c: 1,
      s: 1,
      first: 2,
      request: { method: 'POST', target: '/mcp' },
      response: { status: 200 },
      responded: { n: 5 },
      made: false,
      mapped: false,
      events: 0,
      bytes: { client: call(1).length, server: answer(1).length },
      messages: { client: 1, server: 1 },
      ends: { client: { sum: { bytes: call(1).length } }, server: { sum: { bytes: answer(1).length } } },
      redacted: [],
    });
    expect(units.map((unit) => unit.unit)).toEqual([
      'connection',
      'frame',
      'frame',
      'exchange',
      'stream',
      'connection',
    ]);
  });

  test('an event stream is told when it opens, and when it ends', () => {
    const units = unitsOf((maker) => {
      const stream = get(maker).pass('server', ': hi\n\n').event('', 'e1').event(answer(1));
      stream.end('server', 'the client went away');
      maker.close();
    });
    expect(streamsOf(units).map(({ phase, n, events, ends }) => [phase, n, events, ends.server?.why])).toEqual([
      ['opened', 4, 0, undefined],
      ['ended', 8, 2, 'the client went away'],
    ]);
  });

  test('one that is open at the close ends there, and one in a recording that breaks off does not', () => {
    const open = (maker: HttpTraceMaker): void => void get(maker).event(answer(1));
    const closed = unitsOf((maker) => {
      open(maker);
      maker.close();
    });
    expect(streamsOf(closed).at(-1)).toMatchObject({ phase: 'ended', ends: { server: { why: 'wireproof ended' } } });
    expect(streamsOf(unitsOf(open)).at(-1)).toMatchObject({ phase: 'cut', ends: {}, bytes: { server: 44 } });
  });

  test('what was mapped, made and replaced', () => {
    const lines = (host: string): HeaderLine[] => [['Host', host], json];
    const units = unitsOf((maker) => {
      const proxied = maker.stream();
      for (const leg of ['client', 'server'] as const) {
        const head = { version: '1.1', method: 'GET', target: '/x', lines: lines(leg) };
        proxied.head('client', head, ['header:Authorization'], { leg });
      }
      proxied.answer({ lines: [json], body: '{}' });
      const mapped = maker.stream().ask({ method: 'GET', target: '/.well-known/oauth-protected-resource' });
      const redact = () => ({ bytes: Buffer.from('{"access_token":"t-1"}'), redacted: ['/access_token'] });
      for (const leg of ['server', 'client'] as const) {
        mapped.head('server', { version: '1.1', status: 200, lines: [json] }, [], { leg });
        mapped.recorder.body('server', { isEventStream: false, redact }, leg);
        mapped.pass('server', leg === 'client' ? '{"access_token":"abcdef"}' : '{}', leg).end('server', undefined, leg);
      }
      maker.stream().ask().answer({ status: 502, made: true, body: 'no' });
      maker.close();
    });
    expect(streamsOf(units).map(({ mapped, made, redacted }) => [mapped, made, redacted])).toEqual([
      [false, false, ['header:Authorization']],
      [true, false, ['/access_token']],
      [false, true, []],
    ]);
    const [, mapped, made] = streamsOf(units) as [StreamUnit, StreamUnit, StreamUnit];
    expect(mapped.bytes.server).toBe('{"access_token":"abcdef"}'.length);
    expect(Buffer.from(made.refusal as Uint8Array).toString()).toBe('no');
  });

  test('an interim response is none', () => {
    const units = unitsOf((maker) => {
      const stream = maker.stream().ask();
      stream.head('server', { version: '1.1', status: 103, lines: [] }).answer({ status: 204 });
      maker.close();
    });
    expect(streamsOf(units)).toMatchObject([{ response: { status: 204 }, responded: { n: 5 } }]);
  });

  test('what comes of a request behind the end of its stream begins no other', () => {
    const units = unitsOf((maker) => {
      const stream = maker.stream().head('client', { version: '1.1', method: 'POST', target: '/mcp', lines: [] });
      stream.begin('client').pass('client', call(1)).answer({ status: 413 });
      stream.end('client');
      maker.close();
    });
    expect(streamsOf(units)).toMatchObject([{ s: 1, phase: 'ended', response: { status: 413 } }]);
  });
});

test('the one closing record is that of all connections, which have their clients and sessions', () => {
  const units = unitsOf((maker) => {
    maker.stream(1, '127.0.0.1').ask({ body: call(1) });
    maker
      .stream(2, '10.0.0.7')
      .ask({ body: call(1) })
      .answer({ lines: [json, ['Mcp-Session-Id', 'abc']], body: answer(1) });
    maker.recorder.note(50, 'not-http', 'nonsense');
    maker.close();
  });
  expect(newsOf(units)).toMatchObject([
    { what: 'opened', c: 1, peer: '127.0.0.1' },
    { what: 'opened', c: 2, peer: '10.0.0.7' },
    { what: 'note', note: 'not-http' },
    { what: 'closed', c: 1, facts: { c: 1, peer: '127.0.0.1', unanswered: 1 } },
    { what: 'closed', c: 2, facts: { c: 2, peer: '10.0.0.7', session: 'abc', unanswered: 0 } },
  ]);
  expect(newsOf(units).filter(({ what }) => what === 'cut')).toEqual([]);
});

test('a note on a stream says which', () => {
  const units = unitsOf((maker) => maker.stream().ask().note('upstream-failed', 'nobody listens'));
  expect(newsOf(units)).toMatchObject([{ what: 'opened' }, { what: 'note', s: 1 }, { what: 'cut' }]);
});

test('of many streams, none that is over is kept', () => {
  const machine = new Exchanges();
  const maker = new HttpTraceMaker();
  for (let id = 0; id < 3000; id++) maker.post(call(id), answer(id));
  for (const event of maker.events) machine.feed(event);
  expect(machine.end().filter(({ unit }) => unit === 'stream')).toEqual([]);
});
