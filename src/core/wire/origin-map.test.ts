import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/properties.ts';
import { bodyKind, OriginMap, type BodyKind } from './origin-map.ts';

const own = 'http://127.0.0.1:7000';
const map = new OriginMap('https://host', own);
const encodedOwn = encodeURIComponent(own);

test.each([
  ['the origin alone', 'https://host', own],
  ['a slash behind it stays', 'https://host/', `${own}/`],
  ['path, query and fragment stay as spelled', 'https://host/a/../%7e b?x=%2F&y#z?', `${own}/a/../%7e b?x=%2F&y#z?`],
  ['a query at once', 'https://host?x', `${own}?x`],
  ['a fragment at once', 'https://host#x', `${own}#x`],
  ['host and scheme in upper case', 'HTTPS://HoSt/X', `${own}/X`],
  ['the default port', 'https://host:443/x', `${own}/x`],
  ['the default port with zeros', 'https://host:00443/x', `${own}/x`],
  ['a port that is empty', 'https://host:/x', `${own}/x`],
  ['an encoded host', 'https://h%6fst/x', `${own}/x`],
  ['an @ further back', 'https://host/@evil', `${own}/@evil`],
  ['a backslash in the path', 'https://host/\\evil', `${own}/\\evil`],
])('to the client, %s', (_, url, mapped) => {
  expect(map.toClient(url)).toBe(mapped);
});

test.each([
  ['nothing', ''],
  ['a path', '/mcp'],
  ['a relative path', 'mcp'],
  ['no scheme', '//host/mcp'],
  ['another scheme', 'http://host/'],
  ['another scheme on the same port', 'http://host:443/'],
  ['a WebSocket', 'wss://host/'],
  ['another port', 'https://host:8443/'],
  ['a port that is none', 'https://host:x/'],
  ['another host', 'https://other/'],
  ['a longer host', 'https://host.evil/'],
  ['a longer host in front', 'https://evil.host/'],
  ['a host with a dot behind it', 'https://host./'],
  ['the target as a user name', 'https://host@evil/'],
  ['the target as a user name and password', 'https://host:443@evil/'],
  ['a user name', 'https://user@host/'],
  ['an empty user name', 'https://@host/'],
  ['a backslash that some take for a slash', 'https://host\\@evil/'],
  ['backslashes in front', 'https:\\\\host/'],
  ['an encoded @', 'https://host%40evil/'],
  ['an encoded slash', 'https://host%2fevil/'],
  ['one slash', 'https:/host/'],
  ['no slash', 'https:host/'],
  ['three slashes', 'https:///host/'],
  ['white space in front', ' https://host/'],
  ['a tab inside', 'https://ho\tst/'],
  ['a line break behind the host', 'https://host\n@evil/'],
  ['a NUL behind the host', 'https://host\u0000.evil/'],
  ['the target further back', 'https://evil/?https://host/'],
  ['another URL around it', 'view-source:https://host/'],
  ['no URL', 'https://'],
])('to the client unchanged, %s', (_, url) => {
  expect(map.toClient(url)).toBe(url);
});

test('nothing but the own origin goes back to the server', () => {
  expect(map.toServer(`${own}/mcp?x#y`)).toBe('https://host/mcp?x#y');
  expect(map.toServer('http://2130706433:7000/mcp')).toBe('https://host/mcp');
  for (const url of ['http://127.0.0.1/', 'http://127.0.0.1:70000/', 'http://localhost:7000/', `${own}@evil/`])
    expect(map.toServer(url)).toBe(url);
});

test.each([
  ['https://HOST:8443', 'https://host:8443/x'],
  ['https://host:8443/ignored/path', 'https://host:8443/x'],
  ['http://[::1]:80', 'http://[0:0::1]/x'],
  ['https://bücher.example', 'https://bücher.example/x'],
  ['https://bücher.example', 'https://xn--bcher-kva.example/x'],
])('a target of %s', (target, url) => {
  expect(new OriginMap(target, own).toClient(url)).toBe(`${own}/x`);
});

