import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { HttpTraceMaker, someHttpHeader } from '../../../../test/http-trace-maker.ts';
import { copyOf, inParts, readBack, standIns, viewOf } from '../../../../test/redacted-copies.ts';
import { someHeader, TraceMaker } from '../../../../test/trace-maker.ts';
import type { FrameEvent, StreamName, TraceEvent } from '../format.ts';
import { StreamBytes } from '../stream-bytes.ts';
import type { RedactionRules } from './rules.ts';

type Rules = Partial<RedactionRules>;

const linesOf = (bytes: Buffer): string[] => bytes.toString().split('\n').slice(0, -1);
const withoutNumbers = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^\{"n":\d+,/, '{'));
const gapsOf = (bytes: Buffer): string[] => readBack(bytes).verification.gaps.map(({ kind }) => kind);
const framesOf = (bytes: Buffer): FrameEvent[] =>
  readBack(bytes).events.filter((event): event is FrameEvent => event.kind === 'frame');

function given(bytes: Buffer, from: StreamName = 'server'): string {
  const stream = new StreamBytes(from);
  return Buffer.concat([...readBack(bytes).events.flatMap((event) => stream.feed(event)), ...stream.end()]).toString();
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const withPin = (pin: string): string => `{"jsonrpc":"2.0","id":1,"result":{"a":"x","pin":${pin},"b":"y"}}`;

describe('of lines', () => {
  const recorded = (): TraceMaker =>
    new TraceMaker({ header: { label: 'one' } })
      .pass('client', `${ping}\r\n`)
      .pass('server', 'hello \u0001é\n')
      .pass('server', Uint8Array.of(0xff, 0x0a))
      .pass('stderr', 'ready\n')
      .wait(1200)
      .pass('server', '{"id":')
      .wait(50)
      .pass('server', '1}\n')
      .pass('client', 'no newline');

  test('where nothing has to be replaced, it is the recording with a note, and without what is held', () => {
    const { lines, bytes } = recorded().close();
    const copy = linesOf(copyOf(bytes).bytes);
    expect(JSON.parse(copy[0] as string)).toEqual({ ...someHeader, label: 'one', pid: undefined });
    expect(copy[1]).toBe(
      '{"n":1,"at":0.000,"c":1,"note":{"kind":"redacted","text":"a copy: replaced are the secrets of HTTP and OAuth; the sums are its own"}}',
    );
    const kept = lines.slice(1).filter((line) => !line.includes('"held"'));
    expect(lines.length - 1 - kept.length).toBe(1);
    expect(withoutNumbers(copy.slice(2))).toEqual(withoutNumbers(kept));
    expect(gapsOf(Buffer.from(copy.map((line) => `${line}\n`).join('')))).toEqual([]);
  });

  test.each<[Rules, string]>([
    [{}, 'replaced are the secrets of HTTP and OAuth'],
    [{ secrets: false }, 'nothing was replaced'],
    [
      { secrets: false, keys: ['Pin', 'b'], values: ['s3cr3t'], paths: ['$.a', "$[?@.b == 's3cr3t']"] },
      'replaced are what is named b, pin, what 1 expression matches, what 2 paths lead to',
    ],
  ])('the note says by which rules, and gives nothing away: %j', (rules, words) => {
    const [note] = readBack(copyOf(recorded().close().bytes, rules).bytes).events;
    expect(note).toMatchObject({ kind: 'note', note: 'redacted', text: `a copy: ${words}; the sums are its own` });
  });

  test.each<[string, Rules, string, string, string[]]>([
    ['a member', { keys: ['pin'] }, withPin('"s3"'), withPin(`"${standIns.text('s3', 'key')}"`), ['/result/pin']],
    ['a number', { keys: ['pin'] }, withPin('1234'), withPin(standIns.number('1234')), ['/result/pin']],
    ['text', { values: ['s\\d'] }, 'log s3', `log ${standIns.text('s3', 'value')}`, ['text']],
    ['faulty JSON', { keys: ['pin'] }, '{"pin":"s3', `{"pin":"${standIns.text('s3', 'key')}`, ['/pin']],
    ['a lone JSON text', { values: ['s3'] }, '"\\u00733"', `"${standIns.text('s3', 'value')}"`, ['']],
    [
      'a secret of OAuth',
      {},
      '{"access_token":"s3"}',
      `{"access_token":"${standIns.text('s3', 'token')}"}`,
      ['/access_token'],
    ],
    ['the same in a message', {}, '{"jsonrpc":"2.0","access_token":"s3"}', '{"jsonrpc":"2.0","access_token":"s3"}', []],
    ['JSON, once it is redacted', { keys: ['pin'] }, '{"pin":s3}', `{"pin":"${standIns.text('s3', 'key')}"}`, ['/pin']],
  ])('%s', (_, rules, line, kept, redacted) => {
    for (const from of ['client', 'server', 'stderr'] as const) {
      const { bytes } = new TraceMaker().pass(from, `${line}\r\n`).close();
      const copy = copyOf(bytes, rules).bytes;
      expect(given(copy, from)).toBe(`${kept}\r\n`);
      const [frame] = framesOf(copy);
      const isJson = from !== 'stderr' && kept.startsWith('{') && kept.endsWith('}');
      expect(frame).toMatchObject({
        eol: '\r\n',
        form: isJson || (from !== 'stderr' && kept.startsWith('"')) ? 'msg' : 'text',
      });
      expect(frame?.redacted ?? []).toEqual(redacted);
      expect(gapsOf(copy)).toEqual([]);
      expect(copyOf(copy, rules).bytes.equals(copy)).toBe(true);
    }
  });

  test('redacted again by other rules it names the places of both, and has both notes', () => {
    const { bytes } = new TraceMaker().pass('server', '{"a":1,"pin":"s3","c":"s4"}\n').close();
    const first = copyOf(bytes, { keys: ['pin', 'a'] });
    const second = copyOf(first.bytes, { keys: ['c', 'a'] });
    expect(first.copied).toMatchObject({ replaced: 1, isClosed: true, gaps: [] });
    expect(framesOf(second.bytes)[0]?.redacted).toEqual(['/a', '/pin', '/c']);
    expect(given(second.bytes)).toBe(
      `{"a":${standIns.number('1')},"pin":"${standIns.text('s3', 'key')}","c":"${standIns.text('s4', 'key')}"}\n`,
    );
    expect(readBack(second.bytes).events.filter(({ kind }) => kind === 'note').length).toBe(2);
    expect(copyOf(second.bytes, { keys: ['c', 'a'] }).bytes.equals(second.bytes)).toBe(true);
  });

  test('what the first line and other records say', () => {
    const maker = new TraceMaker({
      header: {
        label: 'of s3',
        cwd: '/home/s3',
        command: ['node', '--pin=1234', '--pin', '5678', 'https://host/?pin=9012', 's3', '--token=<secret>'],
      },
    }).pass('client', `${ping}\n`);
    maker.recorder.note(3, 'signal', 'SIGTERM sent to s3');
    const { bytes } = maker.close({ error: 'Could not start s3', why: 's3 left' });
    const rules = { keys: ['pin'], values: ['s3'] };
    const copy = copyOf(bytes, rules).bytes;
    const hidden = standIns.text('s3', 'value');
    expect(JSON.parse(linesOf(copy)[0] as string)).toMatchObject({
      label: `of ${hidden}`,
      cwd: `/home/${hidden}`,
      command: [
        'node',
        `--pin=${standIns.text('1234', 'key')}`,
        '--pin',
        standIns.text('5678', 'key'),
        `https://host/?pin=${standIns.text('9012', 'key')}`,
        hidden,
        '--token=<secret>',
      ],
    });
    const { events } = readBack(copy);
    expect(events.find((event) => event.kind === 'note' && event.note === 'signal')).toMatchObject({
      text: `SIGTERM sent to ${hidden}`,
      redacted: ['text'],
    });
    expect(events.at(-1)).toMatchObject({
      kind: 'closed',
      closed: { error: `Could not start ${hidden}`, why: `${hidden} left` },
      redacted: ['text'],
    });
    expect(copyOf(copy, rules).bytes.equals(copy)).toBe(true);
  });

  test('a record of a kind that nobody knows is left out', () => {
    const { lines } = new TraceMaker().pass('client', `${ping}\n`).close();
    const trace = lines
      .toSpliced(3, 0, '{"n":3,"at":1.000,"c":1,"omen":"s3"}')
      .map((line, index) => (index > 3 ? line.replace(/"n":(\d+)/, (_, n) => `"n":${Number(n) + 1}`) : line));
    const bytes = Buffer.from(trace.map((line) => `${line}\n`).join(''));
    expect(gapsOf(bytes)).toEqual([]);
    expect(copyOf(bytes).bytes.toString()).not.toContain('omen');
    expect(gapsOf(copyOf(bytes).bytes)).toEqual([]);
  });
});

describe('of one that is not complete', () => {
  const recorded = (): TraceMaker =>
    new TraceMaker()
      .pass('client', `${ping}\n`)
      .pass('server', `${withPin('"s3"')}\n`)
      .wait(1200);

  test('it breaks off where the recording does, and keeps what was held then', () => {
    const { bytes } = recorded().pass('server', '{"pin":"s4').wait(50).pass('server', '","b":').wait(50);
    const { bytes: copy, copied } = copyOf(bytes, { keys: ['pin'] });
    expect(copied).toEqual({ replaced: 2, isClosed: false, gaps: [] });
    expect(given(copy)).toBe(
      `${withPin(`"${standIns.text('s3', 'key')}"`)}\n{"pin":"${standIns.text('s4', 'key')}","b":`,
    );
    expect(readBack(copy).events.at(-1)).toMatchObject({ kind: 'held', offset: 0, redacted: ['/pin'] });
    expect(gapsOf(copy)).toEqual(['cut-off']);
    expect(copyOf(copy, { keys: ['pin'] }).bytes.equals(copy)).toBe(true);
  });

  test('wherever it breaks off', () => {
    const { bytes } = recorded().pass('server', '{"pin":"s4').wait(50).pass('server', '"}\n').close();
    for (let end = bytes.indexOf('\n') + 1; end < bytes.length; end += 7) {
      const part = bytes.subarray(0, end);
      const { bytes: copy, copied } = copyOf(part, { keys: ['pin'] });
      expect(copied).toMatchObject({ isClosed: false, gaps: [] });
      expect(gapsOf(copy)).toEqual(['cut-off']);
      expect(copy.toString()).not.toMatch(/s[34]/);
    }
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    ['a byte that was changed', (lines) => lines.map((line) => line.replace('"a":"x"', '"a":"z"')), 'differs'],
    ['a record that is missing', (lines) => lines.toSpliced(2, 1), 'record-missing'],
    ['a line that is damaged', (lines) => lines.with(2, 'rubbish'), 'damaged'],
    [
      'records in another order',
      (lines) => lines.toSpliced(2, 2, lines[3] as string, lines[2] as string),
      'record-out-of-place',
    ],
    [
      'a record behind its end',
      (lines) => [...lines, (lines.at(-2) as string).replace(/"n":\d+/, `"n":${lines.length}`)],
      'record-out-of-place',
    ],
    ['another recording behind it', (lines) => [...lines, ...lines], 'appended'],
    [
      'no sums',
      (lines) =>
        lines
          .filter((line) => !line.includes('"sums"'))
          .map((line, n) => (n === 0 ? line : line.replace(/"n":\d+/, `"n":${n}`))),
      'unproven',
    ],
  ])('%s: the copy is not complete either, and says why', (_, change, kind) => {
    const bytes = Buffer.from(
      change(recorded().close().lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(gapsOf(bytes)).toContain(kind);
    const { bytes: copy, copied } = copyOf(bytes, { keys: ['pin'] });
    expect(copied.gaps.map((gap) => gap.kind)).toContain(kind);
    expect(gapsOf(copy)).toContain('record-missing');
    const { events, verification } = readBack(copy);
    expect(events.at(-2)).toMatchObject({
      kind: 'note',
      note: 'incomplete',
      text: expect.stringContaining('not complete: ') as string,
    });
    expect(verification.closed).toBeDefined();
    expect(copy.toString()).not.toContain('s3');
  });

  test('what was lost is lost in it too', () => {
    const maker = new TraceMaker({ budget: 1500 });
    for (let count = 0; count < 30; count++) maker.pass('server', `${withPin('"s3"')}\n`);
    const { bytes } = maker.store().wait(10).pass('server', `${ping}\n`).close();
    expect(gapsOf(bytes)).toEqual(['lost']);
    const { bytes: copy, copied } = copyOf(bytes, { keys: ['pin'] });
    expect(copied.gaps).toEqual([]);
    expect(gapsOf(copy)).toEqual(['lost']);
    expect(copy.toString()).not.toContain('s3');
  });
});

describe('of long lines', () => {
  const secret = 'a secret that is quite long';
  const hidden = standIns.text(secret, 'key');
  const line = (pin: string, text = 'y'.repeat(3000)): string =>
    `{"jsonrpc":"2.0","id":1,"result":{"x":"${text}","pin":"${pin}","z":"${text}"}}`;
  const recorded = inParts(
    new TraceMaker()
      .pass('server', `${line(secret)}\r\n`)
      .pass('server', `${ping}\n`)
      .close().bytes,
    (body) => (body.length > 100 ? [1000, 2000, 3050, 4000, 5000] : []),
  );
  const keys = { keys: ['pin'] };

  test('a secret that is cut in two is found, and what is short enough then is one record', () => {
    const { bytes: copy } = copyOf(recorded, keys);
    expect(given(copy)).toBe(`${line(hidden)}\r\n${ping}\n`);
    const frames = framesOf(copy);
    expect(frames.map(({ part, form, redacted }) => [part, form, redacted])).toEqual([
      [undefined, 'msg', ['/result/pin']],
      [undefined, 'msg', undefined],
    ]);
    expect(gapsOf(copy)).toEqual([]);
  });

  test('one that is longer than a record stays in parts, each with its time', () => {
    const maker = new TraceMaker();
    const long = Buffer.from(`${line(secret, 'é'.repeat(2_200_000))}\n`);
    for (let at = 0; at < long.length; at += 60_000) maker.pass('server', long.subarray(at, at + 60_000)).store();
    const { bytes } = maker.close();
    const before = framesOf(bytes);
    const { bytes: copy } = copyOf(bytes, keys);
    const after = framesOf(copy);
    expect(after.map(({ part, at, since, last }) => [part, at, since, last])).toEqual(
      before.map(({ part, at, since, last }) => [part, at, since, last]),
    );
    expect(after[0]?.redacted).toEqual(['/result/pin']);
    expect(after.slice(1).some(({ redacted }) => redacted !== undefined)).toBe(false);
    expect(given(copy)).toBe(long.toString().replace(secret, hidden));
    expect(gapsOf(copy)).toEqual([]);
    expect(copyOf(copy, keys).bytes.equals(copy)).toBe(true);
    expect(copyOf(bytes).bytes.equals(copyOf(copyOf(bytes).bytes).bytes)).toBe(true);
  });

  test('one that becomes longer than a record is put into parts', () => {
    const { bytes } = new TraceMaker().pass('server', `{"pin":["a"${',"a"'.repeat(350_000)}]}\r\n`).close();
    const { bytes: copy } = copyOf(bytes, keys);
    const frames = framesOf(copy);
    expect(frames.length).toBeGreaterThan(2);
    expect(frames.map(({ part }) => part)).toEqual(frames.map((_, index) => index + 1));
    const small = standIns.text('a', 'key');
    expect(given(copy)).toBe(`{"pin":["${small}"${`,"${small}"`.repeat(350_000)}]}\r\n`);
    expect(gapsOf(copy)).toEqual([]);
    expect(copyOf(copy, keys).bytes.equals(copy)).toBe(true);
  });

  test('one that is too long to be put together is replaced whole, if the user has rules', () => {
    const { bytes: copy, copied } = copyOf(recorded, keys, { mostGathered: 4500 });
    expect(given(copy)).toMatch(/^redacted-value-[0-9a-f]{16}\r\n\{"jsonrpc":"2\.0","id":1,"method":"ping"\}\n$/);
    expect(framesOf(copy)[0]?.redacted).toEqual(['']);
    expect(copied.replaced).toBe(1);
    expect(gapsOf(copy)).toEqual([]);
    expect(copyOf(copy, keys, { mostGathered: 4500 }).bytes.equals(copy)).toBe(true);
  });

  test('without rules of the user it stays, but where it carries a secret of OAuth', () => {
    expect(given(copyOf(recorded, {}, { mostGathered: 4500 }).bytes)).toBe(`${line(secret)}\r\n${ping}\n`);
    const body = `{"access_token":"${secret}","x":"${'y'.repeat(5000)}"}`;
    const trace = inParts(new TraceMaker().pass('server', `${body}\n`).close().bytes, () => [1000, 2000, 3000]);
    const { bytes: copy } = copyOf(trace, {}, { mostGathered: 2500 });
    expect(given(copy)).toMatch(/^redacted-value-[0-9a-f]{16}\n$/);
    expect(gapsOf(copy)).toEqual([]);
  });

  test.each<[string, Rules]>([
    ['names', keys],
    ['paths', { paths: ['$.result.pin'] }],
    ['expressions', { values: [secret] }],
  ])('a part that is missing: what follows is looked through as well as can be, by %s', (_, rules) => {
    const lines = linesOf(recorded);
    const begins = lines.findIndex((one) => one.includes('"part":1'));
    const lost = '{"n":2,"at":1.000,"c":1,"lost":{"from":"server","bytes":1000,"why":"store full"}}';
    const bytes = Buffer.from(
      lines
        .with(begins, lost)
        .map((one) => `${one}\n`)
        .join(''),
    );
    const { bytes: copy, copied } = copyOf(bytes, rules);
    expect(copied.gaps).toEqual([]);
    expect(gapsOf(copy)).toEqual(['lost']);
    expect(given(copy)).not.toContain(secret);
    expect(given(copy).endsWith(`\r\n${ping}\n`)).toBe(true);
    expect(copyOf(copy, rules).bytes.equals(copy)).toBe(true);
  });

  test('one that is cut off', () => {
    const lines = linesOf(recorded);
    const third = lines.findIndex((one) => one.includes('"part":3'));
    const cut = Buffer.from(
      lines
        .slice(0, third + 1)
        .map((one) => `${one}\n`)
        .join(''),
    );
    const { bytes: copy } = copyOf(cut, keys);
    expect(given(copy)).toMatch(/"pin":"redacted-key-[0-9a-f]{16}/);
    expect(given(copy)).not.toContain('a secret');
    expect(framesOf(copy).map(({ part, last }) => [part, last])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
    ]);
    expect(gapsOf(copy)).toEqual(['cut-off']);
  });
});

describe('of HTTP', () => {
  const json = [['Content-Type', 'application/json']] as const;

  test('heads, targets, trailers and the first line', () => {
    const maker = new HttpTraceMaker({ to: 'https://me:pw@host/mcp?token=s3' });
    const stream = maker.stream().ask({ target: '/cb?code=s3', lines: [['Authorization', 'Bearer s3']] });
    stream.recorder.trailers(++maker.at, 'client', [['X-Token', 's3']]);
    stream.answer({ status: 200, reason: 'OK', lines: [['Set-Cookie', 'a=s3; Path=/']] });
    const { bytes } = maker.close();
    const { bytes: copy, copied } = copyOf(bytes);
    const token = standIns.text('s3', 'token');
    expect(JSON.parse(linesOf(copy)[0] as string)).toEqual({
      ...someHttpHeader,
      pid: undefined,
      to: `https://${standIns.text('me:pw', 'secret')}@host/mcp?token=${token}`,
    });
    const { events, verification } = readBack(copy);
    expect(events.filter(({ kind }) => kind === 'head' || kind === 'trailers')).toMatchObject([
      {
        redacted: ['query:code', 'header:Authorization'],
        head: { target: `/cb?code=${standIns.text('s3', 'code')}`, lines: [{}, ['Authorization', `Bearer ${token}`]] },
      },
      { redacted: ['header:X-Token'], trailers: [['X-Token', standIns.text('s3', 'secret')]] },
      {
        redacted: ['header:Set-Cookie'],
        head: { reason: 'OK', lines: [['Set-Cookie', `a=${standIns.text('s3', 'cookie')}; Path=/`]] },
      },
    ]);
    expect(verification.gaps).toEqual([]);
    expect(copied.replaced).toBe(3);
    expect(copyOf(copy).bytes.equals(copy)).toBe(true);
  });

  test('of a body in which something is replaced it says what passed; where that is said already, it stays', () => {
    const redact = () => ({
      bytes: Buffer.from(`{"access_token":"${standIns.text('s3', 'token')}"}`),
      redacted: ['/access_token'],
    });
    const body = '{"access_token":"s3"}';
    const ends = (bytes: Buffer): TraceEvent[] => readBack(bytes).events.filter(({ kind }) => kind === 'streamEnded');
    const saidAtEnds = (bytes: Buffer): unknown[] => ends(bytes).map((end) => Object.assign(end, { n: 0 }));
    const record = (own?: typeof redact): Buffer => {
      const maker = new HttpTraceMaker();
      maker
        .stream()
        .ask({ target: '/token' })
        .answer({ lines: json, body, ...(own ? { redact: own } : {}) });
      return maker.close().bytes;
    };
    const captured = record(redact);
    const copy = copyOf(record()).bytes;
    expect(ends(copy)).toMatchObject([{}, { end: { passed: { bytes: body.length } } }]);
    expect((ends(copy)[0] as { end: object }).end).not.toHaveProperty('passed');
    expect(given(copy)).toBe(`{"access_token":"${standIns.text('s3', 'token')}"}`);
    expect(copyOf(captured).copied.replaced).toBe(0);
    expect(saidAtEnds(copyOf(captured).bytes)).toEqual(saidAtEnds(captured));
    expect(gapsOf(copyOf(captured, { keys: ['access_token'] }).bytes)).toEqual([]);
  });

  test('a compressed body that holds a secret is kept decoded, and found so the next time', () => {
    const body = '{"jsonrpc":"2.0","id":1,"result":{"pin":"s3"}}';
    const maker = new HttpTraceMaker();
    maker
      .stream()
      .ask()
      .answer({ lines: [...json, ['Content-Encoding', 'gzip']], body: gzipSync(body) });
    const { bytes } = maker.close();
    const { bytes: copy } = copyOf(bytes, { keys: ['pin'] });
    expect(framesOf(copy)).toMatchObject([{ form: 'msg', redacted: ['/result/pin', 'decoded:gzip'] }]);
    const again = copyOf(copy, { keys: ['result'] }).bytes;
    expect(framesOf(again)).toMatchObject([{ form: 'msg', redacted: ['/result/pin', 'decoded:gzip'] }]);
    expect(gapsOf(again)).toEqual([]);
    expect(framesOf(copyOf(bytes).bytes)[0]?.bytes).toEqual(new Uint8Array(gzipSync(body)));
  });

  test.each<[string, boolean]>([
    ['one that has ended', true],
    ['one that the recording breaks off in', false],
  ])('what could not be searched is told, once: %s', (_, hasEnded) => {
    const maker = new HttpTraceMaker();
    const stream = maker.stream().ask();
    stream.head('server', { version: '1.1', status: 200, lines: [...json, ['Content-Encoding', 'rot13']] });
    stream.begin('server').pass('server', '{"cva":"f3"}');
    if (hasEnded) stream.end('server');
    else maker.wait(50);
    const bytes = hasEnded ? maker.close().bytes : Buffer.from(maker.lines.map((line) => `${line}\n`).join(''));
    const told = (trace: Buffer): unknown[] =>
      readBack(trace).events.filter((event) => event.kind === 'note' && event.note === 'not-searched');
    const { bytes: copy } = copyOf(bytes, { keys: ['pin'] });
    expect(told(copy)).toMatchObject([
      {
        s: 1,
        text:
          'the body that the server sent was not searched for secrets, and is kept as it passed: ' +
          'its Content-Encoding, rot13, cannot be undone here, or makes more than 64 MiB',
      },
    ]);
    expect(copyOf(copy, { keys: ['pin'] }).bytes.equals(copy)).toBe(hasEnded);
    expect(told(copyOf(copy, { keys: ['pin'] }).bytes)).toHaveLength(1);
    expect(told(copyOf(bytes).bytes)).toEqual([]);
    const { events } = viewOf(bytes, { keys: ['pin'] });
    expect(events.filter((event) => event.kind === 'note')).toMatchObject(told(copy).map(() => ({ s: 1 })));
  });

  test('both forms of a body that passed in two, each by its own head', () => {
    const maker = new HttpTraceMaker();
    const stream = maker.stream();
    stream.head(
      'client',
      {
        version: '1.1',
        method: 'POST',
        target: '/token',
        lines: [['Content-Type', 'application/x-www-form-urlencoded']],
      },
      [],
      { leg: 'client' },
    );
    stream
      .begin('client', {}, 'client')
      .pass('client', 'resource=one&code=s3', 'client')
      .end('client', undefined, 'client');
    stream
      .begin('client', {}, 'server')
      .pass('client', 'resource=two&code=s3', 'server')
      .end('client', undefined, 'server');
    stream.answer({ status: 302 });
    const { bytes: copy } = copyOf(maker.close().bytes);
    const code = standIns.text('s3', 'code');
    expect(framesOf(copy).map(({ leg, bytes, redacted }) => [leg, Buffer.from(bytes).toString(), redacted])).toEqual([
      ['client', `resource=one&code=${code}`, ['form:code']],
      ['server', `resource=two&code=${code}`, ['form:code']],
    ]);
    expect(gapsOf(copy)).toEqual([]);
  });

  test('an event is a message in the copy where it was, with what stood around its data', () => {
    const maker = new HttpTraceMaker();
    maker
      .stream()
      .ask()
      .open()
      .event(withPin('"s3"'), 's3-1')
      .event('no JSON')
      .pass('server', ': s3\n\n')
      .end('server');
    const { bytes } = maker.close();
    const { bytes: copy } = copyOf(bytes, { keys: ['pin'], values: ['s3'] });
    const [hidden, named] = [standIns.text('s3', 'value'), standIns.text('s3', 'key')];
    expect(framesOf(copy).map(({ form, bytes, redacted }) => [form, Buffer.from(bytes).toString(), redacted])).toEqual([
      ['msg', `id: ${hidden}-1\ndata: ${withPin(`"${named}"`)}\n\n`, ['/result/pin', 'event:id']],
      ['text', 'data: no JSON\n\n', undefined],
      ['text', `: ${hidden}\n\n`, ['event:']],
    ]);
    expect(linesOf(copy).some((line) => line.includes(`"sse":"id: ${hidden}-1\\ndata: ","eol":"\\n\\n"`))).toBe(true);
    expect(gapsOf(copy)).toEqual([]);
  });

  test('a session that only the endpoint event told is replaced where it is used', () => {
    const random = 'x7Qm2ZkP0aLw9sVt';
    const maker = new HttpTraceMaker();
    maker
      .stream()
      .ask({ method: 'GET', target: '/sse' })
      .open()
      .pass('server', `event: endpoint\ndata: /messages/${random}\n\n`);
    maker
      .stream()
      .ask({ target: `/messages/${random}`, body: ping })
      .answer({ status: 202 });
    const { bytes } = maker.close();
    const { bytes: copy } = copyOf(bytes);
    const session = standIns.text(random, 'session');
    expect(copy.toString()).not.toContain(random);
    expect(copy.toString()).toContain(`"target":"/messages/${session}"`);
    expect(copyOf(copy).bytes.equals(copy)).toBe(true);
  });

  test('what was no HTTP does not stand in the note', () => {
    const maker = new HttpTraceMaker();
    maker.recorder.note(
      1,
      'not-http',
      'Parse Error; answered 400 Bad Request; it begins "GET / X\\r\\nAuthorization: Bearer s3"',
    );
    const { bytes: copy } = copyOf(maker.close().bytes);
    expect(copy.toString()).not.toContain('s3');
    expect(copyOf(copy).bytes.equals(copy)).toBe(true);
  });

  test('a number in a header and in the body get the same, and keep it', () => {
    const maker = new HttpTraceMaker();
    maker
      .stream()
      .ask({ lines: [['Mcp-Param-Pin', '1234']], body: '{"jsonrpc":"2.0","params":{"arguments":{"pin":1234}}}' })
      .answer();
    const { bytes: copy } = copyOf(maker.close().bytes, { keys: ['pin'] });
    const number = standIns.number('1234');
    expect(copy.toString()).toContain(`["Mcp-Param-Pin","${number}"]`);
    expect(copy.toString()).toContain(`"pin":${number}`);
    expect(copyOf(copy, { keys: ['pin'] }).bytes.equals(copy)).toBe(true);
  });
});
