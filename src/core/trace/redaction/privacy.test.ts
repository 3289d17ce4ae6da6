import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/properties.ts';
import { standIns } from '../../../../test/redacted-copies.ts';
import { inflate } from '../../../io/http/inflate.ts';
import { keyedText } from '../../../io/stores/redaction-key.ts';
import type { Head } from '../format.ts';
import { type BodyFacts, Privacy } from './privacy.ts';
import { compileRules, type RedactionRules } from './rules.ts';

const privacy = (rules: Partial<RedactionRules> = {}): Privacy =>
  new Privacy(
    compileRules({ secrets: true, keys: [], values: [], paths: [], ...rules }),
    keyedText(Buffer.from('the key of a store')),
    { endpoint: '/mcp', inflate },
  );

const token = standIns.text('s3', 'token');
const pin = standIns.text('s3', 'key');
const hidden = standIns.text('s3', 'value');
const keys = { keys: ['pin'] };
const values = { values: ['s3'] };
const oauth = '{"access_token":"s3"}';

describe('a body', () => {
  const facts = { target: '/mcp', type: 'application/json', encoding: undefined };

  test.each<[string, Partial<RedactionRules>, Partial<BodyFacts>, string | Uint8Array, string | undefined, string[]]>([
    ['a message is not searched for secrets', {}, {}, oauth, undefined, []],
    ['what is no message is', {}, { target: '/token?x=1' }, oauth, `{"access_token":"${token}"}`, ['/access_token']],
    ['nothing is, where nothing was asked for', { secrets: false }, { target: '/token' }, oauth, undefined, []],
    [
      'a form, even at the endpoint',
      {},
      { type: 'application/x-www-form-urlencoded' },
      'code=s3',
      `code=${standIns.text('s3', 'code')}`,
      ['form:code'],
    ],
    ['a message by the rules of the user', keys, {}, '{"pin":"s3"}', `{"pin":"${pin}"}`, ['/pin']],
    ...(['application/x-www-form-urlencoded', 'text/plain', '', 'multipart/form-data; boundary=x'] as const).map(
      (type) =>
        [
          `JSON that is sent as "${type}"`,
          keys,
          { type, target: '/token' },
          ' {"client_secret":"s3","pin":"s3"}\n',
          ` {"client_secret":"${standIns.text('s3', 'secret')}","pin":"${pin}"}\n`,
          ['/client_secret', '/pin'],
        ] as [string, typeof keys, Partial<BodyFacts>, string, string, string[]],
    ),
    ...(['application/json', 'text/plain', '', 'multipart/form-data'] as const).map(
      (type) =>
        [
          `a form that is sent as "${type}"`,
          keys,
          { type, target: '/token' },
          'grant_type=x&client_secret=s3&pin=s3',
          `grant_type=x&client_secret=${standIns.text('s3', 'secret')}&pin=${pin}`,
          ['form:client_secret', 'form:pin'],
        ] as [string, typeof keys, Partial<BodyFacts>, string, string, string[]],
    ),
    ['JSON with a byte-order mark', keys, { type: '' }, '\ufeff{"pin":"s3"}', `\xef\xbb\xbf{"pin":"${pin}"}`, ['/pin']],
    [
      'JSON values on lines',
      {},
      { type: 'application/x-ndjson', target: '/x' },
      '{"jsonrpc":"2.0","id":1}\n{"access_token":"s3"}\n',
      `{"jsonrpc":"2.0","id":1}\n{"access_token":"${token}"}\n`,
      ['/access_token'],
    ],
    [
      'JSON that is cut off, sent as a form',
      keys,
      { type: 'application/x-www-form-urlencoded' },
      '{"pin":"s3',
      `{"pin":"${pin}`,
      ['/pin'],
    ],
    [
      'a form that begins as JSON does',
      keys,
      { type: 'application/x-www-form-urlencoded' },
      '{=&"a"=1&pin=s3',
      `{=&"a"=1&pin=${pin}`,
      ['form:pin'],
    ],
    ['a form with one parameter, and no type', keys, { type: '' }, 'pin=s3', `pin=${pin}`, ['form:pin']],
    ['a form with spaces in it', keys, { type: 'text/plain' }, 'a=b c&pin=s3', `a=b c&pin=${pin}`, ['form:pin']],
    ['words are no form', {}, { type: 'text/plain', target: '/x' }, 'code=404 not found', undefined, []],
    ['a page is no form', {}, { type: 'text/html', target: '/x' }, '<a href="?a=b&code=1">', undefined, []],
    [
      'text that looks like a form is text too',
      { values: ['b&c|s3'] },
      { type: 'text/plain' },
      'a=b&c=d&s3=',
      `a=${standIns.text('b&c', 'value')}=d&${hidden}=`,
      ['text'],
    ],
    [
      'events that are sent as something else',
      keys,
      { type: 'text/plain' },
      'id: 1\ndata: {"pin":"s3"}\n\n',
      `id: 1\ndata: {"pin":"${pin}"}\n\n`,
      ['/pin'],
    ],
    ['JSON that is sent as events', keys, { type: 'text/event-stream' }, '{"pin":"s3"}', `{"pin":"${pin}"}`, ['/pin']],
    [
      'a multipart form at the endpoint',
      {},
      { type: 'multipart/form-data; boundary=x' },
      '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\ns3\r\n--x--\r\n',
      `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${standIns.text('s3', 'secret')}\r\n--x--\r\n`,
      ['form:password'],
    ],
    [
      'a multipart form, by the rules of the user, whatever it says it is',
      { ...keys, ...values },
      { type: 'application/json' },
      '--x\nContent-Disposition: form-data; name="pin"\n\na\nb\n--x\nContent-Disposition: form-data; name="a"; filename="s3"\n' +
        'Content-Type: text/plain\n\n{"pin":"s4","x":[{"pin":7}]}\n--x\nContent-Disposition: form-data; name=b\n\npin=s4&x=s3',
      `--x\nContent-Disposition: form-data; name="pin"\n\n${standIns.text('a\nb', 'key')}\n--x\nContent-Disposition: form-data; name="a"; filename="${hidden}"\n` +
        `Content-Type: text/plain\n\n{"pin":"${standIns.text('s4', 'key')}","x":[{"pin":${standIns.number('7')}}]}\n--x\nContent-Disposition: form-data; name=b\n\npin=${standIns.text('s4', 'key')}&x=${hidden}`,
      ['form:pin', 'form:a/pin', 'form:a/x/0/pin', 'form:b', 'text'],
    ],
    ['a page', values, { type: 'text/html' }, '<p>s3</p>', `<p>${hidden}</p>`, ['text']],
    ['text that is JSON', values, { type: 'text/plain' }, '"\\u00733"', `"${hidden}"`, ['']],
    [
      'JSON that is no UTF-8',
      keys,
      {},
      Buffer.from('{"x":"\xff","pin":"s3"}', 'latin1'),
      `{"x":"\xff","pin":"${pin}"}`,
      ['/pin'],
    ],
    [
      'a form that is no UTF-8',
      keys,
      { type: 'application/x-www-form-urlencoded' },
      Buffer.from('x=\xff&pin=s3', 'latin1'),
      `x=\xff&pin=${pin}`,
      ['form:pin'],
    ],
    [
      'other bytes',
      values,
      { type: 'image/png' },
      Buffer.from('\x89\xff s3', 'latin1'),
      `\x89\xff ${hidden}`,
      ['text'],
    ],
    [
      'a compressed one',
      keys,
      { encoding: 'gzip' },
      gzipSync('{"pin":"s3"}'),
      `{"pin":"${pin}"}`,
      ['/pin', 'decoded:gzip'],
    ],
    ['a compressed one without anything', keys, { encoding: 'gzip' }, gzipSync('{"x":"s3"}'), undefined, []],
    ['one whose encoding cannot be undone', keys, { encoding: 'rot13' }, '{"cva":"f3"}', undefined, []],
    [
      'compressed events',
      keys,
      { type: 'text/event-stream', encoding: 'gzip' },
      gzipSync('data: {"pin":"s3"}\n\n: x\n\n'),
      `data: {"pin":"${pin}"}\n\n: x\n\n`,
      ['/pin', 'decoded:gzip'],
    ],
    [
      'an event',
      keys,
      { type: 'text/event-stream' },
      'id: 1\ndata: {"pin":\ndata: "s3"}\n\n',
      `id: 1\ndata: {"pin":\ndata: "${pin}"}\n\n`,
      ['/pin'],
    ],
    [
      'what stands around the data of an event',
      values,
      { type: 'text/event-stream; charset=utf-8' },
      'id: s3\ndata: {}\n\n',
      `id: ${hidden}\ndata: {}\n\n`,
      ['event:id'],
    ],
    [
      'an endpoint',
      {},
      { type: 'text/event-stream' },
      'event: endpoint\ndata: /m?sessionId=s3\n\n',
      `event: endpoint\ndata: /m?sessionId=${standIns.text('s3', 'session')}\n\n`,
      ['query:sessionId'],
    ],
    ['an event without rules of the user', {}, { type: 'text/event-stream' }, `data: ${oauth}\n\n`, undefined, []],
  ])('%s', (_, rules, about, body, expected, redacted) => {
    const found = privacy(rules).body({ ...facts, ...about })?.(Buffer.from(body));
    expect(found && Buffer.from(found.bytes).toString('latin1')).toBe(expected);
    expect(found?.redacted ?? []).toEqual(redacted);
    if (found) expect(privacy(rules).body({ ...facts, ...about })?.(found.bytes, found.redacted)).toBeUndefined();
  });

  test.each<[string, string, boolean]>([
    ['application/json', '/mcp', false],
    ['application/json; charset=utf-8', '/mcp?x=1', false],
    ['application/json', '/token', true],
    ['application/x-www-form-urlencoded', '/mcp', true],
    ['multipart/form-data; boundary=x', '/mcp', true],
    ['text/plain', '/mcp', true],
    ['', '/mcp', true],
  ])('of the type "%s" to %s is searched without rules of the user: %s', (type, target, isSearched) => {
    expect(privacy().body({ target, type, encoding: undefined }) !== undefined).toBe(isSearched);
  });

  test('whose encoding cannot be undone says so', () => {
    const told: string[] = [];
    const search = privacy(keys).body({ ...facts, encoding: 'rot13', unsearched: () => told.push('it') });
    expect([search?.(Buffer.from('x')), told]).toEqual([undefined, ['it']]);
  });

  test('that stands without its encoding since earlier is searched as it is', () => {
    const search = privacy(keys).body({ ...facts, encoding: 'gzip' });
    expect(search?.(Buffer.from('{"pin":"s3","a":"b"}'), ['/a', 'decoded:gzip'])?.redacted).toEqual(['/pin']);
  });
});