describe('round trips', () => {
  const targets = ['https://host', 'https://host:8443', 'http://[::1]:9', 'http://10.0.0.1', 'https://a.b.example'];
  const rest = fc.oneof(
    fc.constant(''),
    fc.tuple(fc.constantFrom('/', '?', '#'), fc.string({ unit: 'binary' })).map((parts) => parts.join('')),
    fc.webPath(),
  );
  const anyUrl = fc.oneof(
    fc.tuple(fc.constantFrom(...targets), rest).map((parts) => parts.join('')),
    fc.webUrl(),
  );

  test('what goes to the client and back is what it was', () => {
    fc.assert(
      fc.property(fc.constantFrom(...targets), rest, (target, rest) => {
        const map = new OriginMap(target, own);
        expect(map.toClient(target + rest)).toBe(own + rest);
        expect(map.toServer(map.toClient(target + rest))).toBe(target + rest);
      }),
    );
  });

  test('in a form body, however it is spelled', () => {
    fc.assert(
      fc.property(fc.constantFrom(...targets), rest, (target, rest) => {
        fc.pre(!/\p{Cs}/u.test(rest));
        const body = (url: string): string => String(new URLSearchParams({ resource: url, code: url }));
        const mapped = new URLSearchParams(new OriginMap(target, own).formBody(body(own + rest)));
        expect([...mapped]).toEqual([
          ['resource', target + rest],
          ['code', own + rest],
        ]);
      }),
    );
  });

  test('in metadata, only what is named is changed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyUrl), anyUrl, fc.nat(2), (other, url, indent) => {
        const metadata = { ...other, resource: url, authorization_servers: [url, 7, [url]] };
        const expected = {
          ...metadata,
          resource: map.toClient(url),
          authorization_servers: [map.toClient(url), 7, [url]],
        };
        const text = JSON.stringify(metadata, undefined, indent);
        const mapped = map.responseBody('resource-metadata', text)?.text;
        expect(mapped ?? text).toBe(JSON.stringify(expected, undefined, indent));
      }),
    );
  });

  test('what is not of the target is never changed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          anyUrl.map((url) => `x${url}`),
        ),
        (text) => {
          expect(map.toClient(text)).toBe(text);
          expect(map.sseEndpoint(text)).toBeUndefined();
        },
      ),
    );
  });
});

type Lines = [string, string][];

test.each<[string, Lines, Lines]>([
  ['Location', [['location', 'https://host/next']], [['location', `${own}/next`]]],
  ['Content-Location', [['Content-Location', 'https://host/x']], [['Content-Location', `${own}/x`]]],
  [
    'all else stays, in order and as spelled',
    [
      ['X', 'https://host'],
      ['LOCATION', 'https://host'],
      ['Access-Control-Allow-Origin', 'https://host'],
      ['x', ''],
    ],
    [
      ['X', 'https://host'],
      ['LOCATION', own],
      ['Access-Control-Allow-Origin', 'https://host'],
      ['x', ''],
    ],
  ],
  [
    'iss of a redirect to the client',
    [['Location', 'http://localhost:33418/cb?code=a%20b&iss=https%3A%2F%2Fhost%2ft%7E&state=%2B+#f']],
    [['Location', `http://localhost:33418/cb?code=a%20b&iss=${encodedOwn}%2ft%7E&state=%2B+#f`]],
  ],
  [
    'iss of an error, to a scheme of its own, not encoded',
    [['Location', 'app.x://cb?iss=https://host/t&error=access_denied']],
    [['Location', `app.x://cb?iss=${encodedOwn}/t&error=access_denied`]],
  ],
  [
    'iss of a redirect to a page behind the tap',
    [['Location', 'https://host/cb?code=c&iss=https%3A%2F%2Fhost']],
    [['Location', `${own}/cb?code=c&iss=${encodedOwn}`]],
  ],
  [
    'resource_metadata',
    [
      [
        'WWW-Authenticate',
        'Bearer error="x",  resource_metadata="https://host/.well-known/oauth-protected-resource/mcp"',
      ],
    ],
    [['WWW-Authenticate', `Bearer error="x",  resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`]],
  ],
  [
    'resource_metadata of two challenges, one with escapes, one without quotes',
    [
      [
        'www-authenticate',
        'Bearer resource_metadata="https:\\/\\/ho\\st/a\\"b", DPoP resource_metadata=https://host/c',
      ],
    ],
    [['www-authenticate', `Bearer resource_metadata="${own}/a\\"b", DPoP resource_metadata=${own}/c`]],
  ],
  [
    'resource_metadata in each of two lines',
    [
      ['WWW-Authenticate', 'A resource_metadata="https://host/a"'],
      ['WWW-Authenticate', 'B resource_metadata="https://host"'],
    ],
    [
      ['WWW-Authenticate', `A resource_metadata="${own}/a"`],
      ['WWW-Authenticate', `B resource_metadata="${own}"`],
    ],
  ],
])('response headers: %s', (_, lines, mapped) => {
  expect(map.responseHeaders(lines)).toEqual(mapped);
});

