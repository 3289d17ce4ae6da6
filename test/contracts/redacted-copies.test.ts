import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BodyBytes } from '../../src/core/trace/body-bytes.ts';
import { type StreamName, streamNames, type TraceEvent } from '../../src/core/trace/format.ts';
import type { SecretKind } from '../../src/core/trace/redaction/stand-in.ts';
import { StreamBytes } from '../../src/core/trace/stream-bytes.ts';
import { spellings } from '../e2e/support/spellings.ts';
import { HttpTraceMaker } from '../http-trace-maker.ts';
import { fc } from '../properties.ts';
import { copyOf, inParts, readBack, standIns, unitsOf, unnumbered, viewOf } from '../redacted-copies.ts';
import { TraceMaker } from '../trace-maker.ts';

/** What is planted, by the rule that finds it. */
interface Secrets {
  named: string;
  matched: string;
  led: string;
  token: string;
}

/** What passed, and what is to stand in the copy. */
interface Planted {
  passed: Buffer;
  kept: Buffer;
}

const plain = (text: string | Uint8Array): Planted => ({ passed: Buffer.from(text), kept: Buffer.from(text) });
const joined = (parts: readonly Planted[]): Planted => ({
  passed: Buffer.concat(parts.map(({ passed }) => passed)),
  kept: Buffer.concat(parts.map(({ kept }) => kept)),
});
const planted = (secret: string, kind: SecretKind, spell: (text: string) => string = (text) => text): Planted => ({
  passed: Buffer.from(spell(secret)),
  kept: Buffer.from(standIns.text(secret, kind)),
});

// Nothing around a secret has a letter that a secret has.
const someSecret = fc
  .oneof(
    fc.stringMatching(/^[A-Wa-w0-9][A-Wa-w0-9&=;+%"\\/:é€]{6,22}[A-Wa-w0-9]$/),
    fc.uuid(),
    fc.emailAddress().filter((address) => /^\w.{8}/.test(address)),
    fc.webUrl({ withQueryParameters: true }),
  )
  .filter((secret) => !/redacted|invalid|\p{Surrogate}/u.test(secret));
const someSecrets = fc
  .record({ named: someSecret, matched: someSecret, led: someSecret, token: someSecret })
  .filter((secrets) => {
    const all = Object.values(secrets);
    return all.every((one, at) => all.every((other, index) => at === index || !one.includes(other)));
  });
const around = fc.string({
  unit: fc.constantFrom('X', 'Y', 'Z', 'x', 'y', 'z', '☃', 'ß', '!', '\u0085', '😀'),
  maxLength: 12,
});
const someJson = fc.oneof(
  fc.constantFrom('1.0', '[1e2, -0]', '{"X" : "\\u0058\\/"}', 'null'),
  around.map((text) => JSON.stringify(text)),
);

const escaped = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const someSpelling = fc.constantFrom((text: string) => JSON.stringify(text).slice(1, -1), escaped);

// In what is no UTF-8 an expression finds only this.
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** A line, as a function of what is to be hidden in it. */
const someLine: fc.Arbitrary<(secrets: Secrets) => Planted> = fc.oneof(
  fc.tuple(someJson, someJson, someSpelling).map(
    ([one, other, spell]) =>
      ({ named }: Secrets) =>
        joined([
          plain(`{"jsonrpc":"2.0","x":${one}, "pin" : "`),
          planted(named, 'key', spell),
          plain(`" ,"method":${other}}`),
        ]),
  ),
  fc.tuple(someJson, someSpelling).map(
    ([json, spell]) =>
      ({ led }: Secrets) =>
        joined([plain(`{"params":{"way":[${json},"`), planted(led, 'path', spell), plain('"]},"method":"x"}')]),
  ),
  fc.tuple(around, around, someSpelling).map(
    ([before, after, spell]) =>
      ({ matched }: Secrets) =>
        joined([
          plain(`{"jsonrpc":"2.0","result":["${before}`),
          planted(matched, 'value', spell),
          plain(`${after}"]}`),
        ]),
  ),
  fc.tuple(around, around).map(
    ([before, after]) =>
      ({ matched }: Secrets) =>
        joined([plain(`X${before}`), planted(matched, 'value'), plain(after)]),
  ),
  fc.tuple(someJson, someSpelling).map(
    ([json, spell]) =>
      ({ token }: Secrets) =>
        joined([plain(`{"x":${json},"access_token":"`), planted(token, 'token', spell), plain('"}')]),
  ),
  fc.tuple(around, fc.boolean()).map(([after, isJson]) => ({ matched }: Secrets) => {
    const secret = isAscii(matched)
      ? [planted(matched, 'value', (text) => (isJson ? JSON.stringify(text).slice(1, -1) : text))]
      : [];
    return joined([
      plain(isJson ? '{"x":"' : 'X'),
      plain(Uint8Array.of(0xff)),
      ...secret,
      plain(after),
      plain(isJson ? '"}' : ''),
    ]);
  }),
  around.map((text) => () => plain(`Z${text}`)),
  fc.tuple(someJson, someJson).map(
    ([one, other]) =>
      () =>
        plain(`{"jsonrpc":"2.0","result":${one},"x":${other}}`),
  ),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => () => plain(bytes.map((byte) => (byte === 0x0a ? 0xff : byte)))),
);

const someStream = fc.tuple(
  fc.array(fc.tuple(someLine, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 6 }),
  fc.boolean(),
);
const someStreams = fc.record({ client: someStream, server: someStream, stderr: someStream });
const someSteps = fc.infiniteStream(fc.nat(2 ** 24));

const quoted = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$/]/g, '\\$&');
const rulesFor = ({ matched }: Secrets) => ({ keys: ['PIN'], values: [quoted(matched)], paths: ['$.params.way[1]'] });

