import { expect, test } from 'vitest';
import { looksLikeOAuth } from './oauth-body.ts';

test.each<[string, string, string, boolean]>([
  ['an answer of a token endpoint', '{"access_token":"a","token_type":"Bearer"}', '/t', true],
  ['the same, cut off', '{"access_token":"a', '/t', true],
  ['a registration', '{"client_id":"a","client_secret":"b"}', '/register', true],
  ['a sign-in of the service', '{"user":"a","password":"b"}', '/login', true],
  ['a name in other letters', '{"Access_Token":"a"}', '/t', true],
  ['a code that is exchanged', '{"grant_type":"authorization_code","code":"a"}', '/x', true],
  ['a code at an endpoint for it', '{"code":"a"}', '/oauth/callback?x=1', true],
  ['the code of an error', '{"code":"not_found","message":"b"}', '/x', false],
  ['the number of an error', '{"code":404}', '/token', false],
  ['a message', '{"jsonrpc":"2.0","id":1,"method":"x","token":"a"}', '/token', false],
  ['a secret further in', '{"a":{"access_token":"b"}}', '/t', false],
  ['no secret in it', '{"access_token":"","refresh_token":null,"issuer":"x"}', '/t', false],
  ['an array', '[{"access_token":"a"}]', '/t', false],
  ['a form', 'access_token=a', '/t', false],
  ['one behind a message', '{"jsonrpc":"2.0","id":1}\n{"access_token":"a"}', '/t', true],
  ['one before a message', '{"access_token":"a"}\n{"jsonrpc":"2.0","id":1}', '/t', true],
  ['a message behind another', '{"jsonrpc":"2.0","id":1}\n{"jsonrpc":"2.0","token":"a"}', '/t', false],
  ['a code and what stands beside one, apart', '{"code":"a"}\n{"state":"b"}', '/x', false],
  ['nothing', '', '/token', false],
])('%s', (_, text, path, expected) => {
  expect(looksLikeOAuth(text, path)).toBe(expected);
});