test.each<[string, Lines]>([
  ['none', []],
  ['a relative Location', [['Location', '/next?iss=https%3A%2F%2Fhost']]],
  ['a foreign Location', [['Location', 'https://auth.example/authorize?resource=https%3A%2F%2Fhost%2Fmcp']]],
  ['an iss that is somebody else', [['Location', 'app://cb?code=c&iss=https%3A%2F%2Fother']]],
  ['an iss in a state', [['Location', 'app://cb?code=c&state=iss%3Dhttps%3A%2F%2Fhost']]],
  ['an iss in a fragment', [['Location', 'app://cb?code=c#iss=https%3A%2F%2Fhost']]],
  ['a login begun elsewhere', [['Location', 'https://rp/login?iss=https%3A%2F%2Fhost&login_hint=x']]],
  ['an iss with a user name trick', [['Location', 'app://cb?code=c&iss=https%3A%2F%2Fhost%40evil']]],
  ['who may read', [['Access-Control-Allow-Origin', 'https://host']]],
  ['links', [['Link', '<https://host/x>; rel="next"']]],
  ['a realm', [['WWW-Authenticate', 'Bearer realm="https://host"']]],
  ['foreign metadata', [['WWW-Authenticate', 'Bearer resource_metadata="https://host.evil/"']]],
  ['another header with the same parameter', [['X', 'Bearer resource_metadata="https://host"']]],
])('response headers stay: %s', (_, lines) => {
  expect(map.responseHeaders(lines)).toBeUndefined();
});

test.each<[string, string, string | undefined, number, BodyKind | undefined]>([
  ['a resource at the root', '/.well-known/oauth-protected-resource', 'application/json', 200, 'resource-metadata'],
  [
    'a resource with a path',
    '/.well-known/oauth-protected-resource/a/b?c',
    'application/json',
    200,
    'resource-metadata',
  ],
  [
    'a resource, its path in front',
    '/a/.well-known/oauth-protected-resource',
    'application/json',
    200,
    'resource-metadata',
  ],
  ['an issuer', '/.well-known/oauth-authorization-server/t', 'Application/JSON; charset=utf-8', 200, 'issuer-metadata'],
  ['OpenID', '/.well-known/openid-configuration', 'application/json', 200, 'issuer-metadata'],
  ['OpenID, a path behind it', '/.well-known/openid-configuration/t/', 'application/json', 200, 'issuer-metadata'],
  ['OpenID, a path in front', '/t/u/.well-known/openid-configuration?x=/y', 'application/json', 200, 'issuer-metadata'],
  ['no type', '/.well-known/openid-configuration', undefined, 200, 'issuer-metadata'],
  ['the type of a plain file', '/.well-known/openid-configuration', 'text/plain', 200, 'issuer-metadata'],
  ['a type of JSON', '/.well-known/openid-configuration', 'application/x+json', 200, 'issuer-metadata'],
  ['an error', '/.well-known/openid-configuration', 'application/json', 404, undefined],
  ['a page', '/.well-known/openid-configuration', 'text/html', 200, undefined],
  ['a stream', '/.well-known/openid-configuration', 'text/event-stream', 200, undefined],
  ['a longer name', '/.well-known/openid-configuration2', 'application/json', 200, undefined],
  ['another name', '/.well-known/constructor', 'application/json', 200, undefined],
  ['a path in front and one behind', '/a/.well-known/openid-configuration/b', 'application/json', 200, undefined],
  ['only in the query', '/x?/.well-known/openid-configuration', 'application/json', 200, undefined],
  ['no slash in front', '/x.well-known/openid-configuration', 'application/json', 200, undefined],
  ['the endpoint', '/mcp', 'application/json', 200, undefined],
  ['nothing', '', 'application/json', 200, undefined],
])('body kind: %s', (_, target, type, status, kind) => {
  expect(bodyKind(target, type, status)).toBe(kind);
});

const resource = 'resource-metadata';
const issuer = 'issuer-metadata';

