import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/properties.ts';
import { secretsOnly } from './compiled-rules.ts';
import type { JsonPlace } from './json-redaction.ts';
import { Redactor } from './redactor.ts';
import { compileRules, type RedactionRules } from './rules.ts';
import { StandIns } from './stand-in.ts';

const standIns = new StandIns((text) => createHmac('sha256', 'key').update(text).digest('hex'));
const redactor = (rules: Partial<RedactionRules>): Redactor =>
  new Redactor(compileRules({ secrets: false, keys: [], values: [], paths: [], ...rules }), standIns);
const secrets = new Redactor(secretsOnly, standIns);

/** Stand-ins as `‹kind secret›`, for those secrets that are known. */
function readable(text: string, known: readonly string[]): string {
  let read = text;
  for (const secret of known)
    for (const kind of ['token', 'code', 'secret', 'session', 'cookie', 'proof', 'key', 'value', 'path'] as const)
      read = read.replaceAll(standIns.text(secret, kind), `‹${kind} ${secret}›`);
  return read;
}

function json(
  redactor: Redactor,
  text: string,
  where: JsonPlace = 'message',
  earlier?: string[],
): [string, string[]] | undefined {
  const redacted = redactor.json(Buffer.from(text), where, earlier);
  return redacted && [Buffer.from(redacted.bytes).toString(), redacted.redacted];
}