/** Cuts an item at up to three places. */
const cutsFrom =
  (steps: Iterator<number>) =>
  (body: Buffer): number[] => {
    const next = (): number => steps.next().value as number;
    return Array.from({ length: next() % 4 }, () => next() % (body.length + 1));
  };

/** How many bytes of so many are next. */
const lengthFrom = (step: number, left: number): number =>
  Math.min(left, 1 + ((step >> 6) % ([1, 5, 30, 1000][(step >> 3) % 4] as number)));

function record(streams: Record<StreamName, Planted>, steps: Iterator<number>): Buffer {
  const maker = new TraceMaker();
  const at = { client: 0, server: 0, stderr: 0 };
  const left = (): StreamName[] => streamNames.filter((from) => at[from] < streams[from].passed.length);
  for (let open = left(); open.length > 0; open = left()) {
    const step = steps.next().value as number;
    const from = open[step % open.length] as StreamName;
    const to = at[from] + lengthFrom(step, streams[from].passed.length - at[from]);
    maker.pass(from, streams[from].passed.subarray(at[from], to));
    at[from] = to;
    if ((step >> 12) % 3 === 0) maker.wait([1, 45, 1200][(step >> 14) % 3] as number);
  }
  return maker.close().bytes;
}

const givenBack = (events: readonly TraceEvent[], from: StreamName): Buffer => {
  const stream = new StreamBytes(from);
  return Buffer.concat([...events.flatMap((event) => stream.feed(event)), ...stream.end()]);
};

function expectHidden(copy: Buffer, given: Buffer, secrets: readonly string[]): void {
  const text = copy.toString();
  for (const secret of secrets) {
    for (const spelled of spellings(secret)) expect([spelled, text.includes(spelled)]).toEqual([spelled, false]);
    for (const spelled of [secret, escaped(secret)]) expect(given.includes(spelled)).toBe(false);
  }
}

