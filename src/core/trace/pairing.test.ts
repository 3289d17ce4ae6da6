import { describe, expect, test } from 'vitest';
import { HttpTraceMaker, type MadeStream } from '../../../test/http-trace-maker.ts';
import { Exchanges } from './exchanges.ts';
import type { HeaderLine } from './format.ts';
import type { ConnectionUnit, ExchangeUnit, FrameUnit, Unit } from './unit.ts';

function unitsOf(make: (maker: HttpTraceMaker) => void): Unit[] {
  const maker = new HttpTraceMaker();
  make(maker);
  const machine = new Exchanges();
  return [...maker.events.flatMap((event) => machine.feed(event)), ...machine.end()];
}

/** Of each exchange the stream of its request and that of its answer, what became of it, and whether that is certain. */
const paired = (units: readonly Unit[]): unknown[] =>
  units
    .filter((unit): unit is ExchangeUnit => unit.unit === 'exchange')
    .sort((one, other) => one.request.n - other.request.n)
    .map(({ request, answer, status, idReused }) => [request.s, answer?.s, idReused ? `${status}, reused` : status]);

const linksOf = (units: readonly Unit[]): unknown[] =>
  units
    .filter((unit): unit is FrameUnit => unit.unit === 'frame')
    .flatMap(({ s, messages }) =>
      messages.map(({ link }) => link && [s, link.is, 'of' in link ? link.of?.n : undefined]),
    )
    .filter((link) => link !== undefined);