describe('headers', () => {
  test.each<[string, string, string]>([
    ['Authorization', 'Bearer s3', 'Bearer ‹token s3›'],
    ['authorization', 'bearer  s3', 'bearer  ‹token s3›'],
    ['Authorization', 'DPoP s3', 'DPoP ‹token s3›'],
    ['Authorization', 'Basic s3', 'Basic ‹secret s3›'],
    ['Authorization', 's3', '‹token s3›'],
    ['Authorization', 'Bearer Bearer s3', 'Bearer Bearer ‹token s3›'],
    ['Authorization', 'Bearer: s3', 'Bearer: ‹token s3›'],
    ['Authorization', 'Bearer', 'Bearer'],
    ['Authorization', 'Bearer undefined', 'Bearer undefined'],
    ['Authorization', 'Bearer ${TOKEN}', 'Bearer ${TOKEN}'],
    ['Authorization', 'Bearer [object Object]', 'Bearer [object Object]'],
    ['Authorization', 'my secret', '‹token my secret›'],
    ['Proxy-Authorization', 'Basic s3', 'Basic ‹secret s3›'],
    ['Cookie', 'a=s3; b="my secret";c=', 'a=‹cookie s3›; b="‹cookie my secret›";c='],
    ['Cookie', 's3', '‹cookie s3›'],
    ['Cookie', 'a=b=s3', 'a=‹cookie b=s3›'],
    ['Set-Cookie', 'a=s3; Path=/; HttpOnly', 'a=‹cookie s3›; Path=/; HttpOnly'],
    ['Set-Cookie', 'a = s3', 'a = ‹cookie s3›'],
    ['Mcp-Session-Id', 's3', '‹session s3›'],
    ['X-Session-Id', 's3', '‹session s3›'],
    ['X-Forwarded-Authorization', 'Bearer s3', 'Bearer ‹token s3›'],
    ['X-Access-Key', 's3', '‹secret s3›'],
    ['X-Auth-Key', 's3', '‹secret s3›'],
    ['X-Request-Id', 's3', 's3'],
    ['DPoP', 's3', '‹proof s3›'],
    ['X-Api-Key', 's3', '‹secret s3›'],
    ['PRIVATE-TOKEN', 's3', '‹secret s3›'],
    ['Location', 'https://host/cb?code=s3&state=x', 'https://host/cb?code=‹code s3›&state=x'],
    ['Location', '/cb#access_token=s3&token_type=bearer', '/cb#access_token=‹token s3›&token_type=bearer'],
    ['Referer', 'https://me:pw@host/?x=1', 'https://‹secret me:pw›@host/?x=1'],
    ['Link', '<https://host/a?token=s3>; rel="next"', '<https://host/a?token=‹token s3›>; rel="next"'],
    ['Content-Type', 'application/json', 'application/json'],
    [
      'WWW-Authenticate',
      'Bearer resource_metadata="https://host/.well-known/x"',
      'Bearer resource_metadata="https://host/.well-known/x"',
    ],
    ['Mcp-Param-Region', 's3', 's3'],
  ])('%s: %s', (name, value, expected) => {
    const { lines, redacted } = secrets.headers([
      ['Accept', '*/*'],
      [name, value],
    ]);
    expect(lines[0]).toEqual(['Accept', '*/*']);
    expect(lines[1]?.[0]).toBe(name);
    expect(readable(lines[1]?.[1] as string, ['b=s3', 'me:pw', 'my secret', 's3'])).toBe(expected);
    expect(redacted).toEqual(value === expected ? [] : [`header:${name}`]);
    expect(secrets.headers(lines)).toEqual({ lines, redacted: [] });
  });

  test('keep their order and their number', () => {
    const { lines, redacted } = secrets.headers([
      ['Set-Cookie', 'a=1'],
      ['X', 'y'],
      ['Set-Cookie', 'a=2'],
      ['x', 'z'],
    ]);
    expect(lines.map(([name]) => name)).toEqual(['Set-Cookie', 'X', 'Set-Cookie', 'x']);
    expect(redacted).toEqual(['header:Set-Cookie']);
  });

  test('keep a session linkable, in its format', () => {
    const session = '6f1c1c1e-57a5-4f0c-9a55-0a1b2c3d4e5f';
    const [[, header] = []] = secrets.headers([['mcp-session-id', session]]).lines;
    expect(header).toMatch(/^dedac7ed-/);
    expect(secrets.target(`/messages?sessionId=${session}`).target).toBe(`/messages?sessionId=${header}`);
  });

  test('a token in a header is the token that a body gave', () => {
    const [[, header] = []] = secrets.headers([['Authorization', 'Bearer s3cr3t']]).lines;
    const [body] = json(secrets, '{"access_token":"s3cr3t"}', 'oauth') as [string, string[]];
    expect(JSON.parse(body)).toEqual({ access_token: (header as string).slice('Bearer '.length) });
  });

  test.each<[Partial<RedactionRules>, string, string, string]>([
    [{ keys: ['X-Tenant'] }, 'x-tenant', 's3', '‹key s3›'],
    [{ keys: ['authorization'] }, 'Authorization', 'Bearer s3', 'Bearer ‹key s3›'],
    [{ keys: ['sid'] }, 'Cookie', 'sid=s3; b=1', 'sid=‹key s3›; b=1'],
    [{ keys: ['pin'] }, 'Mcp-Param-Pin', 's3', '‹key s3›'],
    [{ keys: ['pin'] }, 'Mcp-Param-Pin', '=?base64?czM=?=', '‹key s3›'],
    [{ keys: ['pin'] }, 'Mcp-Param-Pin', 'true', 'true'],
    [{ values: ['s\\d'] }, 'X', 'a s3 b', 'a ‹value s3› b'],
    [
      { values: ['s\\d'] },
      'Mcp-Param-X',
      '=?base64?w6kgczM=?=',
      `=?base64?${Buffer.from(`é ${standIns.text('s3', 'value')}`).toString('base64')}?=`,
    ],
    [{ values: ['\\d+'] }, 'Content-Length', '17', '17'],
    [{ values: ['\\d{4}-\\d\\d-\\d\\d'] }, 'MCP-Protocol-Version', '2025-06-18', '2025-06-18'],
    [{ values: ['s\\d'] }, 'Content-Type', 'a/s3; x=s3', 'a/s3; x=‹value s3›'],
    [{ values: ['s\\d'] }, 'Content-Type', 's3', '‹value s3›'],
    [
      { values: ['https://host/p.*'] },
      'Location',
      'https://host/private',
      standIns.text('https://host/private', 'value'),
    ],
  ])('by rules of the user: %j, %s: %s', (rules, name, value, expected) => {
    const redact = redactor(rules);
    const { lines } = redact.headers([[name, value]]);
    expect(readable(lines[0]?.[1] as string, ['s3'])).toBe(expected);
    expect(redact.headers(lines)).toEqual({ lines, redacted: [] });
  });

  test('the copy of a number in a header gets what the number in the body gets', () => {
    const redact = redactor({ keys: ['pin'] });
    const [[, header] = []] = redact.headers([['Mcp-Param-Pin', '1234']]).lines;
    expect(json(redact, '{"pin":1234}')).toEqual([`{"pin":${header}}`, ['/pin']]);
  });
});

