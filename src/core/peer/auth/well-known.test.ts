import { expect, test } from 'vitest';
import {
  canonicalResource,
  covers,
  isSameIssuer,
  isSecureUrl,
  resourceMetadataUrls,
  serverMetadataUrls,
} from './well-known.ts';

const well = 'https://a.example/.well-known';

test.each([
  ['https://a.example/', [`${well}/oauth-protected-resource`]],
  ['https://a.example/mcp', [`${well}/oauth-protected-resource/mcp`, `${well}/oauth-protected-resource`]],
  ['https://a.example/x/mcp/', [`${well}/oauth-protected-resource/x/mcp`, `${well}/oauth-protected-resource`]],
  ['https://a.example/mcp?t=1', [`${well}/oauth-protected-resource/mcp?t=1`, `${well}/oauth-protected-resource`]],
])('the metadata of the resource %s', (url, wanted) => {
  expect(resourceMetadataUrls(new URL(url))).toEqual(wanted);
});

test.each([
  ['https://a.example', [`${well}/oauth-authorization-server`, `${well}/openid-configuration`]],
  [
    'https://a.example/t/1',
    [
      `${well}/oauth-authorization-server/t/1`,
      `${well}/openid-configuration/t/1`,
      'https://a.example/t/1/.well-known/openid-configuration',
    ],
  ],
])('the metadata of the issuer %s', (issuer, wanted) => {
  expect(serverMetadataUrls(new URL(issuer))).toEqual(wanted);
});

test.each([
  ['https://a.example/x', true],
  ['http://127.0.0.1:8000/x', true],
  ['http://localhost', true],
  ['http://[::1]:1/', true],
  ['http://a.example/', false],
  ['http://localhost.a.example/', false],
  ['http://127.0.0.1@a.example/', false],
  ['javascript:alert(1)//https:', false],
  ['file:///etc/passwd', false],
  ['no URL', false],
])('%s is safe: %s', (url, wanted) => {
  expect(isSecureUrl(url)).toBe(wanted);
});

test.each([
  ['https://a.example/mcp', true],
  ['https://a.example', true],
  ['https://a.example/', true],
  ['https://a.example/mc', false],
  ['https://a.example/mcp/more', false],
  ['https://b.example/mcp', false],
  ['nothing', false],
])('the resource %s covers https://a.example/mcp: %s', (resource, wanted) => {
  expect(covers(resource, new URL('https://a.example/mcp'))).toBe(wanted);
});

test.each([
  ['https://A.example:443/', 'https://a.example'],
  ['https://a.example/mcp#x', 'https://a.example/mcp'],
  ['https://a.example/mcp?t=1', 'https://a.example/mcp?t=1'],
])('%s is the resource %s', (url, wanted) => {
  expect(canonicalResource(new URL(url))).toBe(wanted);
});

test.each([
  ['https://a.example', 'https://a.example', true],
  ['https://a.example/', 'https://a.example', true],
  ['https://a.example/t', 'https://a.example/t/', false],
  ['https://a.example', 'https://b.example', false],
  ['https://a.example', 'https://A.example', false],
])('%s and %s are the same issuer: %s', (asked, named, wanted) => {
  expect(isSameIssuer(asked, named)).toBe(wanted);
});