const revision = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
const modern = (id: number, token?: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add",${token === undefined ? revision : revision.replace('{', `{"progressToken":${token},`)}}}`;
const legacy = (id: number, token?: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add"${token === undefined ? '' : `,"_meta":{"progressToken":${token}}`}}}`;
const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const progress = (token: number): string =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`;
const ask = (maker: HttpTraceMaker, body: string, lines: HeaderLine[] = []): MadeStream =>
  maker.stream().ask({ body, lines });
const get = (maker: HttpTraceMaker, lines: HeaderLine[] = []): MadeStream =>
  maker.stream().ask({ method: 'GET', lines }).open();
const gone = 'the client went away';
/** The client closes a request that has no response yet. */
const leave = (maker: HttpTraceMaker, stream: MadeStream): void => stream.recorder.breakOff(++maker.at, gone);

describe.each([
  ['modern', modern],
  ['legacy', legacy],
])('%s: what comes on the stream of a request belongs to it', (era, request) => {
  const ok = era === 'legacy' ? 'ok, reused' : 'ok';

  test('two with the same id at once, answered last first', () => {
    const units = unitsOf((maker) => {
      const first = ask(maker, request(0));
      const second = ask(maker, request(0));
      second.open().event(answer(0)).end('server');
      first.open().event(answer(0)).end('server');
    });
    expect(paired(units)).toEqual([
      [1, 1, ok],
      [2, 2, ok],
    ]);
  });

  test('one that was given up, whose id is used again and again', () => {
    const units = unitsOf((maker) => {
      ask(maker, request(2)).open().end('server', gone);
      for (let times = 0; times < 3; times++) maker.post(request(2), answer(2));
      maker.close();
    });
    expect(paired(units)).toEqual([
      [1, undefined, era === 'modern' ? 'cancelled' : 'pending'],
      [2, 2, 'ok'],
      [3, 3, 'ok'],
      [4, 4, 'ok'],
    ]);
  });

  test('a second answer takes none from another', () => {
    const units = unitsOf((maker) => {
      const first = ask(maker, request(1)).open();
      const second = ask(maker, request(1)).open();
      first.event(answer(1)).event(answer(1)).end('server');
      second.event(answer(1)).end('server');
    });
    expect(paired(units)).toEqual([
      [1, 1, ok],
      [2, 2, ok],
    ]);
    expect(linksOf(units)).toEqual([
      [1, 'answer', 3],
      [1, 'unasked', 3],
      [2, 'answer', 7],
    ]);
  });

  test('progress under one token', () => {
    const units = unitsOf((maker) => {
      const first = ask(maker, request(1, 7)).open();
      const second = ask(maker, request(2, 7)).open();
      first.event(progress(7)).event(answer(1)).event(progress(7));
      second.event(progress(7)).event(progress(7)).event(answer(2)).end('server');
      first.end('server');
    });
    expect(linksOf(units).filter((link) => (link as unknown[])[1] === 'progress')).toEqual([
      [1, 'progress', 3],
      [1, 'progress', 3],
      [2, 'progress', 7],
      [2, 'progress', 7],
    ]);
    const counts = units.flatMap((unit) => (unit.unit === 'exchange' ? [unit.progress.count] : []));
    expect(counts).toEqual([1, 2]);
  });
});

describe('in the modern era', () => {
  test.each<[string, string | undefined, string, string | undefined]>([
    ['closing the stream cancels', gone, 'cancelled', undefined],
    [
      'a server that breaks off leaves it without an answer',
      'it closed the connection',
      'pending',
      'it closed the connection',
    ],
    ['so does one that ends the stream', undefined, 'pending', undefined],
  ])('%s, and nothing answers it any more', (_, why, status, told) => {
    const units = unitsOf((maker) => {
      ask(maker, modern(3)).open().end('server', why);
      get(maker).event(answer(3)).end('server');
      maker.close();
    });
    const exchange = units.find((unit): unit is ExchangeUnit => unit.unit === 'exchange');
    expect(exchange).toMatchObject({ status, isOver: true, n: 6, streamEnd: { n: 6, ...(told ? { why: told } : {}) } });
    expect(exchange?.cancelled).toEqual(status === 'cancelled' ? { n: 6, at: 6, closed: true } : undefined);
    expect(linksOf(units)).toEqual([[2, 'unasked', 3]]);
  });

  test('the head tells it too', () => {
    const units = unitsOf((maker) => {
      leave(maker, ask(maker, legacy(3), [['MCP-Protocol-Version', '2026-07-28']]));
      maker.close();
    });
    expect(paired(units)).toEqual([[1, undefined, 'cancelled']]);
  });

  test('closing a stream whose request was answered cancels nothing', () => {
    const units = unitsOf((maker) => void ask(maker, modern(3)).open().event(answer(3)).end('server', gone));
    expect(paired(units)).toEqual([[1, 1, 'ok']]);
  });

  test('nor does closing one that stands in a response which is whole', () => {
    const units = unitsOf((maker) => {
      const stream = ask(maker, modern(3)).head('server', {
        version: '1.1',
        status: 200,
        lines: [['Content-Length', '2']],
      });
      stream.begin('server').pass('server', 'no').end('server', gone);
    });
    expect(paired(units)).toEqual([[1, undefined, 'pending']]);
  });

  test('a server ends the subscription on whose stream it says so', () => {
    const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{${revision}}}`;
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    const units = unitsOf((maker) => {
      const first = ask(maker, listen).open();
      const second = ask(maker, listen).open();
      first.event(cancelled).end('server');
      second.event(answer(1)).end('server');
    });
    expect(paired(units)).toEqual([
      [1, undefined, 'cancelled'],
      [2, 2, 'ok'],
    ]);
  });
});