test.each<[string, BodyKind, string, string]>([
  ['the resource', resource, '{"resource":"https://host/mcp"}', `{"resource":"${own}/mcp"}`],
  [
    'what else a resource names',
    resource,
    '{"authorization_servers":["https://host","https://other","https://host/t/"],"jwks_uri":"https://host/j","resource_documentation":"https://host/d","resource_policy_uri":"https://host/p","resource_tos_uri#de":"https://host/t"}',
    `{"authorization_servers":["${own}","https://other","${own}/t/"],"jwks_uri":"${own}/j","resource_documentation":"${own}/d","resource_policy_uri":"${own}/p","resource_tos_uri#de":"${own}/t"}`,
  ],
  [
    'the issuer and its endpoints',
    issuer,
    '{"issuer":"https://host/","token_endpoint":"https://host/token","jwks_uri":"https://HOST:443/j","op_tos_uri":"https://host","service_documentation":"https://host/d","x_endpoint":"https://host/x"}',
    `{"issuer":"${own}/","token_endpoint":"${own}/token","jwks_uri":"${own}/j","op_tos_uri":"${own}","service_documentation":"${own}/d","x_endpoint":"${own}/x"}`,
  ],
  [
    'mutual-TLS aliases, and resources that the issuer serves',
    issuer,
    '{"mtls_endpoint_aliases":{"token_endpoint":"https://host/t","x":"https://host"},"protected_resources":["https://host/mcp"]}',
    `{"mtls_endpoint_aliases":{"token_endpoint":"${own}/t","x":"https://host"},"protected_resources":["${own}/mcp"]}`,
  ],
  [
    'all other bytes stay',
    resource,
    '\ufeff {\r\n\t"n" : 1.0e400 , "resource":"https://host/é" ,"x":"https://host",  "n":-0 }\n',
    `\ufeff {\r\n\t"n" : 1.0e400 , "resource":"${own}/é" ,"x":"https://host",  "n":-0 }\n`,
  ],
  [
    'a member that stands twice',
    issuer,
    '{"issuer":"https://host/a","issuer":"https://host/b"}',
    `{"issuer":"${own}/a","issuer":"${own}/b"}`,
  ],
  [
    'escapes in name, origin and path',
    issuer,
    String.raw`{"iss\u0075er":"https:\/\/h\u006Fst\/a\u0022"}`,
    String.raw`{"iss\u0075er":"${own}\/a\u0022"}`,
  ],
])('metadata: %s', (_, kind, text, mapped) => {
  expect(map.responseBody(kind, text)).toEqual({ text: mapped, notes: [] });
});

test.each<[string, BodyKind, string]>([
  ['no JSON', issuer, '{"issuer":"https://host"'],
  ['JSON and more', issuer, '{"issuer":"https://host"}{}'],
  ['nothing', issuer, ''],
  ['a page', issuer, '<a href="https://host">'],
  ['only foreign URLs', issuer, '{"issuer":"https://other","token_endpoint":"https://host@evil/"}'],
  ['another type', issuer, '{"issuer":["https://host"],"jwks_uri":{"issuer":"https://host"},"token_endpoint":null}'],
  ['deeper inside', issuer, '{"x":{"issuer":"https://host"},"mtls_endpoint_aliases":{"x":{"issuer":"https://host"}}}'],
  ['not in an object', issuer, '[{"issuer":"https://host"},"issuer","https://host"]'],
  ['a lone string', issuer, '"https://host"'],
  ['a name as a value', issuer, '{"x":"issuer","y":"https://host"}'],
  ['names of the other kind', resource, '{"issuer":"https://host","token_endpoint":"https://host/t"}'],
  ['deeper in an array', resource, '{"authorization_servers":[["https://host"],{"resource":"https://host"}]}'],
  ['scopes', resource, '{"scopes_supported":["https://host/read"]}'],
])('metadata stays: %s', (_, kind, text) => {
  expect(map.responseBody(kind, text)).toBeUndefined();
});

test('signed metadata stays, and is told of', () => {
  const signed = '{"signed_metadata":"a.b.c","resource":"https://host/mcp"}';
  const mapped = map.responseBody(resource, signed);
  expect(mapped?.text).toBe(`{"signed_metadata":"a.b.c","resource":"${own}/mcp"}`);
  expect(mapped?.notes).toEqual([expect.stringContaining('signed_metadata')]);
  const foreign = '{"signed_metadata":"a.b.c","signed_metadata":"d.e.f"}';
  expect(map.responseBody(issuer, foreign)).toEqual({ text: foreign, notes: mapped?.notes });
  expect(map.responseBody(issuer, '{"x":{"signed_metadata":"a.b.c"},"signed_metadata":null}')).toBeUndefined();
});

test.each([
  ['https://host/messages?sessionId=1', `${own}/messages?sessionId=1`],
  ['/messages?sessionId=1', undefined],
  ['messages', undefined],
  ['https://other/messages', undefined],
  ['', undefined],
])('the endpoint of HTTP+SSE "%s"', (data, mapped) => {
  expect(map.sseEndpoint(data)).toBe(mapped);
});