describe('targets and URLs', () => {
  test.each<[string, string, string[]]>([
    ['/cb?code=s3&state=x', '/cb?code=‹code s3›&state=x', ['query:code']],
    ['/cb?c%6Fde=s3', '/cb?c%6Fde=‹code s3›', ['query:code']],
    ['/cb?code=%733', '/cb?code=‹code s3›', ['query:code']],
    ['/cb?code=a+b%20c', '/cb?code=‹code a b c›', ['query:code']],
    ['/cb?code=%zz%ff', '/cb?code=‹code %zz%ff›', ['query:code']],
    ['/cb?a=1;code=s3;b=2', '/cb?a=1;code=‹code s3;b=2›', ['query:code']],
    ['/cb?code=&code', '/cb?code=&code', []],
    ['/cb?CODE=s3&code=s3', '/cb?CODE=‹code s3›&code=‹code s3›', ['query:CODE', 'query:code']],
    ['/cb?code_challenge=s3&nonce=n&state=s', '/cb?code_challenge=s3&nonce=n&state=s', []],
    ['/sse?session_id=s3', '/sse?session_id=‹session s3›', ['query:session_id']],
    ['/sse?session=s3&sessions=2', '/sse?session=‹session s3›&sessions=2', ['query:session']],
    ['/blob?sv=1&sig=s3', '/blob?sv=1&sig=‹secret s3›', ['query:sig']],
    ['/object?X-Amz-Signature=s3', '/object?X-Amz-Signature=‹secret s3›', ['query:X-Amz-Signature']],
    ['/mcp?api_key=s3&x=a+b', '/mcp?api_key=‹secret s3›&x=a+b', ['query:api_key']],
    [
      'http://host/cb?token=s3#id_token=s3',
      'http://host/cb?token=‹token s3›#id_token=‹token s3›',
      ['query:token', 'fragment:id_token'],
    ],
    ['//s3@host/x', '//‹secret s3›@host/x', ['userinfo']],
    ['/a@b/c', '/a@b/c', []],
    ['*', '*', []],
    ['host:443', 'host:443', []],
    ['', '', []],
  ])('%s', (target, expected, redacted) => {
    const found = secrets.target(target);
    expect(readable(found.target, ['s3;b=2', 'a b c', '%zz%ff', 's3'])).toBe(expected);
    expect(found.redacted).toEqual(redacted);
    expect(secrets.url(target).url).toBe(found.target);
    expect(secrets.target(found.target)).toEqual({ target: found.target, redacted: [] });
  });

  test('a stand-in is encoded as the value was', () => {
    const { target } = secrets.target('/x?token=me%40example.com');
    expect(target).toMatch(/^\/x\?token=[0-9a-f]{16}%40redacted\.invalid$/);
    expect(secrets.target(target).redacted).toEqual([]);
  });

  test.each<[Partial<RedactionRules>, string, string, string[]]>([
    [{ keys: ['Q'] }, '/x?q=s3&p=s3', '/x?q=‹key s3›&p=s3', ['query:q']],
    [
      { values: ['s\\d'] },
      '/x/as3/y?q=s3+x&s3',
      '/x/a‹value s3›/y?q=‹value s3›%20x&‹value s3›',
      ['path', 'query:q', 'query:'],
    ],
    [{ values: ['a b'] }, '/a%20b?q=a+b', '/‹value a b›?q=‹value a b›', ['path', 'query:q']],
    [{ values: ['y/\\w+'] }, '/x/y/s3', `/x/‹value y/s3›`, ['target']],
    [{ values: ['host'] }, 'https://host/x', 'https://‹value host›/x', ['path']],
  ])('by rules of the user: %j, %s', (rules, target, expected, redacted) => {
    const redact = redactor(rules);
    const found = redact.target(target);
    expect(readable(found.target, ['y/s3', 'a b', 's3', 'host'])).toBe(expected);
    expect(found.redacted).toEqual(redacted);
    expect(redact.target(found.target)).toEqual({ target: found.target, redacted: [] });
  });
});

describe('the endpoint of HTTP+SSE', () => {
  const random = 'x7Qm2ZkP0aLw9sVt';
  test.each([
    ['/messages?sessionId=s3', '/messages?sessionId=‹session s3›', '/messages?sessionId=s3'],
    [`/mcp/messages/${random}`, `/mcp/messages/‹session ${random}›`, `/mcp/messages/${random}`],
    [`/mcp/messages?${random}`, `/mcp/messages?‹session ${random}›`, `/mcp/messages?${random}`],
    [`https://host/m?t=${random}`, `https://host/m?t=‹session ${random}›`, `/m?t=${random}`],
    ['/messages', '/messages', '/messages'],
  ])('%s', (data, expected, target) => {
    const redact = new Redactor(secretsOnly, standIns);
    const known = [random, 's3'];
    expect(readable(redact.endpoint(data).url, known)).toBe(expected);
    expect(readable(redact.target(target).target, known)).toBe(expected.replace('https://host', ''));
    expect(redact.endpoint(redact.endpoint(data).url).redacted).toEqual([]);
  });
});

test('a form', () => {
  const text =
    'grant_type=authorization_code&code=s3&code_verifier=s3&client_id=c&client_secret=a%26b&redirect_uri=http%3A%2F%2Fx';
  const found = secrets.form(text);
  expect(readable(found.text, ['a&b', 's3'])).toBe(
    'grant_type=authorization_code&code=‹code s3›&code_verifier=‹code s3›&client_id=c&client_secret=‹secret a&b›&redirect_uri=http%3A%2F%2Fx',
  );
  expect(found.redacted).toEqual(['form:code', 'form:code_verifier', 'form:client_secret']);
  expect(secrets.form(found.text)).toEqual({ text: found.text, redacted: [] });
});