describe('in the legacy era another stream may bring the answer', () => {
  test('of HTTP+SSE, where the stream of the request only has a receipt: the newest gets it', () => {
    const units = unitsOf((maker) => {
      const events = get(maker);
      maker.post(legacy(1));
      maker.post(legacy(1));
      events.event(answer(1)).event(answer(1)).end('server');
      maker.close();
    });
    expect(paired(units)).toEqual([
      [2, 1, 'ok, reused'],
      [3, 1, 'ok, reused'],
    ]);
    expect(linksOf(units).map((link) => (link as unknown[])[2])).toEqual([11, 6]);
  });

  test('before the receipt has come, too', () => {
    const units = unitsOf((maker) => {
      const events = get(maker);
      const asked = ask(maker, legacy(1));
      events.event(answer(1));
      asked.answer({ status: 202 });
    });
    expect(paired(units)).toEqual([[2, 1, 'ok']]);
  });

  test('one that resumes brings that of the stream which it resumes', () => {
    const units = unitsOf((maker) => {
      ask(maker, legacy(1)).open().event('', 'a1').end('server', 'the server broke off');
      ask(maker, legacy(1)).open().event('', 'b1').end('server', 'the server broke off');
      get(maker, [['Last-Event-ID', 'a1']])
        .event('', 'a2')
        .end('server', 'the server broke off');
      get(maker, [['Last-Event-ID', 'b1']])
        .event(answer(1), 'b2')
        .end('server');
      get(maker, [['Last-Event-ID', 'a2']])
        .event(answer(1), 'a3')
        .end('server');
    });
    expect(paired(units)).toEqual([
      [1, 5, 'ok'],
      [2, 4, 'ok'],
    ]);
  });

  test('it is not that of one which is being answered on its own stream', () => {
    const units = unitsOf((maker) => {
      ask(maker, legacy(1)).open().end('server', 'the server broke off');
      const second = ask(maker, legacy(1)).open();
      get(maker).event(answer(1)).end('server');
      second.event(answer(1)).end('server');
    });
    expect(paired(units)).toEqual([
      [1, 3, 'ok'],
      [2, 2, 'ok'],
    ]);
  });

  test('nor that of another session', () => {
    const session = (id: string): HeaderLine[] => [['Mcp-Session-Id', id]];
    const units = unitsOf((maker) => {
      ask(maker, legacy(1), session('a')).answer({ status: 202 });
      ask(maker, legacy(1), session('b')).answer({ status: 202 });
      get(maker, session('a')).event(answer(1)).end('server');
      get(maker, session('b')).event(answer(1)).end('server');
    });
    expect(paired(units)).toEqual([
      [1, 3, 'ok'],
      [2, 4, 'ok'],
    ]);
  });

  test('going away is no cancellation', () => {
    const units = unitsOf((maker) => {
      ask(maker, legacy(1)).open().event('', 'e1').end('server', gone);
      get(maker, [['Last-Event-ID', 'e1']])
        .event(answer(1))
        .end('server');
    });
    expect(paired(units)).toEqual([[1, 2, 'ok']]);
  });

  test('what the server asks is answered by the newest answer to come', () => {
    const asks = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}';
    const units = unitsOf((maker) => {
      const first = get(maker).event(asks);
      first.end('server', gone);
      get(maker).event(asks);
      maker.post(answer(1));
      maker.close();
    });
    expect(paired(units)).toEqual([
      [1, undefined, 'pending, reused'],
      [2, 3, 'ok, reused'],
    ]);
  });
});

test('a batch with one id twice is answered in its order', () => {
  const units = unitsOf((maker) => {
    const batch = ask(maker, `[${modern(1)},${modern(1)}]`).open();
    batch.event(answer(1)).event(answer(1)).end('server');
  });
  expect(paired(units)).toEqual([
    [1, 1, 'ok, reused'],
    [1, 1, 'ok, reused'],
  ]);
});

test('requests that nothing can answer any more are not kept', () => {
  const machine = new Exchanges();
  const maker = new HttpTraceMaker();
  for (let times = 0; times < 2000; times++) ask(maker, modern(0, 0)).open().end('server', gone);
  for (const event of maker.events) machine.feed(event);
  expect(machine.end().filter(({ unit }) => unit === 'exchange')).toEqual([]);
});

test('an error counts once, wherever it stands', () => {
  const units = unitsOf((maker) => {
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}';
    ask(maker, modern(1)).answer({ status: 502, made: true, body: error });
    ask(maker, modern(2)).answer({ status: 401 });
    maker.stream().ask({ method: 'GET' }).answer({ status: 405 });
    leave(maker, maker.stream().ask({ method: 'GET' }));
    leave(maker, ask(maker, modern(3)));
    ask(maker, '{"jsonrpc":"2.0","method":"x"}').answer({ status: 400 });
    maker.close();
  });
  const closed = units.findLast((unit): unit is ConnectionUnit => unit.unit === 'connection');
  expect(closed).toMatchObject({ facts: { requests: 3, errors: 5, refused: 4, unanswered: 0 } });
});
