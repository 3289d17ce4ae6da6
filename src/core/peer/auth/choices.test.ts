import { expect, test } from 'vitest';
import { authenticationToRegister, chooseAuthentication, chooseIdentity, chooseScope, pkceTrouble } from './choices.ts';

const resource = { scopes_supported: ['a', 'b'] };

test.each([
  ['those of the challenge', { challenged: 'c', resource }, 'c'],
  ['all of the resource', { resource }, 'a b'],
  ['none', {}, undefined],
  ['none of an empty list', { resource: { scopes_supported: [] } }, undefined],
  ['the user’s', { wanted: 'u v', challenged: 'c', resource }, 'u v'],
  ['with those of before', { before: 'a x', challenged: 'c a', resource }, 'a x c'],
  [
    'with a way to stay signed in',
    { challenged: 'c', server: { scopes_supported: ['offline_access'] } },
    'c offline_access',
  ],
  [
    'without it where nobody is asked',
    { challenged: 'c', server: { scopes_supported: ['offline_access'] }, mayRefresh: false },
    'c',
  ],
])('scopes: %s', (_, sources, wanted) => {
  expect(chooseScope({ resource: {}, server: {}, mayRefresh: true, ...sources })).toBe(wanted);
});

test.each([
  [{}, /does not say/],
  [{ code_challenge_methods_supported: ['plain'] }, /only plain/],
  [{ code_challenge_methods_supported: 'S256' }, /does not say/],
])('PKCE is missed in %j', (server, wanted) => {
  expect(pkceTrouble(server)).toMatch(wanted);
});

test('PKCE with S256 is no trouble', () => {
  expect(pkceTrouble({ code_challenge_methods_supported: ['plain', 'S256'] })).toBeUndefined();
});

const documents = { client_id_metadata_document_supported: true, registration_endpoint: 'https://a.example/r' };
const nothing = { clientId: false, metadataUrl: false, registration: false };

test.each([
  ['given', documents, { ...nothing, clientId: true, metadataUrl: true }],
  ['document', documents, { ...nothing, metadataUrl: true, registration: true }],
  ['registered', documents, { ...nothing, registration: true }],
  ['register', documents, nothing],
  ['register', { registration_endpoint: 'https://a.example/r' }, { ...nothing, metadataUrl: true }],
  ['none', {}, nothing],
] as const)('identity: %s', (wanted, server, has) => {
  expect(chooseIdentity(server, has)).toBe(wanted);
});

test.each([
  ['none', false, { token_endpoint_auth_methods_supported: ['client_secret_post'] }, undefined],
  ['client_secret_basic', true, {}, undefined],
  ['client_secret_post', true, { token_endpoint_auth_methods_supported: ['client_secret_post', 'none'] }, undefined],
  ['client_secret_post', true, {}, 'client_secret_post'],
] as const)('authentication: %s', (wanted, hasSecret, server, agreed) => {
  expect(chooseAuthentication(server, hasSecret, agreed)).toBe(wanted);
});

test.each([
  ['none', undefined],
  ['none', ['client_secret_basic', 'none']],
  ['client_secret_post', ['client_secret_post']],
  ['client_secret_basic', ['client_secret_post', 'client_secret_basic']],
])('registers with %s', (wanted, methods) => {
  expect(authenticationToRegister({ token_endpoint_auth_methods_supported: methods })).toBe(wanted);
});