test.each<[string, Partial<RedactionRules>, string, string, string[]]>([
  ['a line end behind it', { keys: ['pin'] }, 'pin=s3\r\n', 'pin=‹key s3›\r\n', ['form:pin']],
  ['a byte-order mark before it', { keys: ['pin'] }, '\ufeffpin=s3', '\ufeffpin=‹key s3›', ['form:\ufeffpin']],
  [
    'a name in a group',
    { keys: ['pin'] },
    'a%5Bpin%5D=s3&b[pin]=s3&pin[b]=s3',
    'a%5Bpin%5D=‹key s3›&b[pin]=‹key s3›&pin[b]=s3',
    ['form:a[pin]', 'form:b[pin]'],
  ],
])('a form: %s', (_, rules, text, expected, redacted) => {
  const redact = redactor(rules);
  const found = redact.form(text);
  expect([readable(found.text, ['s3']), found.redacted]).toEqual([expected, redacted]);
  expect(redact.form(found.text)).toEqual({ text: found.text, redacted: [] });
});

test('JSON in a form is looked into, and a number in it that was replaced stays', () => {
  const redact = redactor({ keys: ['pin'] });
  const { text, redacted } = redact.form(`a=b&data=${encodeURIComponent('{"x":[{"pin":12}],"pin":"s3"}')}`);
  expect(readable(decodeURIComponent(text), ['s3'])).toBe(
    `a=b&data={"x":[{"pin":${standIns.number('12')}}],"pin":"‹key s3›"}`,
  );
  expect(redacted).toEqual(['form:data/x/0/pin', 'form:data/pin']);
  expect(redact.form(text, redacted)).toEqual({ text, redacted: [] });
});

describe('an OAuth body', () => {
  test.each<[string, string, string[]]>([
    [
      '{"access_token" : "s3","token_type":"Bearer","expires_in":3600}',
      '{"access_token" : "‹token s3›","token_type":"Bearer","expires_in":3600}',
      ['/access_token'],
    ],
    ['{"acce\\u0073s_token":"\\u00733"}', '{"acce\\u0073s_token":"‹token s3›"}', ['/access_token']],
    [
      '{"refresh_token":"s3","refresh_token":"s3"}',
      '{"refresh_token":"‹token s3›","refresh_token":"‹token s3›"}',
      ['/refresh_token'],
    ],
    [
      '{"client_id":"c","client_secret":"s3","client_secret_expires_at":0}',
      '{"client_id":"c","client_secret":"‹secret s3›","client_secret_expires_at":0}',
      ['/client_secret'],
    ],
    [
      '{"password":["s3",true,null,{"a":"s3"}]}',
      '{"password":["‹secret s3›",true,null,{"a":"‹secret s3›"}]}',
      ['/password'],
    ],
    ['[{"token":"s3"}]', '[{"token":"‹token s3›"}]', ['/0/token']],
    [
      '{"device_code":"s3","verification_uri_complete":"https://host/d?user_code=s3"}',
      '{"device_code":"‹code s3›","verification_uri_complete":"https://host/d?user_code=‹code s3›"}',
      ['/device_code', '/verification_uri_complete'],
    ],
    ['{"code":400,"error":{"code":"s3"}}', '{"code":400,"error":{"code":"s3"}}', []],
    ['{"access_token":null,"id_token":""}', '{"access_token":null,"id_token":""}', []],
    ['{"access_token":"s3', '{"access_token":"‹token s3›', ['/access_token']],
    ['{"access_token":s3}', '{"access_token":"‹token s3›"}', ['/access_token']],
    ['not json', 'not json', []],
  ])('%s', (text, expected, redacted) => {
    const found = json(secrets, text, 'oauth');
    expect(found === undefined ? [text, []] : [readable(found[0], ['s3']), found[1]]).toEqual([expected, redacted]);
    if (found) expect(json(secrets, found[0], 'oauth')).toBeUndefined();
  });

  test.each<JsonPlace>(['message', 'other'])('is not what stands in: %s', (where) => {
    expect(json(secrets, '{"access_token":"s3"}', where)).toBeUndefined();
  });

  test('bytes that are no UTF-8 stay, and the rest is redacted', () => {
    const bytes = Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xc3]), Buffer.from('","token":"s3"}')]);
    const found = Buffer.from(secrets.json(bytes, 'oauth')?.bytes as Uint8Array).toString('latin1');
    expect(readable(found, ['s3'])).toBe('{"x":"ÿÃ","token":"‹token s3›"}');
  });
});