/** Shown redacted, a trace says what its copy says, and each record but the held ones has its own number. */
function expectSeen(trace: Buffer, rules: ReturnType<typeof rulesFor>, copied: readonly TraceEvent[]): void {
  const { events } = viewOf(trace, rules);
  expect(unnumbered(unitsOf(events))).toEqual(unnumbered(unitsOf(copied)));
  const numbers = (all: readonly TraceEvent[]): number[] =>
    [...new Set(all.filter(({ kind }) => kind !== 'held').map(({ n }) => n))].sort((one, other) => one - other);
  expect(numbers(events)).toEqual(numbers(readBack(trace).events));
}

/** A record that has something replaced names the place, and no other does. */
function expectNamed(events: readonly TraceEvent[], { named, matched, led, token }: Secrets): void {
  const all = [
    standIns.text(named, 'key'),
    standIns.text(matched, 'value'),
    standIns.text(led, 'path'),
    standIns.text(token, 'token'),
  ];
  for (const event of events) {
    if (event.kind !== 'frame') continue;
    const text = Buffer.from(event.bytes).toString();
    expect([text, (event.redacted ?? []).length > 0]).toEqual([text, all.some((standIn) => text.includes(standIn))]);
  }
}

test('a copy of lines has stand-ins where secrets were, and is the same everywhere else', () => {
  fc.assert(
    fc.property(someSecrets, someStreams, someSteps, fc.boolean(), (secrets, made, steps, isInParts) => {
      const streams = Object.fromEntries(
        streamNames.map((from) => {
          const [lines, hasEnd] = made[from];
          const parts = lines.flatMap(([line, end], index) => [
            line(secrets),
            plain(index < lines.length - 1 || hasEnd ? end : ''),
          ]);
          return [from, joined(parts)];
        }),
      ) as Record<StreamName, Planted>;
      const recorded = record(streams, steps);
      const trace = isInParts ? inParts(recorded, cutsFrom(steps)) : recorded;
      expect(readBack(trace).verification.gaps).toEqual([]);
      const { bytes } = copyOf(trace, rulesFor(secrets));
      const { events, verification } = readBack(bytes);
      expect(verification.gaps).toEqual([]);
      for (const from of streamNames) {
        expect(givenBack(events, from).toString('latin1')).toBe(streams[from].kept.toString('latin1'));
        expect(verification.streams[from]).toEqual({
          bytes: streams[from].kept.length,
          proven: streams[from].kept.length,
          lost: 0,
        });
      }
      expect(events.some(({ kind }) => kind === 'held')).toBe(false);
      if (!isInParts) expectNamed(events, secrets);
      expectHidden(bytes, Buffer.concat(streamNames.map((from) => givenBack(events, from))), Object.values(secrets));
      expect(copyOf(bytes, rulesFor(secrets)).bytes.equals(bytes)).toBe(true);
      expectSeen(trace, rulesFor(secrets), events);
      expect(copyOf(trace, rulesFor(secrets), { chunk: 7 }).bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

/** A body on HTTP, and what is said around it. */
interface PlantedBody {
  target?: Planted;
  lines: readonly (readonly [string, Planted])[];
  type: string;
  body: Planted;
  isCompressed?: boolean;
}

const form = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2);
/** A value in a form or a query goes out anew, however it was spelled. */
const parameter = (secret: string, kind: SecretKind, spell: (text: string) => string): Planted => ({
  passed: Buffer.from(spell(secret)),
  kept: Buffer.from(encodeURIComponent(standIns.text(secret, kind))),
});

const someEvent: fc.Arbitrary<(secrets: Secrets) => Planted> = fc.oneof(
  fc.tuple(someJson, someSpelling, fc.constantFrom('\n', '\r\n', '\r')).map(
    ([json, spell, end]) =>
      ({ named }: Secrets) =>
        joined([
          plain(`id: 7${end}event: message${end}data: {"jsonrpc":"2.0","x":${json},"pin":"`),
          planted(named, 'key', spell),
          plain(`"}${end}${end}`),
        ]),
  ),
  fc.tuple(someJson, someSpelling).map(
    ([json, spell]) =>
      ({ led }: Secrets) =>
        joined([
          plain(`data: {"params":{"way":[${json},\ndata:  "`),
          planted(led, 'path', spell),
          plain('"]\ndata: }}\n\n'),
        ]),
  ),
  fc.tuple(around, fc.constantFrom('id: ', ': ', 'retry:', 'unknown: ', '', 'data: X')).map(
    ([after, field]) =>
      ({ matched }: Secrets) =>
        matched.includes(':') && field === ''
          ? plain(`: ${after}\n\n`)
          : joined([plain(field), planted(matched, 'value'), plain(`${after}\n\n`)]),
  ),
  around.map((text) => () => plain(`: ${text}\n\n`)),
  fc.constant(({ token }: Secrets) =>
    joined([
      plain('event: endpoint\ndata: /messages?sessionId='),
      parameter(token, 'session', encodeURIComponent),
      plain('\n\n'),
    ]),
  ),
);

const cookieSafe = (text: string): string => text.replaceAll(/[;"]/g, '');

const someJsonBody = fc
  .tuple(someLine, fc.boolean())
  .map(([line, isCompressed]) => (secrets: Secrets): PlantedBody => ({
    lines: [['Authorization', joined([plain('Bearer '), planted(secrets.token, 'token')])]],
    type: 'application/json',
    body: line(secrets),
    isCompressed,
  }));

const someForm = fc
  .tuple(around, fc.constantFrom(form, encodeURIComponent))
  .map(([text, spell]) => (secrets: Secrets): PlantedBody => ({
    target: joined([
      plain(`/token?x=${encodeURIComponent(text)}&id_token_hint=`),
      parameter(secrets.token, 'token', spell),
    ]),
    lines: [['Cookie', joined([plain('a='), planted(cookieSafe(secrets.token), 'cookie'), plain('; b=')])]],
    type: 'application/x-www-form-urlencoded',
    body: joined([
      plain(`x=${form(text)}&client_secret=`),
      parameter(secrets.token, 'secret', spell),
      plain('&pin='),
      parameter(secrets.named, 'key', spell),
      plain('&y='),
      parameter(secrets.matched, 'value', spell),
    ]),
  }));

const someMislabelled = fc.oneof(
  fc
    .tuple(someForm, fc.constantFrom('application/json', 'text/plain', 'multipart/form-data', ''))
    .map(([made, type]) => (secrets: Secrets): PlantedBody => ({ ...made(secrets), type })),
  fc
    .tuple(someJson, someSpelling, fc.constantFrom('application/x-www-form-urlencoded', 'text/plain', ''))
    .map(([json, spell, type]) => ({ token, named, matched }: Secrets): PlantedBody => ({
      target: plain('/token'),
      lines: [],
      type,
      body: joined([
        plain(`{"x":${json},"client_secret":"`),
        planted(token, 'secret', spell),
        plain('","pin":"'),
        planted(named, 'key', spell),
        plain('"}\n{"y":"X'),
        ...(isAscii(matched) ? [planted(matched, 'value', spell)] : []),
        plain('"}\n'),
      ]),
    })),
);

const someMultipart = fc
  .tuple(around, someSpelling, fc.constantFrom('multipart/form-data; boundary=XyZ', ''))
  .map(([text, spell, type]) => ({ token, named, matched }: Secrets): PlantedBody => ({
    target: plain('/upload'),
    lines: [],
    type,
    body: joined([
      plain('--XyZ\r\nContent-Disposition: form-data; name="zz"\r\n\r\n'),
      planted(matched, 'value'),
      plain(`${text}\r\n--XyZ\r\nContent-Disposition: form-data; name="client_secret"\r\n\r\n`),
      planted(token, 'secret'),
      plain('\r\n--XyZ\r\nContent-Disposition: form-data; name="pin"\r\n\r\n'),
      planted(named, 'key'),
      plain('\r\n--XyZ\r\nContent-Disposition: form-data; name="y"\r\nContent-Type: text/plain\r\n\r\n{"pin":"'),
      planted(named, 'key', spell),
      plain('"}\r\n--XyZ--\r\n'),
    ]),
  }));

const someEvents = fc
  .tuple(fc.array(someEvent, { maxLength: 4 }), fc.boolean())
  .map(([events, isCompressed]) => (secrets: Secrets): PlantedBody => ({
    lines: secrets.matched.includes('://')
      ? []
      : [['X-Thing', joined([plain('X'), planted(secrets.matched, 'value')])]],
    type: 'text/event-stream',
    body: joined(events.map((event) => event(secrets))),
    isCompressed,
  }));

const someExchange = fc.tuple(
  fc.oneof(someJsonBody, someForm, someMislabelled, someMultipart, someEvents),
  fc.oneof(someJsonBody, someEvents),
);

const sent = ({ body, isCompressed }: PlantedBody): Buffer => (isCompressed ? gzipSync(body.passed) : body.passed);
/** A body in which something was replaced stands without its encoding. */
const keptOf = (planted: PlantedBody): Buffer =>
  planted.body.passed.equals(planted.body.kept) ? sent(planted) : planted.body.kept;

/** Records bodies of the client and of the server in turn, cut anywhere and all at once. */
function recordHttp(bodies: readonly PlantedBody[], trailer: string, steps: Iterator<number>): Buffer {
  const maker = new HttpTraceMaker();
  const passing = bodies.map((planted, index) => {
    const from = index % 2 === 0 ? ('client' as const) : ('server' as const);
    return { from, planted, bytes: sent(planted), at: 0 };
  });
  const streams = bodies.flatMap((_, index) => (index % 2 === 0 ? [maker.stream()] : []));
  const streamOf = (one: (typeof passing)[number]) => streams[passing.indexOf(one) >> 1] as (typeof streams)[number];
  for (const one of passing) {
    const { lines, target, type, isCompressed } = one.planted;
    const coding = isCompressed ? ([['Content-Encoding', 'gzip']] as const) : [];
    const all = [
      ...lines.map(([name, { passed }]) => [name, passed.toString()] as const),
      ['Content-Type', type] as const,
      ...coding,
    ];
    const asked = { version: '1.1', method: 'POST', target: target?.passed.toString() ?? '/mcp', lines: all };
    streamOf(one).head(one.from, one.from === 'client' ? asked : { version: '1.1', status: 200, lines: all });
    streamOf(one).begin(one.from, { isEventStream: type === 'text/event-stream' && !isCompressed });
  }
  for (let open = passing; open.length > 0; open = open.filter(({ at }) => at >= 0)) {
    const step = steps.next().value as number;
    const one = open[step % open.length] as (typeof open)[number];
    const to = one.at + lengthFrom(step, one.bytes.length - one.at);
    if (to > one.at) streamOf(one).pass(one.from, one.bytes.subarray(one.at, to));
    one.at = to;
    if (to === one.bytes.length) {
      streamOf(one).recorder.trailers(++maker.at, one.from, [['X-Token', trailer]]);
      streamOf(one).end(one.from);
      one.at = -1;
    }
    if ((step >> 12) % 3 === 0) maker.wait([1, 45, 1200][(step >> 14) % 3] as number);
  }
  return maker.close().bytes;
}

test('a copy of a recording of HTTP does so too, in heads and bodies and events', () => {
  const exchanges = fc.array(someExchange, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(someSecrets, exchanges, someSteps, fc.boolean(), (secrets, made, steps, isInParts) => {
      const bodies = made.flat().map((body) => body(secrets));
      const recorded = recordHttp(bodies, secrets.token, steps);
      const trace = isInParts ? inParts(recorded, cutsFrom(steps)) : recorded;
      expect(readBack(trace).verification.gaps).toEqual([]);
      const { bytes } = copyOf(trace, rulesFor(secrets));
      const { events, verification } = readBack(bytes);
      expect(verification.gaps).toEqual([]);
      const given = bodies.map((_, index) => {
        const from = index % 2 === 0 ? 'client' : 'server';
        const wanted = new BodyBytes({ from, stream: (index >> 1) + 1, leg: 'client' });
        return Buffer.concat([...events.flatMap((event) => wanted.feed(event)), ...wanted.end()]);
      });
      const heads = events.flatMap((event) => (event.kind === 'head' ? [event.head] : []));
      for (const [index, planted] of bodies.entries()) {
        expect(given[index]?.toString('latin1')).toBe(keptOf(planted).toString('latin1'));
        if (planted.target) expect(heads[index]?.target).toBe(planted.target.kept.toString());
        for (const [name, { kept }] of planted.lines)
          expect(heads[index]?.lines).toContainEqual([name, kept.toString()]);
      }
      expectHidden(bytes, Buffer.concat(given), Object.values(secrets));
      expect(copyOf(bytes, rulesFor(secrets)).bytes.equals(bytes)).toBe(true);
      expectSeen(trace, rulesFor(secrets), events);
    }),
    { numRuns: 150 },
  );
});

describe('whatever is matched', () => {
  const part = fc.constantFrom(
    'a',
    '\\w',
    '.',
    '[0-9a-f]',
    '\\d',
    'x|y',
    '(?:a|b)',
    ' ',
    '\\n',
    '(?s).',
    ':',
    'data',
    '"',
    '\\{',
  );
  const count = fc.constantFrom('', '+', '{2}', '+?', '{1,3}');
  const someExpression = fc
    .array(fc.tuple(part, count), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([what, often]) => `(?:${what})${often}`).join(''));
  // A number that was replaced cannot be told from one that was not.
  const somePiece = fc.oneof(
    fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\ufeff',
      'data: ',
      'data:',
      'id: x\n',
      ': hi\n\n',
      'a=b&x=y%20ab',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
      '--x--',
      '{"a',
      '"',
    ),
    fc.constantFrom(
      'event: endpoint\ndata: /x?a=b\n\n',
      '{"jsonrpc":"2.0","id":"x","method":"ping"}',
      ' {"a":\n"xy" } ',
      '[]',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/\d/g, 'q')),
  );
  const someBytes = fc.array(somePiece, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join('')));
  const someType = fc.constantFrom(
    'application/json',
    'text/event-stream',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  );

  function expectStable(trace: Buffer, values: string[]): void {
    const { bytes, copied } = copyOf(trace, { values });
    for (const line of bytes.toString().split('\n').slice(0, -1)) JSON.parse(line);
    expect(readBack(bytes).verification.gaps).toEqual([]);
    expect(copied.gaps).toEqual([]);
    expect(copyOf(bytes, { values }).bytes.toString()).toBe(bytes.toString());
  }

  test('a copy of lines is proven, and a copy of it is the same', () => {
    fc.assert(
      fc.property(someExpression, someBytes, someSteps, (expression, bytes, steps) => {
        const streams = { client: plain(bytes), server: plain(''), stderr: plain(bytes) };
        const trace = record(streams, steps);
        expectStable(trace, [expression]);
        expectStable(inParts(trace, cutsFrom(steps)), [expression]);
      }),
      { numRuns: 150 },
    );
  });

  test('so is one of bodies', () => {
    fc.assert(
      fc.property(someExpression, someBytes, someType, someSteps, (expression, bytes, type, steps) => {
        const trace = recordHttp([{ lines: [], type, body: plain(bytes) }], 'ab', steps);
        expectStable(trace, [expression]);
        expectStable(inParts(trace, cutsFrom(steps)), [expression]);
      }),
      { numRuns: 150 },
    );
  });
});