test.each<[string, Partial<RedactionRules>, boolean]>([
  ['two parameters', {}, true],
  ['two parameters, by names', keys, true],
])('a line of a process is a form where it has %s', (_, rules, isSearched) => {
  const search = privacy(rules).line();
  expect(search?.(Buffer.from('grant_type=x&code=s3')) !== undefined).toBe(isSearched);
  for (const line of ['code=1', 'pin=s3', 'a=b c=d&code=5 e', 'level=info code=5'])
    expect(search?.(Buffer.from(line))).toBeUndefined();
});

describe('a body that is recorded as it passes', () => {
  const facts = { target: '/mcp', type: 'application/json', encoding: undefined };
  const passing = (rules: Partial<RedactionRules>, about: Partial<BodyFacts> = {}) =>
    privacy(rules).passing('client', { ...facts, ...about });
  const shown = (found: { bytes: Uint8Array } | undefined) => found && Buffer.from(found.bytes).toString();

  test('in parts keeps of the first what paths cannot mean, and nothing of the others', () => {
    const search = passing({ paths: ['$.result.t'] });
    expect(shown(search?.redact(Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"t":"s3'), 1))).toBe(
      `{"jsonrpc":"2.0","id":7,"result":{"t":"${standIns.text('s3', 'path')}`,
    );
    expect(shown(search?.redact(Buffer.from('s3 and'), 2))).toBe(`${standIns.text('s3 and', 'value')}"}}`);
    expect(search?.redact(Buffer.from('so on"}}'), 3)).toEqual({ bytes: new Uint8Array(), redacted: [''] });
    expect(search?.unsearched()).toBeUndefined();
  });

  test('in parts is replaced from the second on where names are looked for', () => {
    const search = passing(keys, { type: 'text/plain' });
    expect(search?.redact(Buffer.from('some text'), 1)).toBeUndefined();
    for (const [index, text] of ['x","pin":"s3', 'more'].entries())
      expect(shown(search?.redact(Buffer.from(text), index + 2))).toBe(standIns.text(text, 'value'));
  });

  test('in parts and compressed is replaced from the second on', () => {
    const search = passing(values, { encoding: 'gzip' });
    const bytes = gzipSync('x'.repeat(100));
    expect(search?.redact(bytes.subarray(0, 20), 1)).toBeUndefined();
    expect(search?.redact(bytes.subarray(20), 2)?.redacted).toEqual(['']);
  });

  test('and cannot be read says so, and stays whole', () => {
    const search = passing(keys, { encoding: 'rot13' });
    expect([search?.redact(Buffer.from('x'), 1), search?.redact(Buffer.from('y'), 2)]).toEqual([undefined, undefined]);
    expect(search?.unsearched()).toBe(
      'the body that the client sent was not searched for secrets, and is kept as it passed: ' +
        'its Content-Encoding, rot13, cannot be undone here, or makes more than 64 MiB',
    );
  });

  test('is not searched at all where it need not be', () => {
    expect(passing({})).toBeUndefined();
  });
});

/** How a body of events is looked through for secrets. */
const ofEvents = (method: string | undefined, target: string, rules: Partial<RedactionRules> = {}) =>
  privacy(rules).body({ method, target, type: 'text/event-stream', encoding: undefined });

test.each<[string, string | undefined, string, Partial<RedactionRules>, boolean]>([
  ['the answer to a message has no secrets of HTTP', 'POST', '/mcp?x=1', {}, false],
  ['what answers a GET may say where to post', 'GET', '/mcp', {}, true],
  ['and so may what answers who knows what', undefined, '/mcp', {}, true],
  ['elsewhere anything may', 'POST', '/sse', {}, true],
  ['the rules of the user are for all of them', 'POST', '/mcp', keys, true],
])('events: %s', (_, method, target, rules, isSearched) => {
  expect(ofEvents(method, target, rules) !== undefined).toBe(isSearched);
});

describe('a head that is written out', () => {
  const line = fc.tuple(
    fc.constantFrom('Authorization', 'authorization', 'Cookie', 'X-Api-Key', 'Referer', 'X-Note', '"'),
    fc.constantFrom('Bearer s3', 'a=s3; b="s4"', 'https://h/?code=s3', 'x "y" \\ é\u0001', '', 'plain'),
  );
  const head: fc.Arbitrary<Head> = fc.oneof(
    fc.record({
      version: fc.constantFrom('1.0', '1.1'),
      method: fc.constantFrom('GET', 'POST'),
      target: fc.constantFrom('/mcp', '/mcp?code=s3&x=1', '/"é'),
      lines: fc.array(line),
    }),
    fc.record({
      version: fc.constant('1.1'),
      status: fc.constantFrom(200, 404),
      reason: fc.constantFrom('OK', '', 's3 is "wrong"', undefined),
      lines: fc.array(line),
    }) as fc.Arbitrary<Head>,
  );

  test.each([[{}], [values], [{ secrets: false }]])('is the head, also where it is remembered: %j', (rules) => {
    fc.assert(
      fc.property(fc.array(head, { maxLength: 6 }), (heads) => {
        const [remembering, fresh] = [privacy(rules), privacy(rules)];
        for (const one of [...heads, ...heads]) {
          const { head: kept, redacted } = fresh.head(one);
          const { json, places } = remembering.headText(one);
          expect([json, `[${places}]`]).toEqual([JSON.stringify(kept), JSON.stringify(redacted)]);
        }
      }),
    );
  });

  test('has a session replaced that was learned after it was remembered', () => {
    const session = 'Ab3dEf6hIj9kLm2nOp';
    const [remembering, fresh] = [privacy(), privacy()];
    const one = {
      version: '1.1',
      method: 'POST',
      target: `/m/${session}`,
      lines: [['Referer', `/m/${session}`]] as const,
    };
    expect(remembering.headText(one).json).toContain(session);
    const facts = { target: '/sse', type: 'text/event-stream', encoding: undefined };
    const event = Buffer.from(`event: endpoint\ndata: /m/${session}\n\n`);
    for (const each of [remembering, fresh]) each.body(facts)?.(event);
    expect(remembering.headText(one).json).toBe(JSON.stringify(fresh.head(one).head));
    expect(remembering.headText(one).json).not.toContain(session);
  });
});

test.each<[string, Partial<RedactionRules>, string, string | undefined]>([
  ['names', keys, 'a","pin":"s3"}', standIns.text('a","pin":"s3"}', 'value')],
  ['expressions', values, 'a","pin":"s3"}', `a","pin":"${hidden}"}`],
  ['expressions that match nothing', { values: ['s4'] }, 's3', undefined],
  ['no rules of the user', {}, 's3', undefined],
])('what has lost its beginning, with %s', (_, rules, text, expected) => {
  const found = privacy(rules).remainder(Buffer.from(text));
  expect(found && Buffer.from(found.bytes).toString()).toBe(expected);
});

test('a reason', () => {
  const { head, redacted } = privacy(values).head({ version: '1.1', status: 400, reason: 'no s3', lines: [] });
  expect(head).toEqual({ version: '1.1', status: 400, reason: `no ${hidden}`, lines: [] });
  expect(redacted).toEqual(['reason']);
});

test.each<[readonly string[], readonly string[]]>([
  [
    ['node', 's3'],
    ['node', 's3'],
  ],
  [
    ['node', '--Pin=s3', 'PIN=s3', '--pins=s3'],
    ['node', `--Pin=${pin}`, `PIN=${pin}`, '--pins=s3'],
  ],
  [
    ['node', '-pin', 's3', '--pin', '-s3'],
    ['node', '-pin', pin, '--pin', '-s3'],
  ],
  [
    ['node', 'https://host/?pin=s3'],
    ['node', `https://host/?pin=${pin}`],
  ],
])('a command line: %j', (words, expected) => {
  expect(privacy(keys).command(words)).toEqual(expected);
});

test.each([
  [
    'not-http',
    'Parse Error; answered 400; it begins "s3 \\" s3"',
    `Parse Error; answered 400; it begins "${standIns.text('s3 \\" s3', 'value')}"`,
  ],
  ['not-http', 'Parse Error; answered 400; it begins ""', 'Parse Error; answered 400; it begins ""'],
  ['refused', 'it begins "s3"', 'it begins "s3"'],
])('a note: %s, %s', (kind, text, expected) => {
  expect(privacy().note(kind, text).text).toBe(expected);
  expect(privacy().note(kind, expected)).toEqual({ text: expected, redacted: [] });
});