describe('a message by the rules of the user', () => {
  test.each<[string, Partial<RedactionRules>, string, string, string[]]>([
    [
      'a member',
      { keys: ['PASSWORD'] },
      '{"params":{"Password":"s3","x":"s3"}}',
      '{"params":{"Password":"‹key s3›","x":"s3"}}',
      ['/params/Password'],
    ],
    ['members that stand twice', { keys: ['a'] }, '{"a":"s3","a":"s3"}', '{"a":"‹key s3›","a":"‹key s3›"}', ['/a']],
    [
      'all that is in a member',
      { keys: ['a'] },
      '{"a":{"b":["s3",{"c":"s3"}]},"d":"s3"}',
      '{"a":{"b":["‹key s3›",{"c":"‹key s3›"}]},"d":"s3"}',
      ['/a'],
    ],
    [
      'a member in JSON that stands as text',
      { keys: ['a'] },
      '{"text":"{\\"a\\":\\"s3\\",\\"\\u0062\\":1}"}',
      '{"text":"{\\"a\\":\\"‹key s3›\\",\\"\\u0062\\":1}"}',
      ['/text'],
    ],
    ['a name with marks in it', { keys: ['a/~'] }, '{"a/~":"s3"}', '{"a/~":"‹key s3›"}', ['/a~1~0']],
    [
      'a part of a text',
      { values: ['s\\d'] },
      '{"a":"x \\u0073\\u0033 \\u00e9s3","s3":1}',
      '{"a":"x ‹value s3› \\u00e9‹value s3›","s3":1}',
      ['/a'],
    ],
    [
      'a part of a text in text',
      { values: ['s\\d'] },
      '["{\\"a\\":\\"\\\\u00733\\"}"]',
      '["{\\"a\\":\\"‹value s3›\\"}"]',
      ['/0'],
    ],
    [
      'nothing of what says which protocol this is',
      { values: ['\\d+(?:-\\d+)+', '2.0'] },
      '{"jsonrpc":"2.0","params":{"protocolVersion":"2025-06-18"}}',
      '{"jsonrpc":"2.0","params":{"protocolVersion":"2025-06-18"}}',
      [],
    ],
    [
      'a path',
      { paths: ['$.a[1:].b'] },
      '{"a":[{"b":"s3"},{"b":"s3"},{"b":"s3"}]}',
      '{"a":[{"b":"s3"},{"b":"‹path s3›"},{"b":"‹path s3›"}]}',
      ['/a/1/b', '/a/2/b'],
    ],
    [
      'a path to any depth',
      { paths: ['$..b'] },
      '{"b":"s3","a":[{"b":{"c":"s3"}}]}',
      '{"b":"‹path s3›","a":[{"b":{"c":"‹path s3›"}}]}',
      ['/b', '/a/0/b'],
    ],
    ['a path to everything', { paths: ['$'] }, '{"a":["s3"]}', '{"a":["‹path s3›"]}', ['']],
    [
      'a path with a filter',
      { paths: ["$[?search(@.k, '^p.$')].v"] },
      '[{"k":"pw","v":"s3"},{"k":"pww","v":"s3"}]',
      '[{"k":"pw","v":"‹path s3›"},{"k":"pww","v":"s3"}]',
      ['/0/v'],
    ],
    [
      'members that stand twice, by a path',
      { paths: ['$.a.b'] },
      '{"a":{"b":"s3"},"a":{"b":"s3","b":"s3"}}',
      '{"a":{"b":"‹path s3›"},"a":{"b":"‹path s3›","b":"‹path s3›"}}',
      ['/a', '/a/b'],
    ],
    [
      'a member that a path cannot lead to',
      { paths: ['$..b'] },
      '{"a":{"b":"s3"},"a":1,"c":"s3"}',
      '{"a":{"b":"‹path s3›"},"a":1,"c":"s3"}',
      ['/a'],
    ],
    [
      'what is cut off, where a path may lead',
      { paths: ['$.a.b'] },
      '{"jsonrpc":"2.0","id":7,"a":{"x":["s3"]},"b":"s3","c":{"a":"s3',
      '{"jsonrpc":"2.0","id":7,"a":{"x":["‹path s3›"]},"b":"s3","c":{"a":"s3',
      ['/a'],
    ],
    [
      'what is cut off, all but what a path to any depth cannot mean',
      { paths: ['$..b'] },
      '{"jsonrpc":"2.0","method":"s3","b":"s3","a":{"x":"s3"},"c":["s3',
      '{"jsonrpc":"2.0","method":"s3","b":"‹path s3›","a":{"x":"‹path s3›"},"c":["‹path s3›',
      ['/b', '/a', '/c'],
    ],
    [
      'what is cut off, by a path to anything',
      { paths: ['$.a[*]', '$[*]'] },
      '{"a":"s3","b":"s3',
      '{"a":"‹path s3›","b":"‹path s3›',
      ['/a', '/b'],
    ],
    [
      'several values on lines, by a path',
      { paths: ['$.a.b'] },
      '{"id":"s3","a":{"b":"s3"}}\n\n{"id":"s3","a":["s3"]}\n',
      '{"id":"s3","a":{"b":"‹path s3›"}}\n\n{"id":"s3","a":["‹path s3›"]}\n',
      ['/a'],
    ],
    ['what is cut off, by a path to all', { paths: ['$'] }, '{"a":"s3', '{"a":"‹path s3›', ['']],
    [
      'all of what is faulty, by a path',
      { paths: ['$.a'] },
      '{"a":"s3" "b":"s3"}',
      '{"a":"‹path s3›" "b":"‹path s3›"}',
      [''],
    ],
    ['what is cut off, by an expression', { values: ['s\\d'] }, '{"a":"s3', '{"a":"‹value s3›', ['/a']],
    ['what is no JSON, by an expression', { values: ['s\\d'] }, '<p>s3</p>', '<p>‹value s3›</p>', ['']],
    [
      '__proto__',
      { keys: ['__proto__'], paths: ['$.__proto__'] },
      '{"__proto__":"s3"}',
      '{"__proto__":"‹key s3›"}',
      ['/__proto__'],
    ],
    ['a lone text', { values: ['s\\d'] }, '"s3"', '"‹value s3›"', ['']],
    ['two expressions over one another', { values: ['s3', '3x'] }, '["as3xb"]', '["a‹value s3x›b"]', ['/0']],
    [
      'space, spelling and order of all the rest',
      { keys: ['a'] },
      ' {"b" : 1.0,\t"a":"s3" ,"c":1e400, "d":"\\/\\u00e9" }\n',
      ' {"b" : 1.0,\t"a":"‹key s3›" ,"c":1e400, "d":"\\/\\u00e9" }\n',
      ['/a'],
    ],
  ])('%s', (_, rules, text, expected, redacted) => {
    const redact = redactor(rules);
    const found = json(redact, text);
    expect(found === undefined ? [text, []] : [readable(found[0], ['s3x', 's3']), found[1]]).toEqual([
      expected,
      redacted,
    ]);
    if (found) expect(json(redact, found[0])).toBeUndefined();
  });

  test('numbers stay numbers, and true, false and null stay', () => {
    const [text] = json(redactor({ keys: ['a'] }), '{"a":[1,2.5,true,false,null]}') as [string, string[]];
    expect(text).toBe(`{"a":[${standIns.number('1')},${standIns.number('2.5')},true,false,null]}`);
  });

  test('a number that an expression matches is replaced whole', () => {
    const [text, redacted] = json(redactor({ values: ['\\d{16}'] }), '{"card":4111111111111111,"id":7}') as [
      string,
      string[],
    ];
    expect(text).toBe(`{"card":${standIns.number('4111111111111111')},"id":7}`);
    expect(redacted).toEqual(['/card']);
  });

  test('a number that was replaced earlier stays', () => {
    const redact = redactor({ keys: ['a'] });
    const [text, redacted] = json(redact, '{"a":[1,{"b":2}],"c":3}') as [string, string[]];
    expect(json(redact, text, 'message', redacted)).toBeUndefined();
    expect(json(redact, text)).toBeDefined();
    expect(json(redact, '{"a":1,"a":2}', 'message', ['/a'])).toBeDefined();
  });

  test('places beyond a thousand are counted', () => {
    const [, redacted] = json(redactor({ keys: ['a'] }), `[${'{"a":"x"},'.repeat(1499)}{"a":"x"}]`) as [
      string,
      string[],
    ];
    expect(redacted.length).toBe(1001);
    expect(redacted.at(-1)).toBe('(500 more)');
  });
});

