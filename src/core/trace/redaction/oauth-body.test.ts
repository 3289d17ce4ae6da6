import { expect, test } from 'vitest';
import { looksLikeOAuth } from './oauth-body.ts';

test.each<[string, string, string | undefined, string, boolean]>([
  ['an answer of a token endpoint', '{"access_token":"a","token_type":"Bearer"}', 'application/json', '/t', true],
  ['the same without a type', '{"access_token":"a"}', undefined, '/t', true],
  ['the same as text', '{"access_token":"a"}', 'text/plain', '/t', true],
  ['the same, cut off', '{"access_token":"a', 'application/json', '/t', true],
  ['a registration', '{"client_id":"a","client_secret":"b"}', 'application/json', '/register', true],
  ['a sign-in of the service', '{"user":"a","password":"b"}', 'application/json', '/login', true],
  ['a name in other letters', '{"Access_Token":"a"}', 'application/json', '/t', true],
  ['a code that is exchanged', '{"grant_type":"authorization_code","code":"a"}', 'application/json', '/x', true],
  ['a code at an endpoint for it', '{"code":"a"}', 'application/json', '/oauth/callback?x=1', true],
  ['the code of an error', '{"code":"not_found","message":"b"}', 'application/json', '/x', false],
  ['the number of an error', '{"code":404}', 'application/json', '/token', false],
  ['a message', '{"jsonrpc":"2.0","id":1,"method":"x","token":"a"}', 'application/json', '/token', false],
  ['a secret further in', '{"a":{"access_token":"b"}}', 'application/json', '/t', false],
  ['no secret in it', '{"access_token":"","refresh_token":null,"issuer":"x"}', 'application/json', '/t', false],
  ['an array', '[{"access_token":"a"}]', 'application/json', '/t', false],
  ['a form', 'access_token=a', 'application/x-www-form-urlencoded', '/t', false],
  ['an event stream', '{"access_token":"a"}', 'text/event-stream', '/t', false],
  ['nothing', '', undefined, '/token', false],
])('%s', (_, text, contentType, path, expected) => {
  expect(looksLikeOAuth(text, contentType, path)).toBe(expected);
});