test.each<[string, string, string | undefined]>([
  ['encoded', `/authorize?a=1&resource=${encodedOwn}%2fmcp&b`, '/authorize?a=1&resource=https%3A%2F%2Fhost%2fmcp&b'],
  ['not encoded', `/authorize?resource=${own}/a+b%zz`, '/authorize?resource=https%3A%2F%2Fhost/a+b%zz'],
  [
    'twice, and a foreign one',
    `/a?resource=${own}&resource=x&resource=${own}/`,
    '/a?resource=https%3A%2F%2Fhost&resource=x&resource=https%3A%2F%2Fhost/',
  ],
  ['its name encoded', `/a?%72esource=${own}`, '/a?%72esource=https%3A%2F%2Fhost'],
  [
    'every character encoded',
    `/a?resource=${own.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}%2f`,
    '/a?resource=https%3A%2F%2Fhost%2f',
  ],
  ['the address of the client', `/authorize?redirect_uri=${encodedOwn}%2Fcb&iss=${encodedOwn}`, undefined],
  ['an audience', `/authorize?audience=${encodedOwn}`, undefined],
  ['encoded twice', `/authorize?resource=${encodeURIComponent(encodedOwn)}`, undefined],
  ['a user name trick', `/authorize?resource=${encodedOwn}%40evil`, undefined],
  ['bytes that are no text behind the host', `/authorize?resource=${encodedOwn}%ff`, undefined],
  ['the target itself', '/authorize?resource=https%3A%2F%2Fhost', undefined],
  ['a path that looks like it', `/resource=${own}`, undefined],
  ['no query', '/mcp', undefined],
])('a request target: %s', (_, target, mapped) => {
  expect(map.requestTarget(target)).toBe(mapped);
});

test.each<[string, string, string | undefined]>([
  [
    'a token request',
    `grant_type=authorization_code&resource=${encodedOwn}%2Fmcp&code=%2B+&redirect_uri=${encodedOwn}%2Fcb`,
    `grant_type=authorization_code&resource=https%3A%2F%2Fhost%2Fmcp&code=%2B+&redirect_uri=${encodedOwn}%2Fcb`,
  ],
  ['a token exchange', `audience=${encodedOwn}&audience=name`, 'audience=https%3A%2F%2Fhost&audience=name'],
  ['JSON', `{"resource":"${own}"}`, undefined],
  ['an empty one', '', undefined],
  ['empty values', 'resource&resource=&=resource', undefined],
])('a form body: %s', (_, text, mapped) => {
  expect(map.formBody(text)).toBe(mapped);
});

test.each<[string, Lines, Lines | undefined]>([
  ['Referer', [['referer', `${own}/login?x`]], [['referer', 'https://host/login?x']]],
  [
    'the own Origin',
    [
      ['Host', '127.0.0.1:7000'],
      ['ORIGIN', own],
    ],
    [
      ['Host', '127.0.0.1:7000'],
      ['ORIGIN', 'https://host'],
    ],
  ],
  ['no Origin', [['Host', '127.0.0.1:7000']], undefined],
  ['null', [['Origin', 'null']], undefined],
  ['a foreign Origin', [['Origin', 'https://evil.example']], undefined],
  ['a longer Origin', [['Origin', `${own}.evil.example`]], undefined],
  ['another port', [['Origin', 'http://127.0.0.1:7001']], undefined],
  ['another spelling', [['Origin', 'http://2130706433:7000']], undefined],
  ['more than an Origin', [['Origin', `${own}/`]], undefined],
  ['two in one', [['Origin', `${own} https://evil.example`]], undefined],
  ['the target’s', [['Origin', 'https://host']], undefined],
  ['a foreign Referer', [['Referer', 'https://evil.example/']], undefined],
])('request headers: %s', (_, lines, mapped) => {
  expect(map.requestHeaders(lines)).toEqual(mapped);
});

test('no input makes it slow', () => {
  const many = 50_000;
  const inputs = ['a&', '%', '%ff', 'resource=&', '"', '\\"', 'resource_metadata="', 'resource_metadata= ', ' ', '['];
  for (const input of inputs) {
    const text = input.repeat(many);
    for (const value of [text, `https://${text}`, `/?resource=${text}`, `Bearer realm="${text}`]) {
      expect(map.toClient(value)).toBe(value);
      expect(map.requestTarget(value)).toBeUndefined();
      expect(
        map.responseHeaders([
          ['WWW-Authenticate', value],
          ['Location', value],
        ]),
      ).toBeUndefined();
    }
    expect(map.formBody(text)).toBeUndefined();
    expect(map.responseBody(issuer, JSON.stringify({ issuer: `https://${text}` }))).toBeUndefined();
  }
}, 20_000);