describe('text', () => {
  test.each<[string[], string, string]>([
    [['s\\d'], 'a s3 b s3', 'a ‹value s3› b ‹value s3›'],
    [['\\w+ \\w+'], 'a b', '‹value a b›'],
    [['^.'], 's3', '‹value s›3'],
    [['(?i)S3'], 's3', '‹value s3›'],
    [['\\bs3\\b'], 'as3 s3', 'as3 ‹value s3›'],
    [['x'], 's3', 's3'],
  ])('%j, %s', (values, text, expected) => {
    const redact = redactor({ values });
    const found = redact.text(text);
    expect(readable(found.text, ['a b', 's3', 's'])).toBe(expected);
    expect(redact.text(found.text)).toEqual({ text: found.text, redacted: [] });
  });
});

describe('nobody can make it hang', () => {
  const many = 'a'.repeat(1024 * 1024);
  const some = many.slice(0, 256 * 1024);
  test.each<[string, string, string]>([
    ['what takes for ever with back-tracking', '(a+)+$', `${many}!`],
    ['the same where it matches', '(a+)+$', many],
    ['alternatives', '(a|a)*b', many],
    ['a match for each letter, and a look at all the rest', 'a.*b|a', some],
    ['a match for each letter of a short line', 'a.*b|a', `${many.slice(0, 1000)}\n`.repeat(250)],
  ])('%s', (_, expression, text) => {
    const redact = redactor({ values: [expression] });
    const found = redact.text(text);
    expect(found.redacted).toEqual(text.endsWith('!') || expression.endsWith('*b') ? [] : ['text']);
  });

  test('what is too much is replaced whole', () => {
    const { text } = redactor({ values: ['a.*b|a'] }).text(some);
    expect(text).not.toContain('aa');
  });

  test('many matches in a long text are all found', () => {
    const { text } = redactor({ values: ['[\\w.]+@[\\w.]+'] }).text(
      'say hello to jane.doe@example.com and to nobody else. '.repeat(10_000),
    );
    expect(text.match(/[0-9a-f]{16}@redacted\.invalid/g)?.length).toBe(10_000);
    expect(text.replaceAll(/[0-9a-f]{16}@redacted\.invalid/g, '')).toBe(
      'say hello to  and to nobody else. '.repeat(10_000),
    );
  });

  test('a match that is long, and far into the text', () => {
    const key = `-----BEGIN KEY-----\n${'x'.repeat(20_000)}\n-----END KEY-----`;
    const { text } = redactor({ values: ['(?s)-----BEGIN.*?END KEY-----'] }).text(`${'.'.repeat(50_000)}${key} after`);
    expect(text).toBe(`${'.'.repeat(50_000)}${standIns.text(key, 'value')} after`);
  });

  test('forged stand-ins and matches without number', () => {
    const forged = `redacted-a-${'0'.repeat(16)} x `.repeat(30_000);
    expect(redactor({ values: ['x'] }).text(forged).text).not.toContain('x');
  });

  test('very many matches in one string, and one match over very many stand-ins', () => {
    const redact = redactor({ values: ['[1-9]'] });
    const [text] = json(redact, JSON.stringify('1 '.repeat(150_000))) as [string, string[]];
    expect(text).not.toMatch(/"1| 1 /);
    const all = redactor({ values: ['(?s)x.*x'] });
    expect(all.text(`x${text}x`).text).toBe(standIns.text(`x${text}x`, 'value'));
  });

  test.each([100, 200, 100_000])('JSON nested %d deep', (depth) => {
    const text = `${'{"a":['.repeat(depth / 2)}"s3"${']}'.repeat(depth / 2)}`;
    for (const rules of [{ keys: ['a'] }, { values: ['s3'] }, { paths: ['$..a'] }, { paths: ['$..a..a'] }]) {
      const [redacted] = json(redactor(rules), text) as [string, string[]];
      expect(redacted).not.toContain('s3');
      expect(redacted.startsWith('{"a":[')).toBe(true);
    }
  });

  test('a path over very many values', () => {
    const text = `{"a":[${'1,'.repeat(300_000)}1],"b":"s3"}`;
    expect((json(redactor({ paths: ['$.b'] }), text) as [string, string[]])[1]).toEqual(['/b']);
    expect((json(redactor({ paths: ['$.a[*]'] }), text) as [string, string[]])[1]).toEqual(['/a']);
  });

  test('an expression that comes with the document', () => {
    const text = JSON.stringify([
      { k: many, p: '(a+)+b' },
      { k: 'aab', p: '(a+)+b' },
      { k: 'x', p: '(' },
      { k: 1, p: 2 },
    ]);
    const [, redacted] = json(redactor({ paths: ['$[?match(@.k, @.p)].k'] }), text) as [string, string[]];
    expect(redacted).toEqual(['/1/k']);
  });
});

describe('whatever comes', () => {
  const secret = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 6, maxLength: 30 }),
    fc.stringMatching(/^[A-Za-z0-9&=;+%"\\/ ]{8,24}$/),
    fc.uuid(),
    fc.webUrl({ withQueryParameters: true }),
    fc.emailAddress(),
  );
  const isPlanted = (text: string): boolean =>
    text.trim().length >= 6 && !/^[\s"]|[\s"]$/.test(text) && !/\p{Surrogate}/u.test(text);
  const planted = secret.filter(isPlanted);
  const spellings = (text: string): string[] => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    new URLSearchParams({ a: text }).toString().slice(2),
  ];
  const expectGone = (text: string, hidden: string): void => {
    for (const spelling of spellings(hidden)) expect(text.includes(spelling)).toBe(false);
  };
  const quoted = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$/]/g, '\\$&');

  test('a secret in a member is gone, and all the rest is as it was', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        planted,
        value,
        value,
        fc.boolean(),
        fc.constantFrom<Partial<RedactionRules>>({ keys: ['pin'] }, { paths: ['$..pin'] }),
        (hidden, before, after, isLaidOut, rules) => {
          const [head, tail] = [JSON.stringify(before), JSON.stringify(after, undefined, isLaidOut ? 1 : 0)];
          fc.pre(
            !spellings(hidden).some((spelling) => (head + tail).includes(spelling)) && !(head + tail).includes('pin'),
          );
          const text = `{"a":${head},"b":[{"pin" : ${JSON.stringify(hidden)} }],"c":${tail}}`;
          const redact = redactor(rules);
          const [redacted, places] = json(redact, text) as [string, string[]];
          expect(places).toEqual(['/b/0/pin']);
          expectGone(redacted, hidden);
          expect(redacted.startsWith(`{"a":${head},"b":[{"pin" : "`)).toBe(true);
          expect(redacted.endsWith(`" }],"c":${tail}}`)).toBe(true);
          expect(JSON.parse(redacted)).toEqual({
            a: JSON.parse(head),
            b: [{ pin: expect.any(String) as string }],
            c: JSON.parse(tail),
          });
          expect(json(redact, redacted)).toBeUndefined();
        },
      ),
    );
  });

  test('a secret that an expression describes is gone from anywhere', () => {
    fc.assert(
      fc.property(
        planted,
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (hidden, before, after) => {
          fc.pre(!/redacted|invalid/.test(hidden) && !`${before}|${after}`.includes(hidden));
          const redact = redactor({ values: [quoted(hidden)] });
          const whole = before + hidden + after;
          const body = JSON.stringify({ a: [whole], b: before, n: { text: JSON.stringify({ whole }) } });
          const [redacted] = json(redact, body) as [string, string[]];
          expect(JSON.parse(redacted)).toMatchObject({ b: before });
          const { target } = redact.target(`/x?q=${encodeURIComponent(whole)}`);
          const form = redact.form(new URLSearchParams({ q: whole }).toString()).text;
          const { text } = redact.text(whole);
          expect(text.startsWith(before) && text.endsWith(after)).toBe(true);
          for (const output of [redacted, target, form, text]) expectGone(output, hidden);
          expect(json(redact, redacted)).toBeUndefined();
          expect(redact.target(target).redacted).toEqual([]);
          expect(redact.form(form).redacted).toEqual([]);
          expect(redact.text(text).redacted).toEqual([]);
        },
      ),
    );
  });

  test('a secret of OAuth is gone from headers, targets, forms and bodies', () => {
    fc.assert(
      fc.property(planted, (hidden) => {
        const name = encodeURIComponent(hidden);
        const outputs = [
          ...secrets
            .headers([
              ['Authorization', `Bearer ${hidden}`],
              ['Cookie', `a=${name}; b=1`],
              ['Set-Cookie', `a=${name}; Path=/`],
              ['Location', `https://host/cb?state=x&code=${name}#access_token=${name}`],
            ])
            .lines.map(([, value]) => value),
          secrets.target(`/authorize?id_token_hint=${name}`).target,
          secrets.form(`a=1&client_secret=${name}&b=2`).text,
          (json(secrets, JSON.stringify({ a: 1, access_token: hidden }), 'oauth') as [string, string[]])[0],
        ];
        for (const output of outputs) expectGone(output, hidden);
      }),
    );
  });

  test('what is redacted with any expression is left when it comes again', () => {
    const part = fc.constantFrom('a', '\\w', '.', '[0-9a-f]', '\\d', 'x|y', '(?:a|b)', '-', ' ');
    const count = fc.constantFrom('', '+', '{2}', '+?', '{1,3}');
    const expression = fc
      .array(fc.tuple(part, count), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.map(([what, often]) => `(?:${what})${often}`).join(''));
    const text = fc.string({ unit: fc.constantFrom(...'ab xy0-@é"'.split('')) });
    fc.assert(
      fc.property(expression, text, (value, text) => {
        const redact = redactor({ values: [value] });
        const once = redact.text(text).text;
        expect(redact.text(once)).toEqual({ text: once, redacted: [] });
        const body = JSON.stringify({ text, more: JSON.stringify([text, 1]) });
        for (const sent of [body, body.slice(0, -4)]) {
          const [redacted] = json(redact, sent) ?? [sent];
          if (sent === body) expect(Object.keys(JSON.parse(redacted) as object)).toEqual(['text', 'more']);
          expect(json(redact, redacted)).toBeUndefined();
        }
        const { target } = redact.target(`/p?q=${encodeURIComponent(text)}`);
        expect(redact.target(target)).toEqual({ target, redacted: [] });
      }),
    );
  });

  test('bytes of any kind come back as they are where nothing is found', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(redactor({ keys: ['nowhere'], values: ['nothing like this'] }).json(bytes, 'message')).toBeUndefined();
      }),
    );
  });
});
