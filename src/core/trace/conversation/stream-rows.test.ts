import { describe, expect, test } from 'vitest';
import { HttpTraceMaker, type MadeStream } from '../../../../test/http-trace-maker.ts';
import { Exchanges } from '../exchanges.ts';
import { Filter } from '../filter.ts';
import type { HeaderLine } from '../format.ts';
import { Conversation } from './conversation.ts';
import type { Row } from './row.ts';

/** The lines of what `make` records; with `stops`, as one sees it who watches and has caught up after those records. */
function rowsOf(make: (maker: HttpTraceMaker) => void, filter = '', stops: readonly number[] = []): Row[] {
  const maker = new HttpTraceMaker();
  make(maker);
  const machine = new Exchanges();
  const conversation = new Conversation(new Filter(filter));
  const rows = maker.events.flatMap((event) => {
    const made = machine.feed(event).flatMap((unit) => conversation.feed(unit));
    return stops.includes(event.n) ? made.concat(conversation.caughtUp()) : made;
  });
  return [...rows, ...machine.end().flatMap((unit) => conversation.feed(unit)), ...conversation.end()];
}

const brief = ({ by, state, subject, outcome, beside = [], marks = [] }: Row): string =>
  [
    by,
    state,
    subject,
    [outcome, ...beside].filter((part) => part !== undefined && part !== '').join(' · '),
    ...marks.map((mark) => `[${mark}]`),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

/** Without the lines that frame the rest. */
const told = (make: (maker: HttpTraceMaker) => void, filter?: string, stops?: readonly number[]): string[] =>
  rowsOf(make, filter, stops)
    .map(brief)
    .filter((line) => !/^trace (?:a client, from|closed)/.test(line));

const json: HeaderLine = ['Content-Type', 'application/json'];
const call = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`;
const answer = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"two"}]}}`;
const listen = '{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen"}';
const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const get = (maker: HttpTraceMaker, target = '/mcp', lines: HeaderLine[] = []) =>
  maker.stream().ask({ method: 'GET', target, lines });

test.each<[string, (maker: HttpTraceMaker) => void, string[]]>([
  ['an exchange says it all', (maker) => maker.post(call(1), answer(1)), ['client ok tools/call add two']],
  [
    'on an event stream too',
    (maker) =>
      maker
        .stream()
        .ask({ body: call(1) })
        .open()
        .event(answer(1))
        .end('server'),
    ['client ok tools/call add two'],
  ],
  ['notifications are accepted', (maker) => maker.post(changed), ['client notifications/tools/list_changed']],
  [
    'another status is told with the answer',
    (maker) =>
      maker
        .stream()
        .ask({ body: call(1) })
        .answer({ status: 201, lines: [json], body: answer(1) }),
    ['client ok tools/call add 201 · two'],
  ],
  [
    'a stream without messages has a line',
    (maker) => get(maker, '/.well-known/oauth-protected-resource/mcp').answer({ status: 404, reason: 'Not Found' }),
    ['client error GET /.well-known/oauth-protected-resource/mcp 404 · 0 bytes'],
  ],
  [
    'with the words of the server where they are its own',
    (maker) => get(maker, '/x').answer({ status: 404, reason: 'Nothing Here' }),
    ['client error GET /x 404 Nothing Here · 0 bytes'],
  ],
  [
    'a message that is refused',
    (maker) =>
      maker
        .stream()
        .ask({ body: call(1) })
        .answer({ status: 403, lines: [json], body: '{"error":"insufficient_scope"}' }),
    ['client error tools/call add 403 · insufficient_scope'],
  ],
  [
    'with an error of JSON-RPC',
    (maker) =>
      maker
        .stream()
        .ask({ body: call(1), lines: [['Mcp-Session-Id', 'abc']] })
        .answer({
          status: 404,
          body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
        }),
    ['client error tools/call add 404 · -32001 Session not found · session abc is unknown there'],
  ],
  [
    'a notification that is refused',
    (maker) =>
      maker
        .stream()
        .ask({ body: changed })
        .answer({ status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}' }),
    ['client error POST /mcp 400 · 66 bytes · -32000 no', 'client notifications/tools/list_changed'],
  ],
  [
    'a redirect',
    (maker) => get(maker, '/old').answer({ status: 308, lines: [['Location', 'https://host/mcp']] }),
    ['client moved GET /old 308 · 0 bytes · to https://host/mcp'],
  ],
  ['not modified', (maker) => get(maker, '/x').answer({ status: 304 }), ['client ok GET /x 304 · 0 bytes']],
  [
    'a challenge',
    (maker) =>
      get(maker).answer({
        status: 401,
        lines: [
          [
            'WWW-Authenticate',
            'Bearer realm="error=no", error="invalid_token", error_description="it \\"expired\\"", scope=a, resource_metadata="https://host/.well-known/x"',
          ],
        ],
      }),
    [
      'client error GET /mcp 401 · 0 bytes · Bearer: error invalid_token, error_description it "expired", scope a, resource_metadata https://host/.well-known/x',
    ],
  ],
  [
    'a bare challenge',
    (maker) => get(maker).answer({ status: 401, lines: [['www-authenticate', 'Basic realm="x"']] }),
    ['client error GET /mcp 401 · 0 bytes · Basic'],
  ],
  [
    'no challenge',
    (maker) => get(maker).answer({ status: 401 }),
    ['client error GET /mcp 401 · 0 bytes · without WWW-Authenticate'],
  ],
  [
    'why it was refused: OAuth',
    (maker) =>
      maker
        .stream()
        .ask({ target: '/token', body: 'code=1' })
        .answer({ status: 400, body: '{"error":"invalid_grant","error_description":"the code\\nhas expired"}' }),
    ['client error POST /token 400 · 69 bytes · invalid_grant: the code has expired'],
  ],
  [
    'a page',
    (maker) => get(maker, '/').answer({ status: 500, body: '<!doctype html><title>Oops\u001b[2J</title>' }),
    ['client error GET / 500 · 38 bytes · Oops\\e[2J'],
  ],
  [
    'problem details',
    (maker) => get(maker, '/').answer({ status: 422, body: '{"title":"Invalid","detail":"no such field"}' }),
    ['client error GET / 422 · 44 bytes · no such field'],
  ],
  [
    'a text',
    (maker) => get(maker, '/').answer({ status: 503, body: 'try\n\nlater' }),
    ['client error GET / 503 · 10 bytes · try later'],
  ],
  [
    'made here',
    (maker) => get(maker, '/').answer({ status: 502, made: true, body: 'no' }),
    ['client error GET / 502 · 2 bytes · no · by wireproof'],
  ],
  [
    'a body that is cut',
    (maker) => {
      const stream = get(maker, '/x').head('server', { version: '1.1', status: 200, lines: [] });
      stream.begin('server').pass('server', 'abc').end('server', 'the server broke off');
    },
    ['client error GET /x 200 · 3 bytes · not whole: the server broke off'],
  ],
  [
    'a request that is cut, and gets nothing',
    (maker) => {
      const stream = maker.stream().head('client', { version: '1.1', method: 'POST', target: '/mcp', lines: [] });
      stream.begin('client').pass('client', '{"json').recorder.breakOff(9, 'the client went away');
    },
    ['client error POST /mcp no response · the client went away'],
  ],
  ['no response before the end', (maker) => get(maker, '/x'), ['client pending GET /x no response so far']],
  [
    'a form of HTTP that is hostile',
    (maker) =>
      maker.stream().ask({ method: 'GET', target: '/\u202e\u0085' }).answer({ status: 200, reason: '\u001b[2J' }),
    ['client ok GET /\\u202e\\x85 200 \\e[2J · 0 bytes'],
  ],
])('%s', (_, make, expected) => {
  expect(told(make)).toEqual(expected);
});

describe('event streams', () => {
  test.each<[string, (maker: HttpTraceMaker) => void, string[]]>([
    [
      'that are open for long have a line when they open and one when they end',
      (maker) => {
        const events = get(maker).open();
        maker.post(call(1), answer(1));
        events.event(changed).event(changed);
        maker.wait(3200);
        events.end('server', 'the client went away');
      },
      [
        'server GET /mcp event stream opens',
        'client ok tools/call add two',
        'server notifications/tools/list_changed',
        'server notifications/tools/list_changed',
        'server GET /mcp event stream, 2 events, ended after 3.2 s: the client went away',
      ],
    ],
    [
      'so has a subscription',
      (maker) => maker.stream().ask({ body: listen }).open().event(changed).end('server'),
      [
        'client pending subscriptions/listen open until its stream ended',
        'server POST /mcp event stream opens',
        'server notifications/tools/list_changed',
        'server POST /mcp event stream, 1 event, ended after 5 ms',
      ],
    ],
    [
      'that resume say where',
      (maker) =>
        get(maker, '/mcp', [['Last-Event-ID', 'e\u00001']])
          .open()
          .end('server'),
      [
        'server GET /mcp event stream opens · resumes behind event e\\x001',
        'server GET /mcp event stream, 0 events, ended after 3 ms',
      ],
    ],
    [
      'that break off before they are whole have a line',
      (maker) =>
        maker
          .stream()
          .ask({ body: call(1) })
          .open()
          .event('', 'e1')
          .end('server', 'the server broke off'),
      [
        'client pending tools/call add no answer so far: the server broke off',
        'server POST /mcp event stream, 1 event, ended after 5 ms: the server broke off',
      ],
    ],
    [
      'that nobody has ended',
      (maker) => get(maker).open(),
      ['server GET /mcp event stream opens', 'server GET /mcp event stream, 0 events, open so far, 2 ms'],
    ],
    [
      'whose first event passed in two forms',
      (maker) => {
        const stream = get(maker, '/sse').open();
        stream.begin('server', { isEventStream: true }, 'server');
        stream.pass('server', 'event: endpoint\ndata: https://host/messages\n\n', 'server');
        stream.end('server', undefined, 'server');
        stream.pass('server', 'event: endpoint\ndata: http://127.0.0.1:7000/messages\n\n').end('server');
      },
      [
        'server GET /sse event stream opens',
        'server event endpoint http://127.0.0.1:7000/messages',
        'server GET /sse event stream, 1 event, ended after 6 ms · URLs mapped',
      ],
    ],
    [
      'what is odd in them',
      (maker) =>
        get(maker)
          .open()
          .pass('server', 'event: endpoint\ndata: /messages\n\n')
          .pass('server', 'data: [DONE\n\n')
          .pass('server', `event: response\ndata: ${answer(1)}\n\n`)
          .pass('server', `data: ${answer(1)}\n`)
          .end('server'),
      [
        'server GET /mcp event stream opens',
        'server event endpoint /messages',
        'server an event that is no message [DONE',
        "server an event named response clients pass over it; named message it would be an answer to the client's request #1",
        `server the last event has no blank line ${`data: ${answer(1)}\n`.length} bytes; clients drop it, with one it would be an answer to the client's request #1: ${answer(1)}`,
        'server GET /mcp event stream, 4 events, ended after 7 ms',
      ],
    ],
  ])('%s', (_, make, expected) => {
    expect(told(make)).toEqual(expected);
  });

  test('as it happens', () => {
    const make = (maker: HttpTraceMaker): void =>
      void maker.stream().ask({ method: 'GET' }).open().event(changed).end('server', 'the client went away');
    expect(told(make, '', [4, 5, 6])).toEqual([
      'server GET /mcp event stream opens',
      'server notifications/tools/list_changed',
      'server GET /mcp event stream, 1 event, ended after 4 ms: the client went away',
    ]);
  });
});

test('what was delivered again has no line', () => {
  const make = (maker: HttpTraceMaker): void => {
    maker
      .stream()
      .ask({ body: call(1) })
      .open()
      .event(changed, 'e1')
      .event(answer(1), 'e2')
      .end('server');
    get(maker, '/mcp', [['Last-Event-ID', 'e0']])
      .open()
      .event(changed, 'e1')
      .event(answer(1), 'e2')
      .end('server');
  };
  expect(told(make).filter((line) => !line.includes('event stream'))).toEqual([
    'client ok tools/call add two',
    'server notifications/tools/list_changed',
  ]);
});

test('sessions, from when they are given to when they are ended', () => {
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
  const session: HeaderLine = ['Mcp-Session-Id', 'abc'];
  const make = (maker: HttpTraceMaker): void => {
    const answered = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s"}}}';
    maker
      .stream()
      .ask({ body: initialize })
      .answer({ lines: [json, session], body: answered });
    maker.post(changed, undefined, { lines: [session] });
    maker
      .stream()
      .ask({ body: call(1), lines: [session] })
      .answer({ lines: [json, session], body: answer(1) });
    maker
      .stream()
      .ask({ method: 'DELETE', lines: [session] })
      .answer();
    maker
      .stream()
      .ask({ method: 'DELETE', lines: [session] })
      .answer({ status: 405 });
  };
  expect(told(make)).toEqual([
    'client ok initialize s, speaks 2025-11-25',
    'trace session abc begins',
    'client notifications/tools/list_changed',
    'client ok tools/call add two',
    'client ok DELETE /mcp 200 · 0 bytes · session abc is over',
    'client error DELETE /mcp 405 · 0 bytes',
  ]);
});

describe('a note that says why a stream failed goes to its line', () => {
  const note = (maker: HttpTraceMaker, isMessage: boolean): void => {
    const stream = maker.stream().ask(isMessage ? { body: call(1) } : { method: 'GET' });
    maker.post(changed);
    stream.note('upstream-failed', 'nobody listens').answer({ status: 502, made: true });
    maker.post(changed);
  };

  test('that has a line of its own', () => {
    expect(told((maker) => note(maker, false))).toEqual([
      'client error GET /mcp 502 · 0 bytes · by wireproof · nobody listens [note 9]',
      'client notifications/tools/list_changed',
      'client notifications/tools/list_changed',
    ]);
  });

  test('or whose message has', () => {
    expect(told((maker) => note(maker, true))).toEqual([
      'client error tools/call add 502 · by wireproof · nobody listens [note 10]',
      'client notifications/tools/list_changed',
      'client notifications/tools/list_changed',
    ]);
  });

  test('where one watches, at its own time', () => {
    expect(told((maker) => note(maker, true), '', [3, 4, 5, 6, 7, 8, 9, 10]).slice(0, 3)).toEqual([
      'client asked tools/call add',
      'client notifications/tools/list_changed',
      'trace upstream-failed: nobody listens',
    ]);
  });
});

test('each line has its connection, but for what is said of all', () => {
  const rows = rowsOf((maker) => {
    maker.post(call(1), answer(1));
    maker.post(call(1), answer(1), { c: 2 });
    maker.recorder.note(99, 'not-http', 'nonsense');
    maker.close();
  });
  expect(rows.map(({ c, subject }) => [c, subject])).toEqual([
    [1, 'a client, from 127.0.0.1'],
    [1, 'tools/call add'],
    [2, 'a client, from 127.0.0.1'],
    [2, 'tools/call add'],
    [undefined, 'closed, told to stop'],
    [undefined, 'not-http: nonsense'],
  ]);
});

describe('a filter', () => {
  const make = (maker: HttpTraceMaker): void => {
    maker.post(call(1), answer(1));
    maker.stream().ask({ target: '/token', body: 'a=b' }).answer({ status: 400, body: 'no' });
    maker.post(call(2), undefined, { c: 2 });
    maker.close();
  };

  test.each([
    [
      'kind:http',
      [
        'client ok POST /mcp 200 · 76 bytes',
        'client error POST /token 400 · 2 bytes · no',
        'client ok POST /mcp 202 · 0 bytes',
      ],
    ],
    ['http:4xx', ['client error POST /token 400 · 2 bytes · no']],
    ['http:202', ['client ok POST /mcp 202 · 0 bytes', 'client pending tools/call add never answered']],
    ['path:/t*', ['client error POST /token 400 · 2 bytes · no']],
    ['path:/mcp', ['client ok tools/call add two', 'client pending tools/call add never answered']],
    ['s:1', ['client ok POST /mcp 200 · 76 bytes', 'client ok tools/call add two']],
    ['c:2', ['client pending tools/call add never answered']],
    ['s:2 http:POST', ['client error POST /token 400 · 2 bytes · no']],
    ['status:error', ['client error POST /token 400 · 2 bytes · no']],
  ])('%s', (words, expected) => {
    expect(told(make, words)).toEqual(expected);
  });
});

const modern = (id: number): string =>
  call(id).replace('"params":{', '"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},');
const gone = 'the client went away';
/** A connection breaks. */
const breaks = (maker: HttpTraceMaker, stream: MadeStream, why = gone): void =>
  stream.recorder.breakOff(++maker.at, why);
const ask = (maker: HttpTraceMaker, body: string): MadeStream => maker.stream().ask({ body });

describe('a call that failed has one line', () => {
  test.each<[string, (maker: HttpTraceMaker) => void, string[]]>([
    [
      'cancelled in the modern era before there is a response',
      (maker) => {
        const stream = ask(maker, modern(1));
        maker.wait(706);
        breaks(maker, stream);
      },
      ['client cancelled tools/call add after 708 ms: the client closed the request'],
    ],
    [
      'or in the middle of it',
      (maker) => breaks(maker, ask(maker, modern(1)).open().event(changed)),
      [
        'client cancelled tools/call add after 4.0 ms: the client closed the request',
        'server notifications/tools/list_changed',
      ],
    ],
    [
      'broken off by the server',
      (maker) => {
        const stream = ask(maker, modern(1)).open();
        breaks(maker, stream.note('upstream-failed', 'it closed the connection'), 'it closed the connection');
      },
      ['client pending tools/call add never answered: it closed the connection [note 6]'],
    ],
    [
      'the same in the legacy era, where it may be answered yet',
      (maker) => {
        breaks(maker, ask(maker, call(1)));
        maker.close();
      },
      ['client pending tools/call add never answered: the client went away'],
    ],
    [
      'refused by wireproof, with the reason once and the status once',
      (maker) => {
        const message = 'wireproof could not get an answer from http://host: nobody listens';
        ask(maker, call(1))
          .note('upstream-failed', 'nobody listens')
          .answer({
            status: 502,
            made: true,
            body: `{"jsonrpc":"2.0","id":1,"error":{"code":502,"message":"${message}"}}`,
          });
      },
      ['client error tools/call add 502 · nobody listens · by wireproof [note 5]'],
    ],
    [
      'a page that says its status again',
      (maker) => get(maker).answer({ status: 404, body: '404 page not found' }),
      ['client error GET /mcp 404 · 18 bytes · page not found'],
    ],
    [
      'sent elsewhere',
      (maker) => ask(maker, call(1)).answer({ status: 307, lines: [['Location', 'https://host/mcp']] }),
      ['client error tools/call add 307 · to https://host/mcp'],
    ],
    [
      'both of a batch',
      (maker) => ask(maker, `[${call(1)},${call(2)}]`).answer({ status: 500, body: 'Oops' }),
      ['client error tools/call add 500 · Oops [in a batch]', 'client error tools/call add 500 · Oops [in a batch]'],
    ],
  ])('%s', (_, make, expected) => {
    expect(told(make)).toEqual(expected);
  });

  test('as it happens', () => {
    const make = (maker: HttpTraceMaker): void => breaks(maker, ask(maker, modern(1)).open().event(changed));
    expect(told(make, '', [4, 5, 6, 7])).toEqual([
      'client asked tools/call add',
      'server notifications/tools/list_changed',
      'client cancelled tools/call add after 4.0 ms: the client closed the request',
    ]);
    const old = (maker: HttpTraceMaker): void => breaks(maker, ask(maker, call(1)));
    expect(told(old, '', [3, 4, 5])).toEqual([
      'client asked tools/call add',
      'client POST /mcp no response · the client went away',
    ]);
  });
});

test('what a row shows is what the filter finds and the facts count', () => {
  const make = (maker: HttpTraceMaker): void => {
    maker.post(call(1), answer(1));
    maker.post(call(2), '{"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[]}}');
    ask(maker, call(3)).note('upstream-failed', 'nobody listens').answer({ status: 502, made: true });
    get(maker, '/x').answer({ status: 404 });
    breaks(maker, get(maker, '/y'));
    breaks(maker, ask(maker, modern(4)));
    breaks(maker, ask(maker, call(5)));
    ask(maker, changed).answer({ status: 400, body: '{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}' });
    ask(maker, changed).open().event('{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"?"}}').end('server');
    maker.close();
  };
  for (const state of ['ok', 'error', 'pending', 'cancelled'] as const) {
    const shown = rowsOf(make).filter((row) => row.state === state);
    expect(rowsOf(make, `status:${state}`)).toEqual(shown);
    if (state !== 'error') continue;
    expect(shown.map(({ subject }) => subject)).toEqual([
      'tools/call add',
      'tools/call add',
      'GET /x',
      'GET /y',
      'POST /mcp',
      'an answer to nothing',
    ]);
    const maker = new HttpTraceMaker();
    make(maker);
    const machine = new Exchanges();
    for (const event of maker.events) machine.feed(event);
    expect(machine.facts.reduce((sum, { errors }) => sum + errors, 0)).toBe(shown.length);
  }
});

describe('lines stand in the order of their times', () => {
  const make = (maker: HttpTraceMaker): void => {
    const events = get(maker).open();
    const slow = get(maker, '/slow');
    const asked = ask(maker, call(1));
    maker.post(call(2), answer(2));
    maker.wait(1000);
    events.note('not-mapped', 'too long').note('upstream-failed', 'it broke off');
    slow.answer({ status: 404 });
    breaks(maker, events, 'it broke off');
    breaks(maker, asked);
    maker.post(call(3), answer(3));
    maker.close();
  };

  test('in a recording that is over', () => {
    const times = rowsOf(make).map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(told(make).find((line) => line.includes('note'))).toMatch(
      /^server GET \/mcp event stream, 0 events, ended after 1\.0 s: it broke off \[note \d+\]$/,
    );
  });

  test.each([
    ['by one who watches', ''],
    ['and who wants only some', 'status:error'],
  ])('%s', (_, filter) => {
    const all = Array.from({ length: 60 }, (__, index) => index + 1);
    const times = rowsOf(make, filter, all).map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});

test('a request without a body is whole, whatever happens then', () => {
  const make = (maker: HttpTraceMaker): void => {
    // As recordings were made that ended the request with the response.
    const stream = maker.stream().head('client', { version: '1.1', method: 'GET', target: '/mcp', lines: [] });
    stream.begin('client').open().event(changed);
    breaks(maker, stream);
  };
  expect(told(make).at(-1)).toBe('server GET /mcp event stream, 1 event, ended after 3 ms: the client went away');
});
